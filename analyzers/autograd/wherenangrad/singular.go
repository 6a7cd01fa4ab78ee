package wherenangrad

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// singularsIn returns the singular operations whose gradient is scaled by that of v at the
// same place: those that v depends on through elementwise operations only.
func singularsIn(v *infer.Val) []query.Singular {
	var out []query.Singular
	infer.Walk(v, 60, func(x *infer.Val) bool {
		if s, ok := query.SingularOf(x); ok {
			out = append(out, s)
		}
		return x.Q.Grad != domain.Detached && (query.IsElementwise(x) || query.Whole(x) != x)
	})
	return out
}

// zeroRoot follows a value back through operations that are 0 exactly where their input is:
// signs, powers, roots, and constant factors.
func zeroRoot(v *infer.Val) *infer.Val {
	for range 64 {
		v = query.Whole(v)
		switch {
		case v == nil || len(v.In) == 0 || v.In[0] == nil:
			return v
		case v.IsOp("neg", "abs", "square", "sqrt"), v.IsOp("pow", "mul", "div") && len(v.In) > 1 && isConstant(v.In[1]):
			v = v.In[0]
		case v.IsOp("mul") && len(v.In) > 1 && isConstant(v.In[0]):
			v = v.In[1]
		default:
			return v
		}
	}
	return v
}

// isConstant reports whether v is a number above 0.
func isConstant(v *infer.Val) bool {
	x, ok := v.Float()
	return ok && x > 0
}
