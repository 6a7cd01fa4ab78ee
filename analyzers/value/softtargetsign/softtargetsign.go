// Package softtargetsign is rule VAL091, soft-target-sign; rule.md says what it finds.
package softtargetsign

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets that pay for likely actions.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, f := range p.Roles.Fits() {
		for _, b := range p.Roles.Targets(f) {
			for _, n := range b.Next {
				if len(n.Value.Evaluations(b.At)) == 0 {
					continue
				}
				x := n.Value.Strip()
				for _, t := range query.TermsOf(n.Value, 1) {
					if t.Val != n.Value.Val && p.Roles.LogProbSign(t) > 0 {
						p.Report(pass.Finding{At: x.Node, Frame: x.Frame, Evidence: domain.Derived})
					}
				}
			}
		}
	}
}
