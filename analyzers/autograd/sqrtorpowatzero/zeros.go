package sqrtorpowatzero

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// zeroIn says why some elements of v are exactly 0 and pass on a gradient of 0, so that the
// product with an infinite one is NaN; "" if that is not known.
func zeroIn(p *pass.Pass, v *infer.Val, depth int) string {
	v = query.Whole(v)
	switch {
	case v == nil || depth == 0 || len(v.In) == 0 || v.In[0] == nil || v.Q.Range.NonZero:
		return ""
	case v.IsOp("sum"):
		if why := zeroIn(p, v.In[0], depth-1); why != "" {
			return why
		}
		return paddedRows(v)
	case v.IsOp("square", "pow", "mul") && isSquare(v):
		return zeroBase(p, v.In[0])
	case v.IsOp("mul", "div") && len(v.In) > 1 && isNumber(v.In[1]):
		return zeroIn(p, v.In[0], depth-1)
	case v.IsOp("sub") && saturates(v):
		return "a tanh is exactly 1 for arguments above 9"
	case v.IsOp("softmax", "mul", "div", "masked_fill"):
		if query.ExactZero(v) != nil && v.Is(domain.Prob) {
			return "masked probabilities are exactly 0"
		}
	}
	return ""
}

func isNumber(v *infer.Val) bool {
	x, ok := v.Float()
	return ok && x > 0
}

// isSquare reports whether v is x * x.
func isSquare(v *infer.Val) bool {
	switch {
	case v.IsOp("square"):
		return true
	case len(v.In) < 2:
		return false
	case v.IsOp("pow"):
		exponent, ok := v.In[1].Float()
		return ok && exponent == 2
	}
	return infer.SameSource(v.In[0], v.In[1])
}

// saturates reports whether v is 1 - tanh(x)**2.
func saturates(v *infer.Val) bool {
	one, ok := v.In[0].Float()
	if !ok || one != 1 || len(v.In) < 2 {
		return false
	}
	square := query.Whole(v.In[1])
	return square != nil && len(square.In) > 0 && isSquare(square) && query.Whole(square.In[0]).IsOp("tanh")
}

// zeroBase says why x is 0 everywhere that one element of a sum of its squares covers.
func zeroBase(p *pass.Pass, x *infer.Val) string {
	x = query.Whole(x)
	switch {
	case x == nil || len(x.In) == 0 || x.In[0] == nil:
		return ""
	case x.IsOp("sub") && len(x.In) > 1 && againstItself(x.In[0], x.In[1]):
		return "the distance of each element from itself is 0"
	case x.IsOp("Parameter") && infer.Strip(x.In[0]).IsOp("zeros", "zeros_like", "new_zeros") && !isFilled(p, x):
		return "the parameter starts as zeros"
	}
	return ""
}

// isFilled reports whether the program may write other numbers into a parameter before it learns: in a call that writes in place, as
// nn.init.normal_(self.w), also one of each parameter of a network, or in an assignment to a part of it or to its data.
func isFilled(p *pass.Pass, parameter *infer.Val) bool {
	holds := func(f *infer.Frame, e ast.Expr) bool {
		found := false
		ast.Walk(e, func(n ast.Node) bool {
			if x, ok := n.(ast.Expr); ok && !found {
				v := f.Val(x)
				found = v != nil && (infer.SameSource(v, parameter) || infer.Within(v, 8, func(y *infer.Val) bool { return y.IsOp("parameters", "named_parameters") }))
			}
			return !found
		})
		return found
	}
	for f, call := range p.Calls() {
		// A trailing underscore is how torch says that a function writes in place.
		if name := query.CalleeName(call); !strings.HasSuffix(name, "_") || name == "zero_" || name == "zeros_" || name == "requires_grad_" {
			continue
		}
		if slices.ContainsFunc(append([]ast.Expr{call.Fun}, call.Args...), func(e ast.Expr) bool { return holds(f, e) }) {
			return true
		}
	}
	filled := false
	for f := range p.EachFrame {
		query.Targets(f.Body(), func(target ast.Expr, by ast.Stmt) {
			switch t := target.(type) {
			case *ast.Subscript:
				filled = filled || holds(f, t.X)
			case *ast.Attribute: // not self.w, which names the parameter
				filled = filled || t.Attr == "data" && holds(f, t.X)
			}
		})
	}
	return filled
}

// paddedRows says that masked rows are summed: sum((x * mask[..., None])**2, -1).
func paddedRows(sum *infer.Val) string {
	square := query.Whole(sum.In[0])
	dim, ok := sum.Arg("dim").Int()
	if !ok || dim != -1 || square == nil || len(square.In) == 0 || !square.IsOp("square", "pow", "mul") || !isSquare(square) {
		return ""
	}
	masked := query.Whole(square.In[0])
	if !masked.IsOp("mul") || len(masked.In) < 2 {
		return ""
	}
	for _, m := range masked.In[:2] {
		if m.Is(domain.Mask) && m.Q.Evidence != domain.NameOnly && atEnd(m) {
			return "masked rows are 0"
		}
	}
	return ""
}

// atEnd reports whether a last axis of size one was added to v, so that one value covers a
// whole row.
func atEnd(v *infer.Val) bool {
	if v.IsOp("unsqueeze") && v.Fn != nil {
		dim, ok := v.Arg("dim").Int()
		return ok && dim == -1
	}
	at, ok := v.Node.(*ast.Subscript)
	if !ok || v.Op != infer.OpItem {
		return false
	}
	t, ok := at.Index.(*ast.Tuple)
	return ok && len(t.Elts) > 1 && query.IsNone(t.Elts[len(t.Elts)-1])
}

// againstItself reports whether a - b are the differences of all pairs of one tensor:
// x[:, None] - x[None], of which the diagonal is 0.
func againstItself(a, b *infer.Val) bool {
	x, left := spread(a)
	y, right := spread(b)
	return x != nil && infer.SameSource(x, y) && left != right && left+right != ""
}

// spread takes off what adds an axis to a tensor, and says where the axis was added.
func spread(v *infer.Val) (of *infer.Val, how string) {
	for range 4 {
		if v == nil || len(v.In) == 0 {
			break
		}
		at, _ := v.Node.(*ast.Subscript)
		switch {
		case v.IsOp("unsqueeze") && v.Fn != nil:
			dim, ok := v.Arg("dim").Int()
			if !ok {
				return nil, ""
			}
			how += string(rune('a' + dim))
		case v.Op == infer.OpItem && at != nil && newAxes(at.Index) != "":
			how += newAxes(at.Index)
		case v.IsOp("expand", "expand_as", "repeat", "tile"):
		default:
			return v, how
		}
		v = v.In[0]
	}
	return v, how
}

// newAxes says where an index that takes all elements adds axes, such as ":+" for [:, None];
// "" for any other index.
func newAxes(index ast.Expr) string {
	parts := []ast.Expr{index}
	if t, ok := index.(*ast.Tuple); ok {
		parts = t.Elts
	}
	how := ""
	for _, e := range parts {
		s, isSlice := e.(*ast.Slice)
		c, isConstant := e.(*ast.Constant)
		switch {
		case query.IsNone(e):
			how += "+"
		case isSlice && s.Low == nil && s.High == nil && s.Step == nil:
			how += ":"
		case isConstant && c.Kind == ast.Ellipsis:
			how += "."
		default:
			return ""
		}
	}
	if !strings.Contains(how, "+") {
		return ""
	}
	return how
}
