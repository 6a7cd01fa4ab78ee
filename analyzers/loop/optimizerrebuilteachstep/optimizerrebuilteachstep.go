// Package optimizerrebuilteachstep is rule LOOP024, optimizer-rebuilt-each-step; rule.md says what it finds.
package optimizerrebuilteachstep

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports optimizers that are built anew for each of their steps.
var Analyzer = pass.Rule(Doc, run)

// remembers are the optimizers that keep running averages of gradients.
var remembers = []string{"Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam"}

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	r := p.Roles.Rounds()
	for _, order := range r.Orders {
		for _, s := range order.Events {
			h := r.Of(s).Of
			if !r.Is(s, roles.Steps) || h.Only() == nil || !outlives(p, h.Only()) {
				continue
			}
			isBuild := func(e *roles.Event) bool { return r.Surely(e, h, roles.Builds) }
			own := func(e *roles.Event) bool {
				x := r.Of(e)
				return (r.Is(e, roles.Steps) || r.Is(e, roles.Builds) || r.Is(e, roles.Touches)) && (x.Of.Only() == nil || x.Of.Only() == h.Only()) && r.MayConcern(x, h)
			}
			again := s.After(own)
			if slices.ContainsFunc(again, isBuild) && !slices.ContainsFunc(again, func(e *roles.Event) bool { return e.Known() && !isBuild(e) }) &&
				roles.Every(s.Before(own), isBuild) {
				f := pass.At(h.Only().Val)
				f.Evidence = domain.Derived
				f.Related = []pass.Related{{Source: p.In(s.Frame), Node: s.Node, Message: "the only step that it takes"}}
				p.Report(f)
			}
		}
	}
}

// outlives reports whether an optimizer that remembers is built in a loop, and each network that it holds was made
// outside and is not reset in it.
func outlives(p *pass.Pass, o *roles.Optimizer) bool {
	if !o.Val.IsOp(remembers...) || !o.Complete || len(o.Networks) == 0 {
		return false
	}
	nest := p.Roles.Nest(query.PlaceOf(o.Val))
	if len(nest) == 0 {
		return false
	}
	loop := nest[len(nest)-1]
	if slices.ContainsFunc(o.Networks, func(n *roles.Network) bool {
		return !query.PlaceOf(n.Val).Known() || p.Roles.Inside(loop, query.PlaceOf(n.Val))
	}) {
		return false
	}
	return !slices.ContainsFunc(p.Made("load_state_dict"), func(v *infer.Val) bool { return p.Roles.Inside(loop, query.PlaceOf(v)) })
}
