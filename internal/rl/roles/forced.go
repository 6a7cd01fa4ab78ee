package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Forced returns the losses that were made leaves, so that backward() would not fail:
// At is where. Whole says that a loss is known to have had no gradient of its own;
// where that is not known, the assignment does that or nothing.
func (m *Model) Forced() []Severed {
	var out []Severed
	for _, l := range m.Losses() {
		switch at := forced(l.Value); {
		case !at.Known():
		case query.Dead(l.Value) && m.computed(at):
			out = append(out, Severed{Loss: l, Term: l.Value, At: at, Whole: true})
		case hidesUnknown(at):
			out = append(out, Severed{Loss: l, Term: l.Value, At: at})
		}
	}
	return out
}

// forced follows a loss back to where it was made a leaf.
func forced(s query.Seen) query.Seen {
	for range 64 {
		switch {
		case !s.Known():
			return query.Seen{}
		case s.IsOp(infer.OpRequiresGrad) && len(s.In) > 0 && !s.Is(domain.Module) && s.Q.Grad == domain.Attached, s.IsCopy() && s.Q.Grad == domain.Attached:
			return s
		case s.Op == infer.OpCall, s.IsOp("mean", "sum", "neg", infer.OpNarrow):
			if in := s.Flows(); len(in) == 1 {
				s = in[0]
				continue
			}
		}
		return query.Seen{}
	}
	return query.Seen{}
}

// hidesUnknown reports whether s made a leaf of a value of which it is not known whether it
// had a gradient.
func hidesUnknown(s query.Seen) bool {
	of := s.Input(0)
	return of.Known() && of.Q.Grad == domain.GradUnknown && !s.IsCopy()
}

// computed reports whether what was made a leaf was computed by a network and cut off
// before: a number that somebody wrote, to try autograd, is none. What the making itself
// cuts off is told as that.
func (m *Model) computed(at query.Seen) bool {
	if at.IsCopy() && slices.ContainsFunc(at.Flows(), func(x query.Seen) bool { _, ok := cutting(at, x); return ok }) {
		return false
	}
	return len(m.cuts(at)) > 0
}
