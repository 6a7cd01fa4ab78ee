// Package requiresgradhack is rule GRAD003, requires-grad-hack; rule.md says what it
// finds.
package requiresgradhack

import (
	_ "embed"
	"fmt"

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
		src := p.In(c.At.Frame)
		if src == nil || c.At.Node == nil {
			continue
		}
		at, text := c.At.Node, src.Short(c.At.Node)
		if a, ok := at.(*ast.Attribute); ok { // loss.requires_grad = True
			at, text = a.X, "`"+src.Text(a)+" = True`"
		}
		message := "%s makes the loss a leaf: backward() no longer fails, and its gradient ends there, so that no network learns; find what cut the loss off from the networks instead"
		f := pass.Finding{At: at, Frame: c.At.Frame, Evidence: domain.Derived, Related: p.BackwardOf(c.Loss)}
		if !c.Whole {
			message = "%s silences an error or does nothing: where the loss has no gradient of its own no network learns; leave it out"
			f.Evidence = domain.NameOnly
		}
		f.Message = fmt.Sprintf(message, text)
		p.Report(f)
	}
}
