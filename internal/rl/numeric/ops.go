package numeric

import (
	"math"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

var unary = map[string]func(float64) float64{
	"neg": func(x float64) float64 { return -x }, "exp": math.Exp, "log": math.Log, "sqrt": math.Sqrt,
	"tanh": math.Tanh, "sin": math.Sin, "cos": math.Cos, "log1p": math.Log1p, "expm1": math.Expm1, "erf": math.Erf,
	"exp2": math.Exp2, "log2": math.Log2, "log10": math.Log10, "tan": math.Tan, "atan": math.Atan, "asin": math.Asin, "acos": math.Acos,
	"sinh": math.Sinh, "cosh": math.Cosh, "erfc": math.Erfc, "atanh": math.Atanh, "asinh": math.Asinh,
	"square": func(x float64) float64 { return x * x }, "reciprocal": func(x float64) float64 { return 1 / x },
	"rsqrt":      func(x float64) float64 { return 1 / math.Sqrt(x) },
	"sigmoid":    sigmoid,
	"silu":       func(x float64) float64 { return x * sigmoid(x) },
	"logsigmoid": func(x float64) float64 { return -softplus(-x) },
	"softsign":   func(x float64) float64 { return x / (1 + math.Abs(x)) },
	"zeros_like": func(float64) float64 { return 0 }, "ones_like": func(float64) float64 { return 1 },
	"round": math.RoundToEven, "floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc,
	"invert": func(x float64) float64 { return 1 - x }, "logical_not": func(x float64) float64 { return 1 - x },
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// softplus is log(1 + exp(x)) without overflow.
func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

var binary = map[string]func(x, y float64) float64{
	"add": func(x, y float64) float64 { return x + y }, "sub": func(x, y float64) float64 { return x - y },
	"mul": func(x, y float64) float64 { return x * y }, "div": func(x, y float64) float64 { return x / y },
	"pow": math.Pow, "atan2": math.Atan2, "hypot": math.Hypot,
	"logaddexp": func(x, y float64) float64 { return math.Max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y))) },
	"bitand":    func(x, y float64) float64 { return x * y }, "logical_and": func(x, y float64) float64 { return x * y },
	"bitor": math.Max, "logical_or": math.Max,
}

var comparisons = map[string]func(x, y float64) bool{
	"gt": func(x, y float64) bool { return x > y }, "ge": func(x, y float64) bool { return x >= y },
	"lt": func(x, y float64) bool { return x < y }, "le": func(x, y float64) bool { return x <= y },
}

// activations share one row of the tables, so the program's own spelling tells which is
// meant; each has a kink at 0 or none.
var activations = map[string]func(x float64) float64{
	"gelu": func(x float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 },
	"silu": unary["silu"],
	"mish": func(x float64) float64 { return x * math.Tanh(softplus(x)) },
	"elu":  func(x float64) float64 { return math.Max(x, 0) + math.Min(0, math.Expm1(x)) },
	"leaky_relu": func(x float64) float64 {
		if x < 0 {
			return 0.01 * x
		}
		return x
	},
}

// activation computes one with its defaults, and declines others.
func (e *Env) activation(v *infer.Val, x *Tensor) *Tensor {
	f := activations[spelled(v)]
	if f == nil || given(v) > 1 {
		return nil
	}
	return x.apply(func(x float64) float64 {
		e.near(x, 0)
		return f(x)
	})
}

// spelled returns the name by which the program calls the function of v.
func spelled(v *infer.Val) string {
	call, ok := v.Node.(*ast.Call)
	if !ok {
		return ""
	}
	switch f := call.Fun.(type) {
	case *ast.Attribute:
		return f.Attr
	case *ast.Name:
		return f.Ident
	}
	return ""
}

// given counts the arguments of a call.
func given(v *infer.Val) int {
	n := 0
	for _, x := range v.In {
		if x != nil {
			n++
		}
	}
	return n
}

// normal computes functions that normalise along one dimension.
func normal(v *infer.Val, x *Tensor, op string) *Tensor {
	d, ok := v.Arg("dim").Int()
	if !ok || len(x.Dims) == 0 {
		return nil
	}
	lse := x.logSumExp(int(d), true)
	if lse == nil {
		return nil
	}
	log := zip(x, lse, func(x, l float64) float64 { return x - l })
	switch op {
	case "log_softmax":
		return log
	case "softmax":
		return log.apply(math.Exp)
	}
	keep, known := keepdim(v)
	if !known {
		return nil
	}
	return x.logSumExp(int(d), keep)
}

// keepdim returns the flag of a reduction; known is false where it is no constant.
func keepdim(v *infer.Val) (keep, known bool) {
	k := v.Arg("keepdim")
	if k == nil {
		return false, true
	}
	keep, known = k.Const.(bool)
	return keep, known
}

// logSumExp reduces along one dimension; nil where there is none such.
func (t *Tensor) logSumExp(dim int, keep bool) *Tensor {
	top := math.Inf(-1)
	for _, x := range t.Data {
		top = math.Max(top, x)
	}
	sum := t.apply(func(x float64) float64 { return math.Exp(x - top) }).sumDim(dim, keep)
	if sum == nil {
		return nil
	}
	return sum.apply(func(s float64) float64 { return top + math.Log(s) })
}

// peak is the largest or the smallest along one dimension.
func (e *Env) peak(v *infer.Val, x *Tensor) *Tensor {
	better := map[string]func(x, y float64) float64{"amax": math.Max, "amin": math.Min}[spelled(v)]
	d, ok := v.Arg("dim").Int()
	keep, known := keepdim(v)
	if better == nil || !ok || !known {
		return nil
	}
	return x.reduceDim(int(d), keep, func(so, far float64) float64 {
		e.near(so, far)
		return better(so, far)
	})
}

// oneBound is x.clamp_min(lo) or x.clamp_max(hi).
func (e *Env) oneBound(v *infer.Val, x *Tensor, op string) *Tensor {
	y := e.in(v, 1)
	if y == nil {
		return nil
	}
	return zip(x, y, func(x, y float64) float64 {
		e.near(x, y)
		if op == "clamp_min" {
			return math.Max(x, y)
		}
		return math.Min(x, y)
	})
}

// likeOther is x.view_as(y) or x.expand_as(y).
func likeOther(x, y *Tensor) *Tensor {
	if len(x.Data) == len(y.Data) {
		return &Tensor{Dims: y.Dims, Data: x.Data}
	}
	if dims, ok := broadcast(x.Dims, y.Dims); !ok || len(dims) != len(y.Dims) {
		return nil
	}
	return x.expand(y.Dims)
}

// unsqueeze inserts a dimension of one.
func unsqueeze(v *infer.Val, x *Tensor) *Tensor {
	d, ok := v.Arg("dim").Int()
	if !ok {
		return nil
	}
	if d < 0 {
		d += int64(len(x.Dims)) + 1
	}
	if d < 0 || int(d) > len(x.Dims) {
		return nil
	}
	dims := append(append(append([]int{}, x.Dims[:d]...), 1), x.Dims[d:]...)
	return &Tensor{Dims: dims, Data: x.Data}
}
