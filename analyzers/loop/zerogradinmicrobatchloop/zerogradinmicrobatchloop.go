// Package zerogradinmicrobatchloop is rule LOOP002, zero-grad-in-microbatch-loop; rule.md says what it finds.
package zerogradinmicrobatchloop

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports gradients of parts of a batch of which only the last part's are left.
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
			last := r.Last(s, h, roles.Zeroes, roles.Touches, roles.Computes, roles.Steps)
			for _, b := range last {
				if z := emptied(p, r, b, h); z != nil {
					p.Report(pass.Finding{
						At: z.Node, Frame: z.Frame, Evidence: domain.Derived,
						Related: []pass.Related{{Source: p.In(s.Frame), Node: s.Node, Message: "the step uses the gradients of the last round alone"}},
					})
				}
			}
		}
	}
}

// emptied returns the zero_grad() that throws away what a backward pass computed in all rounds of a loop but the last one;
// nil where the passes add up.
func emptied(p *pass.Pass, r *roles.Rounds, b *roles.Event, h *roles.Holder) *roles.Event {
	if !r.Is(b, roles.Computes) {
		return nil
	}
	loop, ok := r.MicroBatches(b.Place, h)
	if !ok {
		return nil
	}
	next := r.Next(b, h, roles.Zeroes, roles.Steps, roles.Touches)
	i := slices.IndexFunc(next, func(e *roles.Event) bool {
		return r.Surely(e, h, roles.Zeroes) && p.Roles.Inside(loop, e.Place) && !roles.IsEveryNth(r.Of(e).Call)
	})
	if i < 0 || !slices.ContainsFunc(next, func(e *roles.Event) bool { return r.Surely(e, h, roles.Steps) }) || slices.ContainsFunc(next, func(e *roles.Event) bool { return r.Is(e, roles.Touches) }) {
		return nil
	}
	// What reads gradients in the round wants them as they are: those of each sample, for a Fisher matrix.
	if slices.ContainsFunc(r.Next(b, h, roles.Zeroes, roles.Looks), func(e *roles.Event) bool { return r.Is(e, roles.Looks) && p.Roles.Inside(loop, e.Place) }) {
		return nil
	}
	// Another optimizer steps in each round with the gradients of this backward pass: then they are of one batch, and this network
	// moves less often.
	uses := b.After(func(e *roles.Event) bool {
		return r.Is(e, roles.Zeroes) || r.Is(e, roles.Steps) || r.Is(e, roles.Computes)
	})
	if roles.Every(uses, func(e *roles.Event) bool { return r.Is(e, roles.Steps) && p.Roles.Inside(loop, e.Place) }) {
		return nil
	}
	// In each round the gradients are set to zero, computed, and nothing else.
	z := next[i]
	if !roles.Every(r.Next(z, h, roles.Zeroes, roles.Steps, roles.Touches, roles.Computes), func(e *roles.Event) bool { return e.Place == b.Place }) {
		return nil
	}
	return z
}
