package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Masks of padding
//
// A mask that multiplies may be many things: what is padding, which ratios were clipped, which states are
// terminal. Only of padding is it known that it does not count. Three things tell: what the mask was made
// of (token ids, lengths), that the program itself counts its ones to divide by them, and its name.

// IsPadding reports whether m says which tokens or steps are there at all. With names also a mask counts of which nothing
// but the name is known.
func (g *Graph) IsPadding(m Mask, names bool) bool {
	return g.isPadding(m.Seen, names, 8) || g.isCounted(m.Seen)
}

func (g *Graph) isPadding(s Seen, names bool, depth int) bool {
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0:
		return false
	case x.IsOp("invert", "logical_not", "not", "bitwise_not"), x.IsOneMinus():
		return g.isPadding(x.Input(len(x.In)-1), names, depth-1)
	case x.IsOp(infer.OpPhi):
		for i := range x.In {
			if y := x.Input(i); y.Known() && !y.IsNone() && !g.isPadding(y, names, depth-1) {
				return false
			}
		}
		return true
	case x.IsOp("and", "bitand", "bitwise_and", "logical_and", "or", "bitor", "bitwise_or", "mul", infer.OpItem):
		n := len(x.In)
		if x.IsOp(infer.OpItem) {
			n = min(n, 1) // a part
		}
		for i := range n {
			if g.isPadding(x.Input(i), names, depth-1) {
				return true
			}
		}
	case x.IsOp("eq", "ne", "lt", "le", "gt", "ge") && len(x.In) > 1:
		for i := range 2 {
			a, b := x.Input(i), x.Input(1-i)
			n, number := b.Int()
			if number && n == ignored || a.Is(domain.TokenIDs) && (number || b.Q.Shape.Known() && b.Q.Shape.Rank == 0 || x.IsOp("ne") && (!b.Is(domain.TokenIDs) || len(b.In) == 0)) || ofTokens(a, 6) || countsEarlier(a) || a.Strip().IsOp("arange") {
				return true
			}
		}
		return false
	}
	return x.Is(domain.Mask) && (x.Q.Evidence == domain.Used || saysLibrary(x) || names && isNamed(x))
}

// saysLibrary reports whether a mask of tokens was handed over by a library.
func saysLibrary(x Seen) bool {
	return x.IsOp("attention_mask") || x.IsOp("completion_mask", "prompt_mask") && x.Q.Evidence <= domain.Derived
}

// isNamed reports whether nothing but its name says that a value is a mask.
func isNamed(x Seen) bool {
	return x.Q.Evidence == domain.NameOnly && (len(x.In) == 0 || x.IsOp(infer.OpItem) || strings.HasPrefix(x.Op, infer.OpAttr+"."))
}

// ofTokens reports whether s counts which tokens came before: a running sum over such a mask.
func ofTokens(s Seen, depth int) bool {
	for range depth {
		x := s.Strip()
		switch {
		case !x.Known() || len(x.In) == 0:
			return false
		case x.IsOp("cumsum", "sub", "cummax"):
			s = x.Input(0)
		case x.IsOp("eq", "ne", "isin"):
			return x.Input(0).Is(domain.TokenIDs)
		default:
			return false
		}
	}
	return false
}

// countsEarlier reports whether s counts, for each step, the marks before it: cumsum(m) - m. Where there are none a text, or an episode,
// has not ended yet.
func countsEarlier(s Seen) bool {
	x := s.Strip()
	if !x.Known() || !x.IsOp("sub") || len(x.In) < 2 {
		return false
	}
	sum := x.Input(0).Strip()
	return sum.Known() && sum.IsOp("cumsum") && len(sum.In) > 0 && sum.Input(0).Same(x.Input(1))
}

// isCounted reports whether the program divides by the number of ones of a mask, or of what a call hands in for it; or by that of
// another class of the same marks, as those of chosen texts beside those of rejected ones.
func (g *Graph) isCounted(m Seen) bool {
	for _, x := range append(m.Strip().Callers(), m) {
		if slices.ContainsFunc(g.counted(), func(c Seen) bool { return c.Same(x) || sameMarks(c, x) }) {
			return true
		}
	}
	return false
}

// sameMarks reports whether both masks say where the same values are some number.
func sameMarks(a, b Seen) bool {
	marks := func(s Seen) Seen {
		x := s.Strip()
		if x.Known() && x.IsOp("eq") && len(x.In) > 1 {
			if _, class := x.Input(1).Int(); class {
				return x.Input(0).Strip()
			}
		}
		return Seen{}
	}
	x, y := marks(a), marks(b)
	return x.Known() && y.Known() && x.Same(y)
}

// counted are the masks whose ones divide something.
func (g *Graph) counted() []Seen {
	g.counts.once.Do(func() {
		for _, v := range g.Ops("torch.div") {
			if len(v.In) < 2 || v.In[1] == nil {
				continue
			}
			s := g.See(v)
			size := Unguarded(s.Input(1))
			if size.Known() && size.IsOp("sum", "count_nonzero") && len(size.In) > 0 && s.Input(0).Strip().IsOp("sum", "nansum") {
				if _, is := MaskOf(size.Input(0)); is {
					g.counts.list = append(g.counts.list, size.Input(0))
				}
			}
		}
	})
	return g.counts.list
}

