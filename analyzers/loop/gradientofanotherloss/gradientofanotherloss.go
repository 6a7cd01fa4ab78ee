// Package gradientofanotherloss is rule LOOP071, gradient-of-another-loss; rule.md says what it finds.
package gradientofanotherloss

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports backward passes of an actor's loss after which the critic's optimizer steps with what they left in the critic.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	r := p.Roles.Rounds()
	for i := range r.Orders {
		for _, s := range r.Strays(i) {
			p.Report(pass.Finding{
				At: s.Backward.Node, Frame: s.Backward.Frame, Evidence: domain.Derived,
				Related: append(p.Here(s.At, "the loss goes through this critic"), p.There(s.Step.Place, "this step changes the critic by the gradients that are still there")...),
			})
		}
	}
}
