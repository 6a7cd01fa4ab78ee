package query

import (
	"math"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Singular is an operation with an input at which its slope is infinite or not a number.
type Singular struct {
	Op  *infer.Val // the operation
	Arg *infer.Val // what may be at the singular point
	// Below says that all negative arguments are as bad as 0, as for a square root.
	Below bool
}

// SingularOf reads v as an operation with a singular point at 0 through which gradients
// may flow. A quotient has one also where only its numerator carries gradients: the slope is
// one over the denominator.
func SingularOf(v *infer.Val) (Singular, bool) {
	if v == nil || len(v.In) == 0 || v.In[0] == nil || v.Q.Grad == domain.Detached || v.NoGrad {
		return Singular{}, false
	}
	switch {
	case v.IsOp("sqrt", "rsqrt"):
		return Singular{v, v.In[0], true}, true
	case v.IsOp("log", "log2", "log10", "reciprocal"):
		return Singular{v, v.In[0], false}, true
	case v.IsOp("div") && len(v.In) > 1 && v.In[1] != nil:
		_, constant := v.In[1].Float()
		return Singular{v, v.In[1], false}, !constant
	case v.IsOp("pow") && len(v.In) > 1:
		exponent, ok := v.In[1].Float()
		whole := exponent == math.Trunc(exponent)
		return Singular{v, v.In[0], !whole}, ok && exponent < 1 && exponent != 0
	}
	return Singular{}, false
}

// elementwise are the operations of which each element depends on the elements at its
// place only, so that a gradient of 0 stays one on the way back.
var elementwise = []string{
	"add", "sub", "mul", "div", "neg", "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "rsqrt", "square", "pow", "abs", "tanh", "sigmoid", "relu",
	"softplus", "clamp", "clamp_min", "clamp_max", "minimum", "maximum", "reciprocal", "sin", "cos",
}

// IsElementwise reports whether each element of v depends only on the elements at its place,
// so that a gradient of 0 stays 0 on the way back.
func IsElementwise(v *infer.Val) bool { return v.IsOp(elementwise...) }
