// Package nogradaroundupdate is rule GRAD013, no-grad-around-update; rule.md says what it
// finds.
package nogradaroundupdate

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports losses that are computed where gradients are off.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, c := range p.Roles.Severed(roles.CutByMode) {
		src := p.In(c.At.Frame)
		if src == nil || c.At.Node == nil || !c.Whole {
			continue
		}
		what := "a loss made of it"
		if c.At.Val == c.Term.Val {
			what = "it"
		}
		p.Report(pass.Finding{
			At: c.At.Node, Frame: c.At.Frame, Evidence: domain.Derived, Related: p.BackwardOf(c.Loss),
			Message: fmt.Sprintf("%s is computed where gradients are off, and backward() is called on %s: the loss brings no network a gradient; "+
				"compute what the loss is made of outside of no_grad()", src.Short(c.At.Node), what),
		})
	}
}
