package softmaxwrongdim

import (
	"strings"

	"github.com/rlvet/rlvet/internal/rl/infer"
)

// keeps reports whether v has the axis of its first input, which is counted from
// the end where negative.
func keeps(v *infer.Val, axis int) bool {
	switch {
	case v.Op == infer.OpNarrow, v.Op == infer.OpCall && v.In[0].Frame != nil,
		v.IsOp("detach", "clone", "contiguous", "to", "float", "double", "cpu", "cuda", "numpy", "log", "exp", "clamp", "squeeze_", "type_as", "astype"):
		return true
	case v.Op == infer.OpIterate, v.Op == infer.OpItem && len(v.In) > 1 && v.In[1] != nil && v.In[1].Const != nil:
		return axis == -1 && v.In[0].Q.Shape.Rank != 1
	}
	return false
}

// before reports whether of two different axes of a softmax, its own stands before the
// other one.
func before(v *infer.Val, dim, axis int) bool {
	if shape := v.In[0].Q.Shape; shape.Known() {
		rank := int(shape.Rank)
		return (dim+rank)%rank < (axis+rank)%rank
	}
	return dim == 0 || dim > 0 && axis < 0 || (dim < 0) == (axis < 0) && dim < axis
}

// leastRank is the number of axes that the input of a softmax has at least: as many as the
// index has that a gather takes.
func leastRank(draw, v *infer.Val) int {
	least := v.In[0].Q.Shape.MinRank()
	if index := draw.Arg("index"); index != nil && draw.IsOp("gather") {
		least = max(least, index.Q.Shape.MinRank())
	}
	return least
}

// isScores reports whether v is what a linear layer or a language model yields, not
// rearranged: the scores of one decision lie along its last axis.
func isScores(v *infer.Val) bool {
	for range 16 {
		switch {
		case v == nil:
			return false
		case v.IsOp("logits"), strings.HasSuffix(v.Op, "Linear.__call__"):
			return true
		case len(v.In) == 0 || !keeps(v, 1) && !v.IsOp("div", "mul") && v.Op != infer.OpItem:
			return false
		}
		v = v.In[0]
	}
	return false
}

// elsewhere reports whether a softmax is surely over another axis than the given
// one, and over which. least is the number of axes that its input has at least.
func elsewhere(v *infer.Val, axis, least int) (dim int, wrong bool) {
	shape := v.In[0].Q.Shape
	rank := int(shape.Rank)
	d, ok := v.Arg("dim").Int()
	switch {
	case v.Fn == nil: // of an unknown library, whose parameters are unknown
		return 0, false
	case ok:
		dim = int(d)
	case v.Arg("dim") != nil && !v.Arg("dim").IsNone() || !shape.Known():
		return 0, false
	case rank == 3 || rank <= 1:
		dim = 0 // torch's choice without an argument
	default:
		dim = 1
	}
	if !shape.Known() && dim >= 0 && axis < 0 {
		return dim, least+axis > dim // the axis stands behind it, however many there are
	}
	if shape.Known() {
		return dim, rank > 1 && (dim+rank)%rank != (axis+rank)%rank
	}
	return dim, dim < 0 && axis < 0 && dim != axis || dim >= 0 && axis >= 0 && dim != axis
}
