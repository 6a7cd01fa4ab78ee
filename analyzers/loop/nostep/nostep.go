// Package nostep is rule LOOP022, no-step; rule.md says what it finds.
package nostep

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports gradients that are computed for an optimizer that does not step.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	r := p.Roles.Rounds()
	for i := range r.Orders {
		for _, t := range r.ThrownAway(i) {
			// An optimizer that steps elsewhere throws the gradients of one pass away on purpose, as of one that warms a compiler up.
			if !t.Round && (!t.Never || r.IsForeign(i) || mayStepElsewhere(p, r, t.Of)) {
				continue
			}
			p.Report(pass.Finding{
				At: t.Backward.Node, Frame: t.Backward.Frame, Evidence: domain.Derived,
				Related: []pass.Related{{Source: p.In(t.Zero.Frame), Node: t.Zero.Node, Message: "the gradients of this optimizer are set to zero, and it does not step"}},
			})
		}
	}
}

// mayStepElsewhere reports whether the program holds a step of something with the optimizer's name that was not
// evaluated: Python finds attributes by their names. A function that zeroes, computes and steps does so for itself.
func mayStepElsewhere(p *pass.Pass, r *roles.Rounds, h *roles.Holder) bool {
	known := map[ast.Node]bool{}
	for _, x := range r.Moments {
		known[x.At.Node] = x.Of != nil
	}
	for _, x := range p.MentionsOf("step") {
		a, ok := x.Node.(*ast.Attribute)
		if ok && query.LastName(a.X) == h.Name && !slices.ContainsFunc(x.Parents, func(n ast.Node) bool { return known[n] }) {
			return true
		}
	}
	own := p.Source.Name
	for _, x := range r.Moments {
		if x.At.Frame.Module.Name == own && x.Of == h {
			return h.Reach() != "" && p.CalledElsewhere(x.At.Frame.Module, h.Reach(), "step", "backward", h.Reach()+".zero_grad")
		}
	}
	return h.Reach() != ""
}
