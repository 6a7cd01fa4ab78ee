package query

import (
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # What stands first
//
// A text, or an episode, has not ended before its first step, so a mask that is moved by one position holds the first in each row: ones in
// front of what the mask says of the step before, cat([ones, mask[:, :-1]], 1), or a running count of ends less the end itself, which is 0
// there. Whoever divides by the ones of such a mask divides by 1 at least.

// firstAlong returns the number that each row of s begins with along an axis; ok is false where that is not known.
func (s Seen) firstAlong(axis, depth int) (n float64, ok bool) {
	for range maxSteps {
		if !s.Known() || depth == 0 {
			return 0, false
		}
		if s.Op == infer.OpItem || s.Op == infer.OpStore || s.IsOp(moving...) {
			break
		}
		next := s.through()
		if next.Val == nil || next.Val == s.Val {
			break
		}
		s = next
	}
	first := func(i int) (float64, bool) { return s.Input(i).firstAlong(axis, depth-1) }
	switch {
	case s.IsOp("ones", "ones_like", "new_ones"):
		return 1, true
	case s.IsOp("zeros", "zeros_like", "new_zeros"):
		return 0, true
	case s.IsOp("full", "full_like", "new_full"):
		return truthOf(s.Arg("fill_value"))
	case s.IsOp("invert", "logical_not", "not", "bitwise_not"), s.IsOneMinus():
		n, ok := first(len(s.In) - 1)
		return 1 - n, ok && (n == 0 || n == 1)
	case s.IsOp("cat", "concat", "concatenate", "hstack"):
		seq, list := s.Input(0).Referent().(*infer.SeqRef)
		dim, along := s.Arg("dim").Int()
		if !list || len(seq.Elems) == 0 || (!along || !sameAxis(s.Q.Shape, int(dim), axis) && !rows(int(dim), axis)) && !s.IsOp("hstack") {
			return 0, false
		}
		return s.Of(seq.Elems[0]).firstAlong(axis, depth-1)
	case s.IsOp("pad") && s.Fn != nil:
		by, list := infer.RefOf(s.Arg("pad")).(*infer.SeqRef)
		if !list || len(by.Elems) == 0 || !rows(axis, -1) {
			return 0, false
		}
		if left, ok := by.Elems[0].Int(); ok && left > 0 {
			if s.Arg("value") == nil {
				return 0, true
			}
			return truthOf(s.Arg("value"))
		}
		return 0, false
	case s.Op == infer.OpItem && len(s.In) > 1:
		if low, _, along := partAlong(s.In[1], axis); along && (low == nil || low.IsNone() || isZeroConst(low)) {
			return first(0)
		}
	case s.Op == infer.OpStore && len(s.In) > 2:
		switch low, at, along := partAlong(s.In[2], axis); {
		case !along:
		case isZeroConst(at):
			return truthOf(s.In[1])
		case startsBehind(low) || startsBehind(at):
			return first(0)
		}
	case s.IsOp("cumprod", "cumsum", "cummax", "cummin") && len(s.In) > 1:
		if dim, ok := s.Arg("dim").Int(); ok && (sameAxis(s.Q.Shape, int(dim), axis) || rows(int(dim), axis)) {
			return first(0)
		}
	case s.IsOp("sub") && countsEarlier(s):
		if dim, ok := s.Input(0).Strip().Arg("dim").Int(); ok && (sameAxis(s.Q.Shape, int(dim), axis) || rows(int(dim), axis)) {
			return 0, true
		}
	case s.IsOp("eq", "ne", "gt", "ge", "lt", "le") && len(s.In) > 1:
		a, ok1 := first(0)
		b, ok2 := s.Input(1).Float()
		return compared(s, a, b), ok1 && ok2
	case s.IsOp("and", "bitwise_and", "logical_and", "mul") && len(s.In) > 1:
		a, ok1 := first(0)
		b, ok2 := first(1)
		return a * b, ok1 && ok2
	case s.IsOp("or", "bitwise_or", "logical_or") && len(s.In) > 1:
		a, ok1 := first(0)
		b, ok2 := first(1)
		return max(a, b), ok1 && ok2 || ok1 && a == 1 || ok2 && b == 1
	}
	return 0, false
}

// rows reports whether two axes are both that of the positions, in rows of them: a mask has two axes.
func rows(a, b int) bool { return (a == 1 || a == -1) && (b == 1 || b == -1) }

// partAlong is the part that an index takes along an axis: where a slice begins, or the one position at; along is false where that is not
// known.
func partAlong(index *infer.Val, axis int) (low, at *infer.Val, along bool) {
	parts := []*infer.Val{index}
	if seq, ok := infer.RefOf(index).(*infer.SeqRef); ok && !seq.List {
		parts = seq.Elems
	}
	if axis < 0 && len(parts) == 2 {
		axis += 2
	}
	if axis < 0 || axis >= len(parts) || parts[axis] == nil {
		return nil, nil, false
	}
	for i, p := range parts {
		if p == nil || i != axis && !isSlice(p) && !infer.IsEllipsis(p) {
			return nil, nil, false
		}
	}
	if r, ok := parts[axis].Ref.(*infer.SliceRef); ok {
		return r.Low, nil, r.Step == nil || r.Step.IsNone()
	}
	return nil, parts[axis], true
}

// startsBehind reports whether a position is known to be another than the first.
func startsBehind(v *infer.Val) bool {
	n, ok := v.Int()
	return ok && n > 0
}

func isZeroConst(v *infer.Val) bool {
	n, ok := v.Int()
	return ok && n == 0
}

// truthOf is a constant as a number.
func truthOf(v *infer.Val) (float64, bool) {
	if v != nil {
		if b, ok := v.Const.(bool); ok {
			if b {
				return 1, true
			}
			return 0, true
		}
	}
	return v.Float()
}

// compared is what a comparison of two numbers yields.
func compared(s Seen, a, b float64) float64 {
	if s.IsOp("eq") && a == b || s.IsOp("ne") && a != b || s.IsOp("gt") && a > b || s.IsOp("ge") && a >= b || s.IsOp("lt") && a < b || s.IsOp("le") && a <= b {
		return 1
	}
	return 0
}
