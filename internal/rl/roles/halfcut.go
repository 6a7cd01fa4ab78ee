package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Results that lost their gradient on one branch
//
// A function that says how likely actions are, and how undecided the policy is, may do so by other means for another kind of
// policy. What it returns is the same quantity then, and whoever asks takes it into the objective. So a gradient on
// one of the branches says that there should be one on the other, also where the objective is another module's.

// HalfCut is a result that was copied without its graph on one branch, and carries a gradient on the other.
type HalfCut struct {
	Severed
	// Kept is the same result on the other branch.
	Kept *infer.Val
}

// objectives are the quantities that have a gradient for the sake of an objective.
const objectives = domain.LogProb | domain.LogRatio | domain.Ratio | domain.Entropy | domain.KL

// HalfCuts returns the results that were copied without their graph on one branch only.
func (m *Model) HalfCuts() []HalfCut {
	var out []HalfCut
	for v := range m.g.Each {
		s := m.g.See(v)
		if !s.IsCopy() || s.NoGrad || !query.Dead(s) {
			continue
		}
		c, ok := m.copied(s)
		if !ok {
			continue
		}
		if kept := m.keptBeside(v); kept != nil {
			out = append(out, HalfCut{c, kept})
		}
	}
	return out
}

// copied reads s as a copy of a part of an objective.
func (m *Model) copied(s query.Seen) (Severed, bool) {
	for _, x := range s.Flows() {
		if c, ok := cutting(s, x); ok && c.By == CutByCopy && c.From.Is(objectives) {
			return c, true
		}
	}
	return Severed{}, false
}

// keptBeside is what the result that v becomes is on another branch, where it carries a gradient; nil where nobody is handed the result, or
// where the branch is chosen for what the caller wants, or for whether anything is trained.
func (m *Model) keptBeside(v *infer.Val) *infer.Val {
	join, way := m.joined(v)
	if join == nil || join.Frame == nil || join.Frame.Result == nil || !infer.Reaches(join, join.Frame.Result, 100) {
		return nil
	}
	i := slices.IndexFunc(join.In, func(x *infer.Val) bool {
		if x == nil || x == way || x.Q.Grad != domain.Attached || !x.Is(objectives) || x.Q.Kind != way.Q.Kind || infer.Reaches(x, way, 200) {
			return false
		}
		cond := query.Parts(way, x)
		return cond != nil && !isOfCaller(cond, join.Frame)
	})
	if i < 0 {
		return nil
	}
	return join.In[i]
}

// joined is where v meets what takes its place on another branch, as it is or reduced, and what it is there.
func (m *Model) joined(v *infer.Val) (join, way *infer.Val) {
	for range 4 {
		uses := m.g.UsesOf(v)
		if i := slices.IndexFunc(uses, func(u *infer.Val) bool { return u.Op == infer.OpPhi }); i >= 0 {
			return uses[i], v
		}
		i := slices.IndexFunc(uses, func(u *infer.Val) bool { return u.IsOp("mean", "sum", "squeeze", "unsqueeze", "view", "to") })
		if i < 0 {
			return nil, nil
		}
		v = uses[i]
	}
	return nil, nil
}

// isOfCaller reports whether a condition asks for an argument of the function around, or whether something is trained.
func isOfCaller(cond *infer.Val, f *infer.Frame) bool {
	found := false
	infer.Walk(cond, 60, func(v *infer.Val) bool {
		isArg := slices.Contains(f.Params, v) && !isInstance(v)
		found = found || isArg || strings.HasSuffix(v.Op, ".training") || v.IsOp("is_grad_enabled", "requires_grad")
		return !found
	})
	return found
}