// Unguarded is a divisor without what keeps it from 0.
func Unguarded(size Seen) Seen {
	size = size.Strip()
	for range maxSteps {
		if !size.Known() || !size.IsOp("clamp", "clamp_min", "maximum", "max", "add") || len(size.In) == 0 {
			break
		}
		size = size.Input(0).Strip()
	}
	return size
}

// Zeroed reads s as a value that is 0 wherever a mask does not let through: a product with it, and what leaves
// zeros where they are.
func Zeroed(s Seen) (Mask, bool) { return zeroed(s, 8) }

func zeroed(s Seen, depth int) (Mask, bool) {
	x := s.whole()
	if !x.Known() || depth == 0 || len(x.In) == 0 || x.selects() {
		return Mask{}, false
	}
	if of, m, ok := unmasked(x); ok {
		if of.Strip().Is(domain.Mask) && !m.Strip().Is(domain.Mask) {
			return Mask{}, false
		}
		return m, true
	}
	switch {
	case x.IsOp("neg", "abs", "square", "sqrt", "relu", "detach", "nan_to_num"):
		return zeroed(x.Input(0), depth-1)
	case x.IsOp("mul") && len(x.In) > 1:
		if m, ok := zeroed(x.Input(0), depth-1); ok {
			return m, true
		}
		return zeroed(x.Input(1), depth-1)
	case x.IsOp("div"):
		return zeroed(x.Input(0), depth-1)
	case x.IsOp("min", "max", "minimum", "maximum", "add", "sub") && len(x.In) > 1:
		a, ok1 := zeroed(x.Input(0), depth-1)
		b, ok2 := zeroed(x.Input(1), depth-1)
		return a, ok1 && ok2 && a.Not == b.Not && a.Same(b.Seen)
	}
	return Mask{}, false
}

// HasOne reports whether each row of a mask along an axis lets something through: the first position, what lies up to and with some
// position, or what a tokenizer says of a text.
func HasOne(s Seen, axis int) bool {
	if n, ok := s.firstAlong(axis, maxFirst); ok && n.low > 0 {
		return true
	}
	if s.isOnesBut(axis) {
		return true
	}
	x := s.Strip()
	switch {
	case !x.Known():
		return false
	case x.IsOp("le") && len(x.In) > 1:
		return x.Input(0).Strip().IsOp("arange") // arange(n) <= the position of the end
	case x.IsOp("ge") && len(x.In) > 1:
		return x.Input(1).Strip().IsOp("arange")
	case x.IsOp("lt") && len(x.In) > 1: // arange(n) < a number above 0
		return x.Input(0).Strip().IsOp("arange") && x.In[1].Q.Range.Positive()
	case x.IsOp("gt") && len(x.In) > 1:
		return x.Input(1).Strip().IsOp("arange") && x.In[0].Q.Range.Positive()
	case x.IsOp("ones", "ones_like", "new_ones"), x.IsOp("attention_mask") && x.Q.Evidence != domain.NameOnly:
		return true
	}
	return false
}

// maxFirst bounds the way back from a mask to what stands first in it.
const maxFirst = 12

// MayBeEmpty reports whether a mask is made so that a row may have no ones: of labels, which a long prompt leaves none
// of, or by two masks of which one may take out all that the other leaves.
func MayBeEmpty(s Seen) bool {
	x := s.Strip()
	switch {
	case !x.Known() || len(x.In) < 2:
		return false
	case x.IsOp("ne"):
		n, ok := x.Input(1).Int()
		return ok && n == ignored
	case x.IsOp("mul", "and", "bitand", "bitwise_and", "logical_and"):
		a, ok1 := MaskOf(x.Input(0))
		b, ok2 := MaskOf(x.Input(1))
		return ok1 && ok2 && a.Known() && b.Known() || x.Input(0).keepsRows() || x.Input(1).keepsRows()
	}
	return false
}

// keepsRows reports whether s tells of each row as a whole whether something is in it: all of a row counts or nothing.
func (s Seen) keepsRows() bool {
	x := s.Strip()
	return x.Known() && x.IsOp("any", "all") && x.Arg("dim") != nil
}

// isOnesBut reports whether a mask is all ones but for positions that are fixed numbers, the same for all rows, as those of a prompt:
// nobody takes out all there are.
func (s Seen) isOnesBut(axis int) bool {
	for range maxSteps {
		switch {
		case !s.Known():
			return false
		case s.IsOp("ones", "ones_like", "new_ones"):
			return true
		case s.Op == infer.OpStore && len(s.In) > 2:
			_, at, along := partAlong(s.In[2], axis)
			if at == nil {
				at = highAlong(s.In[2], axis)
			}
			if _, fixed := at.Int(); !along || !fixed {
				return false
			}
			s = s.Input(0)
		default:
			next := s.through()
			if next.Val == nil || next.Val == s.Val {
				return false
			}
			s = next
		}
	}
	return false
}

// highAlong is where the slice ends that an index takes along an axis, or nil.
func highAlong(index *infer.Val, axis int) *infer.Val {
	part := index
	if seq, ok := infer.RefOf(index).(*infer.SeqRef); ok && axis < len(seq.Elems) && axis >= -len(seq.Elems) {
		part = seq.Elems[(axis+len(seq.Elems))%len(seq.Elems)]
	}
	if r, ok := infer.RefOf(part).(*infer.SliceRef); ok {
		return r.High
	}
	return nil
}
