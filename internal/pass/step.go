package pass

import "github.com/rlvet/rlvet/internal/rl/infer"

// Unshaped are operations that change neither numbers nor shape.
var unshaped = []string{
	"detach", "clone", "to", "float", "double", "half", "cpu", "cuda", "contiguous", "astype", "numpy", "from_numpy",
	"tensor", "as_tensor", "asarray", "array", "Variable",
}

// Returned looks at what the call that computed s returned; no value where s is
// no call that was followed.
func (s Seen) Returned() Seen {
	if s.Val == nil || s.Op != infer.OpCall {
		return Seen{p: s.p}
	}
	from := infer.Through(s.Val)
	if from == nil {
		return Seen{p: s.p}
	}
	return s.enter(from)
}

// SameShape follows a value back through what changes neither its numbers nor its
// shape: Strip without transposes, views and indexing.
func (s Seen) SameShape() Seen {
	for range maxSteps {
		next := Seen{}
		switch {
		case s.Val == nil || len(s.In) == 0 || s.In[0] == nil:
			return s
		case s.Op == infer.OpCall:
			next = s.Returned()
		case s.Op == infer.OpNarrow, s.Fn != nil && s.IsOp(unshaped...):
			next = s.Input(0)
		}
		if next.Val == nil {
			return s
		}
		s = next
	}
	return s
}
