package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Weights with an axis too many
//
// One advantage a sequence gets an axis, (B, 1), to weigh the tokens (B, T). An advantage that has one number a token, (B, T), becomes
// (B, 1, T) by that, and each token of a batch is weighed with the tokens of all its sequences: (B, B, T). That it has one a token
// the program says where it cuts it like the log-probabilities, along the same axis.

// ExtraAxis is a product of log-probabilities, or of ratios, with weights that have an axis too many.
type ExtraAxis struct {
	At     *infer.Val
	Score  *infer.Val // log-probability or ratio, one a token
	Weight *infer.Val // the weight with the new axis
	Cut    *infer.Val // where it is cut along the axis of tokens
}

// ExtraAxes are those of the module.
func (g *Graph) ExtraAxes() []ExtraAxis {
	var out []ExtraAxis
	for _, v := range g.Made("mul") {
		if len(v.In) < 2 || v.Frame == nil || v.Frame.Stale() {
			continue
		}
		for i, y := range v.In[:2] {
			score := v.In[1-i]
			if y == nil || !y.IsOp("unsqueeze") || len(y.In) == 0 || !score.Is(domain.LogProb|domain.LogRatio|domain.Ratio) {
				continue
			}
			d, ok := y.Arg("dim").Int()
			cut := y.In[0]
			if index := tokenSlice(cut); ok && (d == 1 || d == -2) && index != nil && cutAlike(score, index) {
				out = append(out, ExtraAxis{At: v, Score: score, Weight: y, Cut: cut})
			}
		}
	}
	return out
}

// tokenSlice is the slice by which v was cut along its second axis, x[:, 1:]; nil for anything else.
func tokenSlice(v *infer.Val) *ast.Slice {
	if v == nil || v.Op != infer.OpItem {
		return nil
	}
	index := axesIndexed(v)
	if len(index) != 2 || !isWhole(index[0]) {
		return nil
	}
	cut, ok := index[1].(*ast.Slice)
	if !ok || cut.Step != nil || cut.Low == nil && cut.High == nil {
		return nil
	}
	return cut
}

// axesIndexed are the indices of x[i, j] as they are written, one for each axis; none where v was not indexed so.
func axesIndexed(v *infer.Val) []ast.Expr {
	if at, ok := v.Node.(*ast.Subscript); ok {
		if index, ok := at.Index.(*ast.Tuple); ok {
			return index.Elts
		}
	}
	return nil
}

// isWhole reports whether an index is `:`.
func isWhole(e ast.Expr) bool {
	s, ok := e.(*ast.Slice)
	return ok && s.Low == nil && s.High == nil && s.Step == nil
}

// cutAlike reports whether what a score was computed of, number by number, was cut by the same slice.
func cutAlike(score *infer.Val, cut *ast.Slice) bool {
	found := false
	infer.Walk(score, 60, func(x *infer.Val) bool {
		other := tokenSlice(x)
		found = found || other != nil && sameBound(other.Low, cut.Low) && sameBound(other.High, cut.High)
		return !found && (IsElementwise(x) || infer.Through(x) != nil || x.Op == infer.OpNarrow || x.IsOp("add", "sub", "mul", "div"))
	})
	return found
}

// sameBound reports whether two bounds of slices are both left out, or one number or variable.
func sameBound(a, b ast.Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	x, ok := a.(*ast.Number)
	y, also := b.(*ast.Number)
	if ok && also {
		return x.Text == y.Text
	}
	return Path(a) != "" && Path(a) == Path(b)
}
