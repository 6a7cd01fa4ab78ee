// Package clipperbackward is rule LOOP005, clip-per-backward; rule.md says what it finds.
package clipperbackward

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

// Analyzer reports gradients that are clipped before all parts of a batch have added theirs.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	r := p.Roles.Rounds()
	for _, order := range r.Orders {
		for _, s := range order.Events {
			h := r.Of(s).Of
			if !r.Is(s, roles.Steps) || h == nil || !h.Sure {
				continue
			}
			for _, c := range order.Events {
				if b := partial(p, r, c, h); b != nil {
					p.Report(pass.Finding{
						At: c.Node, Frame: c.Frame, Evidence: domain.Derived,
						Related: append(p.There(b.Place, "each round adds gradients to those that were clipped"), p.There(s.Place, "and the step uses the sum")...),
					})
				}
			}
		}
	}
}

// partial returns the backward pass that adds to gradients which a clip has changed in the same loop over parts of a batch; nil
// where the clip comes behind the last one.
func partial(p *pass.Pass, r *roles.Rounds, c *roles.Event, h *roles.Holder) *roles.Event {
	x := r.Of(c)
	if !r.Is(c, roles.Clips) || x.Max == 0 || math.IsInf(x.Max, 1) || !r.Concerns(x, h) || roles.IsEveryNth(x.Call) {
		return nil
	}
	loop, ok := r.MicroBatches(c.Place, h)
	if !ok {
		return nil
	}
	next := r.Next(c, h, roles.Computes, roles.Zeroes, roles.Steps, roles.Touches)
	i := slices.IndexFunc(next, func(e *roles.Event) bool { return r.Is(e, roles.Computes) && p.Roles.Inside(loop, e.Place) })
	steps := slices.ContainsFunc(next, func(e *roles.Event) bool { return r.Surely(e, h, roles.Steps) })
	if i < 0 || !steps || slices.ContainsFunc(next, func(e *roles.Event) bool { return r.Is(e, roles.Touches) || r.Is(e, roles.Zeroes) }) {
		return nil
	}
	return next[i]
}
