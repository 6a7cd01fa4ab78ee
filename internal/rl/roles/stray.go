package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/query"
)

// Stray is a backward pass of an actor's loss that goes through a critic, where the critic's optimizer steps with what it
// left there beside the gradients of the critic's own loss.
type Stray struct {
	Judged
	Backward, Step *Event
}

// Strays returns those of an order.
func (r *Rounds) Strays(order int) (out []Stray) {
	for _, b := range r.Orders[order].Events {
		at := r.at[b.Place]
		if !r.Is(b, Computes) || at == nil || at.Call == nil || query.HasKeyword(at.Call, "inputs") {
			continue
		}
		for _, l := range r.m.Losses() {
			if l.Backward.Val == nil || l.Backward.Val != at.Call {
				continue
			}
			if s, ok := r.stray(order, b, l); ok {
				out = append(out, s)
				break
			}
		}
	}
	return out
}

func (r *Rounds) stray(order int, b *Event, l Loss) (Stray, bool) {
	for _, actors := range r.m.Optimizers {
		if !actors.Complete || len(r.stepsWith(b, actors)) == 0 {
			continue
		}
		for _, j := range r.m.judgedFor(l, actors.Networks) {
			if j.Critic.Frozen || j.Critic.Switched {
				continue
			}
			for _, o := range r.m.Optimizers {
				if !o.Complete || !r.m.OverlapsAny(j.Critic, o.Networks) || r.m.Overlap(o.Networks, actors.Networks) {
					continue
				}
				for _, step := range r.stepsWith(b, o) {
					if r.hasOwn(order, b, step, j, o) {
						return Stray{Judged: j, Backward: b, Step: step}, true
					}
				}
			}
		}
	}
	return Stray{}, false
}

// stepsWith are the steps of an optimizer with what a backward pass left; none where a way on may set it to zero before.
func (r *Rounds) stepsWith(b *Event, o *Optimizer) []*Event {
	h := r.holderOf(o)
	next := slices.DeleteFunc(r.Next(b, h, Zeroes, Touches, Steps, Builds), func(e *Event) bool { return !e.Known() })
	if !Every(next, func(e *Event) bool { return r.Surely(e, h, Steps) }) {
		return nil
	}
	return next
}

// hasOwn reports whether a step of the critic's optimizer also uses another loss, which no actor's action is judged in: two networks that
// minimise one loss together have none.
func (r *Rounds) hasOwn(order int, b, step *Event, j Judged, o *Optimizer) bool {
	return slices.ContainsFunc(r.Orders[order].Events, func(e *Event) bool {
		return r.Is(e, Computes) && e.Node != b.Node && r.at[e.Place] != nil && r.at[e.Place].Loss != nil && slices.Contains(r.stepsWith(e, o), step) &&
			r.m.OverlapsAny(j.Critic, r.m.Reached(r.at[e.Place].Loss)) && !r.m.OverlapsAny(j.Actor, r.m.Reached(r.at[e.Place].Loss))
	})
}
