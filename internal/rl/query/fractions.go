package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Fractions that rows of integers cut off
//
// An array of integers takes any number that is written into it, and drops what stands behind the point. No cast is to be
// seen: the type was chosen where the array was made, and the number comes from another module.

// wholeTypes are the types that hold no fraction, but truth values: those are no place for a number, and nobody takes them for one.
var wholeTypes = Words(`int int8 int16 int32 int64 uint8 uint16 uint32 uint64 int_ intc intp long short byte LongTensor IntTensor ShortTensor CharTensor
	ByteTensor integer`)

// floatTypes are the types that hold one.
var floatTypes = Words("float float16 float32 float64 half double single bfloat16 float_ complex64 HalfTensor FloatTensor DoubleTensor Tensor")

// casts are the methods that yield their receiver in the type that they are named after.
var casts = Words("long int short byte char float half double bfloat16")

// TypeOfRows is the name of the type that the elements of an array have, "" where that is not known: the last cast on the way back to where
// it was made, or what it was made with.
func (s Seen) TypeOfRows() string { return s.typeOfRows(6) }

func (s Seen) typeOfRows(depth int) string {
	if !s.Known() || s.Ref != nil || depth == 0 {
		return ""
	}
	for range maxSteps {
		if name := dtypeOf(s); name != "" {
			return name
		}
		call, _ := s.Node.(*ast.Call)
		switch {
		case s.Op == infer.OpPhi:
			name := ""
			for i := range s.In {
				x := s.Input(i)
				for x.Known() && x.Op == infer.OpStore {
					x = x.Input(0)
				}
				of := x.typeOfRows(depth - 1)
				if of == "" || name != "" && of != name {
					return ""
				}
				name = of
			}
			return name
		case call != nil && (wholeTypes[CalleeName(call)] || floatTypes[CalleeName(call)]) && !casts[CalleeName(call)]:
			return CalleeName(call) // torch.LongTensor(n, 2)
		case s.Fn != nil && len(s.In) > 0 && call != nil && casts[CalleeName(call)]:
			return CalleeName(call)
		case s.Fn != nil && s.IsOp("full") && call != nil && len(call.Args) > 1 && !slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == "dtype" || k.Name == "" }):
			if n, ok := call.Args[1].(*ast.Number); ok && strings.Trim(n.Text, "0123456789_") == "" {
				return "int64"
			}
			return ""
		case s.Op == infer.OpStore, s.Op == infer.OpNarrow:
			s = s.Input(0)
		default:
			next := s.through()
			if !next.Known() || next.Val == s.Val {
				return ""
			}
			s = next
		}
		if !s.Known() || s.Ref != nil {
			return ""
		}
	}
	return ""
}

// HoldsWhole reports whether an array holds integers alone.
func (s Seen) HoldsWhole() bool { return wholeTypes[s.TypeOfRows()] }

// fractional are operations whose result is hardly ever an integer: what bounds a number, densities, means, and draws of a continuum.
var fractional = []string{
	"tanh", "sigmoid", "softmax", "log_softmax", "logsigmoid", "rand", "randn", "rand_like", "randn_like", "uniform", "standard_normal", "rsample", "log_prob", "entropy",
}

// fractionKinds are quantities that are no integers.
const fractionKinds = domain.LogProb | domain.Prob | domain.StateValue | domain.QValue | domain.Raw | domain.Logits | domain.Std | domain.Ratio

// IsFractional reports whether a value has digits behind the point, on some way that led to it and on no other that is
// known is it an integer: nothing rounds it, and nothing makes it so large that they do not matter.
func (s Seen) IsFractional() bool {
	if !s.Known() {
		return false
	}
	yes, known := s.fraction(8)
	return yes && known
}

// fraction reports whether a value has digits behind the point, and whether that is known.
func (s Seen) fraction(depth int) (yes, known bool) {
	for range maxSteps {
		if !s.Known() || depth == 0 {
			return false, false
		}
		if parts := s.ways(); len(parts) != 1 || parts[0].Val != s.Val {
			found := false
			for _, x := range parts {
				yes, known := x.fraction(depth - 1)
				if known && !yes {
					return false, true
				}
				found = found || yes
			}
			return found, found
		}
		if s.Const != nil {
			x, ok := s.Float()
			return ok && x != float64(int64(x)), ok
		}
		name := CalleeName(s.Node)
		if of := dtypeOf(s); wholeTypes[of] || of == "bool" || wholeTypes[name] {
			return false, true
		}
		switch {
		case s.IsOp("argmax", "argmin", "multinomial", "randint", "randrange", "integers", "round", "floor", "ceil", "rint", "trunc", "sign", "len"):
			return false, true
		case s.Fn != nil && s.IsOp("sample", "normal") && s.drawsContinuum():
			return true, true
		case s.Fn != nil && s.IsOp(fractional...):
			return true, true
		case s.Fn != nil && s.IsOp("div") && len(s.In) > 1:
			if by, ok := s.Input(1).Float(); ok && isDivision(s.Node) && by > 1 {
				return true, true
			}
			return false, false
		case s.Fn != nil && s.IsOp("clamp", "clip", "neg", "add", "sub", "abs") && len(s.In) > 0:
			s = s.Input(s.summand())
		case s.Fn != nil && s.IsOp("mul"):
			of, by, ok := s.timesNumber()
			if !ok || by > 2 || by < -2 {
				return false, false
			}
			s = of
		case s.Op == infer.OpItem && len(s.In) > 0 && s.In[0] != nil && s.In[0].Ref == nil:
			s = s.Input(0)
		default:
			next := s.through()
			if !next.Known() || next.Val == s.Val {
				k := s.Q.Kind
				return k.Known() && k&^fractionKinds == 0 && s.Q.Evidence <= domain.Derived, k.Known() && k&^fractionKinds == 0
			}
			s = next
		}
	}
	return false, false
}

// ways are what a value may be, by call and by branch; None is no number.
func (s Seen) ways() (out []Seen) {
	if s.Op != infer.OpPhi {
		return s.Callers()
	}
	for i, x := range s.In {
		if x != nil && !x.IsNone() && x != s.Val {
			out = append(out, s.Input(i))
		}
	}
	return out
}

// summand is the input of a sum, or of what bounds a value, that is no number.
func (s Seen) summand() int {
	if s.IsOp("add", "sub") && len(s.In) > 1 && s.In[0] != nil && s.In[0].Const != nil {
		return 1
	}
	return 0
}

// isDivision reports whether a value is written as x / y: x // y has no fraction.
func isDivision(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinOp:
		return n.Op == ast.Div
	case *ast.AugAssign:
		return n.Op == ast.Div
	}
	return false
}

// continua are the distributions of numbers that are hardly ever integers.
var continua = Words("Normal MultivariateNormal LowRankMultivariateNormal Beta Uniform LogNormal Laplace Cauchy TransformedDistribution TanhNormal Dirichlet Gamma")

// drawsContinuum reports whether a value is drawn of a distribution over a continuum, or of numpy's normal one.
func (s Seen) drawsContinuum() bool {
	if s.IsOp("normal") {
		return true
	}
	if !s.Input(0).Known() {
		return false
	}
	for _, of := range s.Input(0).Strip().ways() {
		x := of.Strip()
		if !x.Known() {
			return false
		}
		name := infer.BaseOp(x.Op)
		if o, ok := x.Ref.(*infer.LibObject); ok {
			name = infer.BaseOp(o.Name)
		}
		if name == "Independent" {
			name = CalleeName(x.Input(0).Strip().Node)
		}
		if !continua[name] {
			return false
		}
	}
	return true
}
