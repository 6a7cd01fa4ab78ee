package pass

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Forced returns the losses that were made leaves, so that backward() would not fail:
// At is where. Whole says that a loss is known to have had no gradient of its own;
// where that is not known, the assignment does that or nothing.
func (p *Pass) Forced() []Severed {
	var out []Severed
	for _, l := range p.MinimisedLosses() {
		switch at := l.Value.forced(); {
		case !at.Known():
		case Dead(l.Value) && p.computed(at):
			out = append(out, Severed{Loss: l, Term: l.Value, At: at, Whole: true})
		case at.hidesUnknown():
			out = append(out, Severed{Loss: l, Term: l.Value, At: at})
		}
	}
	return out
}

// forced follows a loss back to where it was made a leaf.
func (s Seen) forced() Seen {
	for range maxSteps {
		switch {
		case !s.Known():
			return Seen{}
		case s.IsOp(infer.OpRequiresGrad) && len(s.In) > 0 && !s.Is(domain.Module) && s.Q.Grad == domain.Attached, s.isCopy() && s.Q.Grad == domain.Attached:
			return s
		case s.Op == infer.OpCall, s.IsOp("mean", "sum", "neg", infer.OpNarrow):
			if in := s.flows(); len(in) == 1 {
				s = in[0]
				continue
			}
		}
		return Seen{}
	}
	return Seen{}
}

// hidesUnknown reports whether s made a leaf of a value of which it is not known whether it
// had a gradient.
func (s Seen) hidesUnknown() bool {
	of := s.Input(0)
	return of.Known() && of.Q.Grad == domain.GradUnknown && !s.isCopy()
}

func (s Seen) isCopy() bool { return s.Fn != nil && slices.Contains(copies, s.Fn.Name) }

// computed reports whether what was made a leaf was computed by a network and cut off
// before: a number that somebody wrote, to try autograd, is none. What the making itself
// cuts off is told as that.
func (p *Pass) computed(at Seen) bool {
	if at.isCopy() && slices.ContainsFunc(at.flows(), func(x Seen) bool { _, ok := at.cutting(x); return ok }) {
		return false
	}
	return len(p.cuts(at)) > 0
}
