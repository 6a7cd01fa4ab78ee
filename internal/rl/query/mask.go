package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Masks, and means under them
//
// Batches of text are padded, and rollouts go on behind the end of an episode. What stands there counts
// in no mean. Programs leave it out in four ways, and all are one thing here:
//
//	(x * mask).sum() / mask.sum()          a product, divided by the number of elements that count
//	x.masked_fill(~mask, 0).sum() / n      a fill, also by torch.where(mask, x, 0)
//	x[mask].mean(), x.masked_select(mask)  a choice
//	masked_mean(x, mask)                   a helper, the program's own (it is followed) or a library's

// Mask says which elements of another value count.
type Mask struct {
	// Seen is the mask without what negates it: keep of ~keep and of 1 - keep.
	Seen
	// Of is what a comparison that made the mask is of, as token ids that are compared with the
	// id of the pad; no value for other masks.
	Of Seen
	// Not says that elements count where the mask is 0, as with done and ~mask.
	Not bool
	// Applied is what takes the masked elements out, where Zeroed or a Reduction found the mask.
	Applied *infer.Val
}

// MaskOf reads s as a mask: what a comparison, boolean algebra or a tokenizer yields, the
// ends of episodes, and 1 less any of these. A name alone makes a mask with the evidence of a name.
func MaskOf(s Seen) (Mask, bool) { return maskOf(s, 8) }

func maskOf(s Seen, depth int) (Mask, bool) {
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0:
		return Mask{}, false
	case x.IsOp("invert", "logical_not", "not", "bitwise_not"), x.IsOneMinus():
		m, ok := maskOf(x.Input(len(x.In)-1), depth-1) // the last: 1 - m
		m.Not = !m.Not
		return m, ok
	case !x.Is(domain.Mask | domain.Done | domain.Terminated | domain.Truncated):
		return Mask{}, false
	}
	m := Mask{Seen: s, Not: !x.Is(domain.Mask)}
	if x.IsOp("eq", "ne", "lt", "le", "gt", "ge") && len(x.In) > 1 {
		m.Of = x.Input(0)
		if _, constant := m.Of.Float(); constant {
			m.Of = x.Input(1)
		}
	}
	return m, true
}

// IsOneMinus reports whether s is 1 - x.
func (s Seen) IsOneMinus() bool {
	one, ok := s.Input(0).Float()
	return ok && one == 1 && s.IsOp("sub") && len(s.In) > 1
}

// IsRestOf reports whether s is 1 - o: weights that sum to one.
func (s Seen) IsRestOf(o Seen) bool {
	if a, ok := o.Float(); ok {
		b, ok := s.Float()
		return ok && a+b == 1
	}
	x := s.Strip()
	return x.Known() && x.IsOneMinus() && x.Input(1).Same(o)
}

// Divisor says by what a sum is divided.
type Divisor uint8

// The divisors.
const (
	Undivided  Divisor = iota // a sum
	ByElements                // by how many elements there are: mean(), x.numel(), a size
	ByMask                    // by how many the mask lets through
	ByOther                   // by something else: a longest length, another mask
)

// Reduction is a mean or sum over some dimensions.
type Reduction struct {
	// At is the whole: the quotient, or the call of mean() or sum().
	At Seen
	// Of is what is averaged, without the masks; Under are these, as many as there are.
	Of    Seen
	Under []Mask
	By    Divisor
	// Sum is the call that reduces, of which the dimensions can be read: its dim is nil where all are summed.
	Sum Seen
}

// ReductionOf reads s as a mean or sum. One mean of another is two: ask again for Of.
func ReductionOf(s Seen) (Reduction, bool) { return reductionOf(s, false) }

// UnsignedReductionOf is ReductionOf, for whom the sign of the sum does not matter: -(x * mask).sum() / mask.sum() is read, too.
func UnsignedReductionOf(s Seen) (Reduction, bool) { return reductionOf(s, true) }

func reductionOf(s Seen, unsigned bool) (Reduction, bool) {
	at := s.whole()
	switch {
	case !at.Known() || len(at.In) == 0:
		return Reduction{}, false
	case at.IsOp("masked_mean") && len(at.In) > 1 && at.Input(1).Known():
		m, ok := MaskOf(at.Input(1))
		if !ok {
			m = Mask{Seen: at.Input(1)}
		}
		return Reduction{At: at, Of: at.Input(0), Under: []Mask{m}, By: ByMask, Sum: at}, true
	case at.IsOp("mean", "nanmean"):
		out := masked(at.Input(0))
		out.At, out.Sum, out.By = at, at, ByElements
		if at.Input(0).whole().selects() {
			out.By = ByMask
		}
		return out, true
	case at.IsOp("sum", "nansum"):
		out := masked(at.Input(0))
		out.At, out.Sum = at, at
		return out, true
	case at.IsOp("div") && len(at.In) > 1:
		total := at.Input(0).Strip()
		if unsigned && total.Known() && total.IsOp("neg") && len(total.In) > 0 {
			total = total.Input(0).Strip()
		}
		if !total.Known() || !total.IsOp("sum", "nansum") || len(total.In) == 0 {
			return Reduction{}, false
		}
		out := masked(total.Input(0))
		out.At, out.Sum = at, total
		out.divide(at.Input(1))
		return out, true
	}
	return Reduction{}, false
}

