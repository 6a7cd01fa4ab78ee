// Package argmaxinloss is rule GRAD014, argmax-in-loss; rule.md says what it
// finds.
package argmaxinloss

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports objectives that depend on a network only through the index of its largest output.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, c := range p.Roles.Severed(roles.CutByIndex) {
		if p.In(c.At.Frame) == nil || c.At.Node == nil {
			continue
		}
		f := pass.At(c.At.Val, c.From.Val)
		f.Evidence, f.Severity = domain.Derived, pass.Quiet(c)
		f.Related = p.BackwardOf(c.Loss)
		p.Report(f)
	}
}
