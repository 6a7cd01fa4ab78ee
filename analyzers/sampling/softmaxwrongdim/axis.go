package softmaxwrongdim

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// keeps reports whether v has the axes of its first input.
func keeps(v *infer.Val) bool {
	return v.Op == infer.OpNarrow || v.Op == infer.OpCall && v.In[0].Frame != nil || v.Op == infer.OpItem || v.Op == infer.OpIterate ||
		v.IsOp("detach", "clone", "contiguous", "to", "float", "double", "cpu", "cuda", "clamp", "type_as", "div", "mul")
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
		case len(v.In) == 0 || v.In[0] == nil || !keeps(v):
			return false
		}
		v = v.In[0]
	}
	return false
}

// before reports whether of two different axes of a softmax, its own stands before the
// one of its use.
func before(s query.Softmax, dim int) bool {
	if shape := s.In[0].Q.Shape; shape.Known() {
		rank := int(shape.Rank)
		return (dim+rank)%rank < (s.Axis+rank)%rank
	}
	return dim == 0 || dim > 0 && s.Axis < 0 || (dim < 0) == (s.Axis < 0) && dim < s.Axis
}

// elsewhere reports whether a softmax is surely over another axis than the one of its use, and
// over which.
func elsewhere(s query.Softmax) (dim int, wrong bool) {
	shape, axis := s.In[0].Q.Shape, s.Axis
	rank := int(shape.Rank)
	d, ok := s.Arg("dim").Int()
	switch {
	case ok:
		dim = int(d)
	case s.Arg("dim") != nil && !s.Arg("dim").IsNone() || !shape.Known():
		return 0, false
	case rank == 3 || rank <= 1:
		dim = 0 // torch's choice without an argument
	default:
		dim = 1
	}
	switch {
	case shape.Known():
		return dim, rank > 1 && (dim+rank)%rank != (axis+rank)%rank
	case (dim >= 0) == (axis >= 0):
		return dim, dim != axis
	}
	return dim, s.Least+min(dim, axis) > max(dim, axis) // there are so many axes that the one cannot be the other
}

// overFirst reports whether a softmax is over the first axis, as it is written, of what is no vector as far
// as one knows: where its result is then read along the last axis, as it is written, one of both is wrong.
// Who has a vector writes the same number twice.
func overFirst(s query.Softmax) bool {
	d, ok := s.Arg("dim").Int()
	return ok && d == 0 && s.Axis == -1 && s.In[0].Q.Shape.Rank != 1
}

// bracketed returns which axis of the first tensor stands in brackets in a pattern such as "b n [v], b n -> b n",
// and how many axes there are.
func bracketed(pattern *infer.Val) (axis, rank int, ok bool) {
	text, ok := pattern.Str()
	first, _, more := strings.Cut(text, ",")
	names := strings.Fields(first)
	axis = slices.IndexFunc(names, func(s string) bool { return strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") })
	return axis, len(names), ok && more && axis >= 0 && !strings.ContainsAny(first, "(.")
}

func rankOf(v *infer.Val) int {
	if v == nil {
		return 0
	}
	return v.Q.Shape.MinRank()
}
