// Package clipofothernetwork is rule LOOP007, clip-of-other-network; rule.md says what it finds.
package clipofothernetwork

import (
	_ "embed"
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports clips of a network that the next step does not change.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	r := p.Roles.Rounds()
	for _, order := range r.Orders {
		for _, c := range order.Events {
			if s := stepped(p, r, c); s != nil {
				p.Report(pass.Finding{
					At: c.Node, Frame: c.Frame, Evidence: domain.Derived,
					Related: p.There(s.Place, "this optimizer holds another network, whose gradients are not clipped"),
				})
			}
		}
	}
}

// stepped returns the step behind a clip that uses gradients of other networks alone, while nothing uses those that were
// clipped; nil where something may.
func stepped(p *pass.Pass, r *roles.Rounds, c *roles.Event) *roles.Event {
	x := r.Of(c)
	if !r.Is(c, roles.Clips) || len(x.Networks) == 0 || math.IsInf(x.Max, 1) || c.Frame.Shared() {
		return nil // each call may hand over the parameters of a network of its own
	}
	acts := []roles.Act{roles.Computes, roles.Steps, roles.Zeroes, roles.Clips, roles.Unscales, roles.Touches}
	before, after := r.Last(c, nil, acts...), r.Next(c, nil, acts...)
	isOther := func(e *roles.Event) bool {
		if !r.Is(e, roles.Steps) {
			return false
		}
		o := r.Of(e).Of.Only()
		return o != nil && o.Complete && !p.Roles.Overlap(o.Networks, x.Networks)
	}
	if !roles.Every(before, func(e *roles.Event) bool { return r.Is(e, roles.Computes) }) || !roles.Every(after, isOther) {
		return nil
	}
	// What was computed before reaches the other network, and no network that is clipped.
	for _, b := range before {
		loss := r.Of(b).Loss
		if loss == nil || p.Roles.Overlap(p.Roles.Reached(loss), x.Networks) || !p.Roles.Overlap(p.Roles.Reached(loss), r.Of(after[0]).Of.Only().Networks) {
			return nil
		}
	}
	return after[slices.IndexFunc(after, isOther)]
}