// divide notes what a sum is divided by, however that is kept from zero. What the number of
// ones in a factor divides is a mask, whatever it is called.
func (m *Reduction) divide(size Seen) {
	size = size.Strip()
	for size.Known() && size.IsOp("clamp", "clamp_min", "maximum", "max", "add") && len(size.In) > 0 {
		size = size.Input(0).Strip()
	}
	m.By = ByOther
	switch {
	case !size.Known():
	case size.IsOp("sum", "count_nonzero") && len(size.In) > 0:
		ones := size.Input(0)
		by, _ := MaskOf(ones)
		for _, u := range m.Under {
			if by.Known() && u.Not == by.Not && u.Strip().Same(by.Strip()) {
				m.By = ByMask
				return
			}
		}
		if x := m.Of.Strip(); x.Known() && x.IsOp("mul") && len(x.In) > 1 {
			for i := range 2 {
				if x.Input(i).Same(ones) {
					m.Of, m.By, m.Under = x.Input(1-i), ByMask, append(m.Under, Mask{Seen: x.Input(i)})
					return
				}
			}
		}
	case size.IsOp("numel", "size", "len", "shape"):
		m.By = ByElements
	}
}

// masked takes masks off what is summed.
func masked(x Seen) Reduction {
	out := Reduction{Of: x}
	for range maxSteps {
		of, m, ok := unmasked(out.Of)
		if !ok {
			break
		}
		out.Of, out.Under = of, append(out.Under, m)
	}
	return out
}

// unmasked takes one mask off: a factor, a fill with 0, a choice.
func unmasked(s Seen) (of Seen, m Mask, ok bool) {
	x := s.whole()
	defer func() { m.Applied = x.Val }()
	switch {
	case !x.Known() || len(x.In) < 2:
		return s, Mask{}, false
	case x.selects():
		m, ok = MaskOf(x.Input(1))
		return x.Input(0), m, ok
	case x.IsOp("mul"):
		for i := range 2 {
			if m, ok = MaskOf(x.Input(i)); ok {
				return x.Input(1 - i), m, true
			}
		}
	case len(x.In) < 3:
	case x.IsOp("masked_fill") && isZero(x.Input(2)):
		m, ok = MaskOf(x.Input(1))
		m.Not = !m.Not
		return x.Input(0), m, ok
	case x.IsOp("where") && isZero(x.Input(2)):
		m, ok = MaskOf(x.Input(0))
		return x.Input(1), m, ok
	case x.IsOp("where") && isZero(x.Input(1)):
		m, ok = MaskOf(x.Input(0))
		m.Not = !m.Not
		return x.Input(2), m, ok
	}
	return s, Mask{}, false
}

// selects reports whether s is x[mask], or x.masked_select(mask).
func (s Seen) selects() bool {
	if !s.Known() || len(s.In) < 2 || !s.IsOp(infer.OpItem, "masked_select") {
		return false
	}
	m, ok := MaskOf(s.Input(1))
	return ok && m.Const == nil
}

// whole is Strip up to a choice of elements, which Strip takes for a view.
func (s Seen) whole() Seen {
	for range maxSteps {
		if s.selects() {
			break
		}
		next := s.through()
		if next.Val == nil || next.Val == s.Val {
			break
		}
		s = next
	}
	return s
}

func isZero(s Seen) bool { return isZeros(s.Val, maxNested) }

// maxNested bounds how deep the zeros of a display of lists stand.
const maxNested = 4

func isZeros(v *infer.Val, depth int) bool {
	switch {
	case v == nil || depth == 0:
		return false
	case v.IsOp("zeros_like", "zeros"):
		return true
	case v.IsOp("tensor", "as_tensor", "FloatTensor", "Tensor", "array", "asarray") && len(v.In) > 0:
		return isZeros(v.In[0], depth-1)
	}
	if seq, ok := v.Ref.(*infer.SeqRef); ok && len(seq.Elems) > 0 {
		return !slices.ContainsFunc(seq.Elems, func(x *infer.Val) bool { return !isZeros(x, depth-1) })
	}
	x, ok := v.Float()
	return ok && x == 0
}
