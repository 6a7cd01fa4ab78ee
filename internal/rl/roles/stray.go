package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/query"
)

// Stray is a backward pass of an actor's loss that goes through a critic, where the critic's optimizer steps with what it
// left there. A joint loss of two networks is none: an actor's is linear in what the critic says, and would raise it without bound.
type Stray struct {
	Judged
	Backward, Step *Event
}

// Strays returns those of an order.
func (r *Rounds) Strays(order int) (out []Stray) {
	for _, b := range r.Orders[order].Events {
		if !r.Is(b, Computes) || query.HasKeyword(r.at[b.Place].Call, "inputs") {
			continue
		}
		for _, l := range r.m.Losses() {
			if l.Backward.Val == nil || l.Backward.Val != r.at[b.Place].Call {
				continue
			}
			if s, ok := r.stray(b, l); ok {
				out = append(out, s)
				break
			}
		}
	}
	return out
}

func (r *Rounds) stray(b *Event, l Loss) (Stray, bool) {
	for _, actors := range r.m.Optimizers {
		if !actors.Complete {
			continue
		}
		for _, j := range r.m.judgedFor(l, actors.Networks) {
			if j.Critic.Frozen || j.Critic.Switched {
				continue
			}
			for _, o := range r.m.Optimizers {
				if !o.Complete || !r.m.Overlap(o.Networks, []*Network{j.Critic}) || r.m.Overlap(o.Networks, actors.Networks) {
					continue
				}
				h := r.holderOf(o)
				next := slices.DeleteFunc(r.Next(b, h, Zeroes, Touches, Steps, Builds), func(e *Event) bool { return !e.Known() })
				if Every(next, func(e *Event) bool { return r.Surely(e, h, Steps) }) {
					return Stray{Judged: j, Backward: b, Step: next[0]}, true
				}
			}
		}
	}
	return Stray{}, false
}
