// Package requiresgradhack is rule GRAD003, requires-grad-hack; rule.md says what it
// finds.
package requiresgradhack

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports losses that were made leaves.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, c := range p.Roles.Forced() {
		if p.In(c.At.Frame) == nil || c.At.Node == nil {
			continue
		}
		f := pass.Finding{At: c.At.Node, Frame: c.At.Frame, Evidence: domain.Derived, Related: p.BackwardOf(c.Loss)}
		if a, ok := f.At.(*ast.Attribute); ok { // loss.requires_grad = True
			f.At = a.X
		}
		if !c.Whole {
			f.Message, f.Help = "`requires_grad` set on a loss", "remove it"
			f.Why = "it has no effect, or it hides that the loss has no gradient and no network learns"
			f.Evidence = domain.NameOnly
		}
		p.Report(f)
	}
}
