package query

import "github.com/rlvet/rlvet/internal/rl/infer"

// # Axes that one of two operations adds
//
// A loss of r[:, None] and v has a sense if v is a column and r a vector; r - v has one if they are alike. Whatever their
// shapes are, a function that does both pairs each row with each in one of them.

// AxisElsewhere is a difference of two values, of which a loss function in the same body takes one with a new axis.
type AxisElsewhere struct {
	At   *infer.Val // the difference
	Bare *infer.Val // the operand that gets the axis elsewhere
	Same *infer.Val // the other one
	Loss *infer.Val // where the axis is added
}

// AxesElsewhere are those of the module.
func (g *Graph) AxesElsewhere() []AxisElsewhere {
	var out []AxisElsewhere
	losses := g.Made(lossOps...)
	if len(losses) == 0 {
		return nil
	}
	for _, v := range g.Made("sub") {
		if len(v.In) < 2 || v.Frame == nil || v.Frame.Stale() || isScalar(v.In[0]) || isScalar(v.In[1]) {
			continue
		}
		for _, loss := range losses {
			if bare := axisIn(loss, v); bare != nil && loss.Frame == v.Frame {
				out = append(out, AxisElsewhere{At: v, Bare: bare, Same: otherThan(v, bare), Loss: loss})
				break
			}
		}
	}
	return out
}

// axisIn is the operand of a difference that a loss takes with a new axis, beside the other operand as it is.
func axisIn(loss, diff *infer.Val) *infer.Val {
	if len(loss.In) < 2 {
		return nil
	}
	for i, wide := range loss.In[:2] {
		if wide == nil || len(wide.In) == 0 || !addsAxis(wide) || wide.IsOp("reshape", "view") {
			continue
		}
		for j, bare := range diff.In[:2] {
			if bare != nil && wide.In[0] == bare && loss.In[1-i] != nil && loss.In[1-i] == diff.In[1-j] {
				return bare
			}
		}
	}
	return nil
}
