package query

import (
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # What stands first
//
// A text, or an episode, has not ended before its first step, so a mask that is moved by one position holds the first in each row: ones in
// front of what the mask says of the step before, cat([ones, mask[:, :-1]], 1), or a running count of ends less the end itself, which is 0
// there. Whoever divides by the ones of such a mask divides by 1 at least.

// span is where a number lies: both ends count.
type span struct{ low, high float64 }

// exactly is the span of one number.
func exactly(n float64, ok bool) (span, bool) { return span{n, n}, ok }

// marks is what a mask holds if nothing else is known of it.
var marks = span{0, 1}

// firstAlong returns what each row of s begins with along an axis; ok is false where that is not known.
func (s Seen) firstAlong(axis, depth int) (n span, ok bool) {
	for range maxSteps {
		if !s.Known() || depth == 0 {
			return span{}, false
		}
		if s.Op == infer.OpItem || s.Op == infer.OpStore || s.IsOp(moving...) || s.bounds() || s.runs() {
			break
		}
		next := s.through()
		if next.Val == nil || next.Val == s.Val {
			break
		}
		s = next
	}
	first := func(i int) (span, bool) { return s.Input(i).firstAlong(axis, depth-1) }
	along := func(of Seen) bool {
		dim, ok := of.Arg("dim").Int()
		return ok && (sameAxis(of.Q.Shape, int(dim), axis) || rows(int(dim), axis))
	}
	switch {
	case s.IsOp("ones", "ones_like", "new_ones"):
		return exactly(1, true)
	case s.IsOp("zeros", "zeros_like", "new_zeros"):
		return exactly(0, true)
	case s.IsOp("full", "full_like", "new_full"):
		return exactly(truthOf(s.Arg("fill_value")))
	case s.IsOp("invert", "logical_not", "not", "bitwise_not"), s.IsOneMinus():
		n, ok := first(len(s.In) - 1)
		return span{1 - n.high, 1 - n.low}, ok && (s.IsOneMinus() || n.low >= 0 && n.high <= 1)
	case s.IsOp("cat", "concat", "concatenate", "hstack"):
		seq, list := s.Input(0).Referent().(*infer.SeqRef)
		if !list || len(seq.Elems) == 0 || !along(s) && !s.IsOp("hstack") {
			return span{}, false
		}
		return s.Of(seq.Elems[0]).firstAlong(axis, depth-1)
	case s.IsOp("pad") && s.Fn != nil:
		by, list := infer.RefOf(s.Arg("pad")).(*infer.SeqRef)
		if !list || len(by.Elems) == 0 || !rows(axis, -1) {
			return span{}, false
		}
		if left, ok := by.Elems[0].Int(); ok && left > 0 {
			if s.Arg("value") == nil {
				return exactly(0, true)
			}
			return exactly(truthOf(s.Arg("value")))
		}
		return span{}, false
	case s.Op == infer.OpItem && len(s.In) > 1:
		if low, _, along := partAlong(s.In[1], axis); along && (low == nil || low.IsNone() || isZeroConst(low)) {
			return first(0)
		}
	case s.Op == infer.OpStore && len(s.In) > 2:
		switch low, at, along := partAlong(s.In[2], axis); {
		case !along:
		case isZeroConst(at):
			return exactly(truthOf(s.In[1]))
		case startsBehind(low) || startsBehind(at):
			return first(0)
		}
	case s.runs():
		if along(s) {
			return first(0)
		}
	case s.IsOp("sub") && countsEarlier(s):
		if along(s.Input(0).Strip()) {
			return exactly(0, true)
		}
	case s.bounds():
		n, ok := first(0)
		for i, name := range []string{"lo", "hi"} {
			switch end, is := truthOf(s.Arg(name)); {
			case is && i == 0:
				n = span{max(n.low, end), max(n.high, end)}
			case is:
				n = span{min(n.low, end), min(n.high, end)}
			case s.Arg(name) != nil && !s.Arg(name).IsNone():
				ok = false
			}
		}
		return n, ok
	case s.IsOp("minimum", "maximum") && len(s.In) > 1:
		a, ok1 := first(0)
		b, ok2 := first(1)
		if s.IsOp("minimum") {
			return span{min(a.low, b.low), min(a.high, b.high)}, ok1 && ok2
		}
		return span{max(a.low, b.low), max(a.high, b.high)}, ok1 && ok2
	case s.IsOp("where") && len(s.In) > 2:
		return whereFirst(first, s)
	case s.IsOp("eq", "ne", "gt", "ge", "lt", "le") && len(s.In) > 1:
		a, ok1 := first(0)
		b, ok2 := s.Input(1).Float()
		if !ok1 || !ok2 {
			return marks, true
		}
		return compared(s, a, b), true
	case s.IsOp("and", "bitand", "bitwise_and", "logical_and", "mul") && len(s.In) > 1:
		a, ok1 := first(0)
		b, ok2 := first(1)
		return span{a.low * b.low, a.high * b.high}, ok1 && ok2 && a.low >= 0 && b.low >= 0
	case s.IsOp("or", "bitor", "bitwise_or", "logical_or") && len(s.In) > 1:
		a, ok1 := first(0)
		b, ok2 := first(1)
		if ok1 && a.low == 1 || ok2 && b.low == 1 {
			return exactly(1, true)
		}
		return span{max(a.low, b.low), max(a.high, b.high)}, ok1 && ok2
	case s.IsOp("isin"):
		return marks, true
	}
	return span{}, false
}

// runs reports whether s goes on from position to position: the first is the first of what runs.
func (s Seen) runs() bool { return s.IsOp("cumprod", "cumsum", "cummax", "cummin") && len(s.In) > 0 }

// bounds reports whether s keeps a value between numbers.
func (s Seen) bounds() bool {
	return s.IsOp("clamp", "clip", "clamp_min", "clamp_max") && len(s.In) > 0
}

// whereFirst is what where(mask, a, b) begins with.
func whereFirst(first func(int) (span, bool), s Seen) (span, bool) {
	number := func(i int) (span, bool) {
		if n, ok := truthOf(s.In[i]); ok {
			return exactly(n, true)
		}
		return first(i)
	}
	mask, ok := first(0)
	a, ok1 := number(1)
	b, ok2 := number(2)
	switch {
	case ok && mask.low > 0:
		return a, ok1
	case ok && mask == span{}:
		return b, ok2
	}
	return span{min(a.low, b.low), max(a.high, b.high)}, ok1 && ok2
}

// EndsEarly reports whether a mask of rows lets through what comes before a mark, and the mark may be the first in its row: then nothing is left.
func EndsEarly(s Seen, axis int) bool { return s.endsEarly(axis, maxFirst) }

func (s Seen) endsEarly(axis, depth int) bool {
	if x := s.Strip(); depth > 0 && x.Known() && x.IsOp("and", "bitand", "bitwise_and", "logical_and", "mul") && len(x.In) > 1 {
		return x.Input(0).endsEarly(axis, depth-1) || x.Input(1).endsEarly(axis, depth-1)
	}
	n, ok := s.firstAlong(axis, depth)
	return ok && n.low <= 0 && s.fromRunning(depth)
}

// fromRunning reports whether a mask is made of a running count.
func (s Seen) fromRunning(depth int) bool {
	for range depth {
		x := s.Strip()
		switch {
		case !x.Known():
			return false
		case x.runs():
			return true
		case x.IsOp("invert", "logical_not", "not", "bitwise_not"), x.IsOneMinus():
			s = x.Input(len(x.In) - 1)
		case x.IsOp("eq", "ne", "gt", "ge", "lt", "le", "sub", "clamp", "clip", "minimum", "maximum", "where", infer.OpItem) && len(x.In) > 0:
			s = x.Input(0)
		default:
			return false
		}
	}
	return false
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

// compared is what a comparison with a number yields.
func compared(s Seen, a span, b float64) span {
	holds := func(x float64) float64 {
		if s.IsOp("eq") && x == b || s.IsOp("ne") && x != b || s.IsOp("gt") && x > b || s.IsOp("ge") && x >= b || s.IsOp("lt") && x < b || s.IsOp("le") && x <= b {
			return 1
		}
		return 0
	}
	low, high := holds(a.low), holds(a.high)
	if low != high || s.IsOp("eq", "ne") && a.low != a.high && a.low <= b && b <= a.high {
		return marks
	}
	return span{low, low}
}
