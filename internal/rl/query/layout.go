package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # The order of a flat axis
//
// An axis is a product of factors, outer to inner: prompts times copies, steps times environments, two halves times pairs. What repeats, stacks, joins
// or collects in loops lays it out; a view, a slice or halves split it, maybe long after. In between each row is made of the row at its place: masks,
// scores, texts that are judged one by one. The law is that an axis is split in the order in which it was laid out, and that tensors that meet
// row by row have one order. The functions of layoutof.go follow an axis back to its factors; here they are compared.

// Factor is one of the factors of an axis.
type Factor struct {
	// Size is how many, as the program writes it; no value where it does not.
	Size Seen
	// Of is a value whose axis Axis has as many, if no more is known.
	Of   Seen
	Axis int
	// N is the number, 0 where it is not known.
	N int64
	// Kind says what makes it a factor.
	Kind FactorKind
	// At is what put it there.
	At *infer.Val
}

// FactorKind says what a factor counts.
type FactorKind uint8

// What factors count.
const (
	OfRows   FactorKind = iota
	OfCopies            // of each row
	OfParts             // that were joined one behind another, or put side by side: chosen and rejected
	OfSplit             // as a view counts them
)

// Split is a way to take an axis apart: so many outer rows, each of so many inner ones. One of both may be unknown.
type Split struct {
	Outer, Inner Factor
}

// counted is the factor that has a size.
func counted(size Seen, kind FactorKind, at *infer.Val) Factor {
	n, _ := size.Int()
	if n < 0 {
		return Factor{Kind: kind, At: at} // the rest
	}
	return Factor{Size: size, N: n, Kind: kind, At: at}
}

// isKnown reports whether anything is known of a factor by which it can be told from another.
func (f Factor) isKnown() bool { return f.Size.Known() || f.Of.Known() || f.N > 0 }

// isOther reports whether the sizes of two factors are known, and nothing says that they are one.
func (f Factor) isOther(o Factor) bool {
	return f.hasSize() && o.hasSize() && f.alike(o) == apart
}

func (f Factor) hasSize() bool { return f.Size.Known() || f.N > 0 }

// alikeness says how sure it is that two factors are one.
type alikeness int

const (
	apart      alikeness = iota
	sameNumber           // which may be by chance
	sameThing
)

// alike compares two factors.
func (f Factor) alike(o Factor) alikeness {
	switch {
	case !f.isKnown() || !o.isKnown():
		return apart
	case f.N > 0 && o.N > 0 && f.N != o.N:
		return apart
	case f.Size.isOneSetting(o.Size), f.counts(o), o.counts(f):
		return sameThing
	case f.Of.Known() && o.Of.Known() && f.Axis == o.Axis && f.Of.hasShapeOf(o.Of):
		return sameThing
	case f.N > 0 && f.N == o.N:
		return sameNumber
	}
	return apart
}

// isOneSetting reports whether two sizes are one number of the program, not two that are equal.
func (s Seen) isOneSetting(o Seen) bool {
	a, b := s.Strip(), o.Strip()
	if !a.Known() || !b.Known() {
		return false
	}
	if a.Const != nil || b.Const != nil {
		return infer.MadeAlike(a.Val, b.Val)
	}
	return a.Same(b)
}

// counts reports whether the size of f is the number of rows of what o is of: len(prompts), x.shape[0].
func (f Factor) counts(o Factor) bool {
	size := f.Size.Strip()
	if !size.Known() || !o.Of.Known() || !size.IsOp("len", "size") || len(size.In) == 0 {
		return false
	}
	axis, ok := axisAsked(size.Val)
	return ok && int(axis) == o.Axis && size.Input(0).hasShapeOf(o.Of)
}

// hasShapeOf reports whether two values are one, up to what leaves the shape as it is: a view of x has other axes than x.
func (s Seen) hasShapeOf(o Seen) bool {
	a, b := s.SameShape(), o.SameShape()
	return a.Known() && b.Known() && infer.MadeAlike(a.Val, b.Val)
}

// crosses reports whether an axis that is the product of these factors is split crosswise: the outer one is taken for the inner one. Where sizes are
// equal by chance, what the program calls them decides.
func (s Split) crosses(axis []Factor) bool {
	outer, inner := outmost(axis)
	if s.Inner.isOther(outer) || s.Outer.isOther(inner) {
		return false
	}
	across := max(outer.alike(s.Inner), inner.alike(s.Outer))
	return len(axis) > 1 && across > max(outer.alike(s.Outer), inner.alike(s.Inner))
}

// surely reports whether the split names a factor by more than an equal number.
func (s Split) surely(axis []Factor) bool {
	outer, inner := outmost(axis)
	return max(outer.alike(s.Inner), inner.alike(s.Outer)) == sameThing
}

func outmost(axis []Factor) (outer, inner Factor) {
	if len(axis) == 0 {
		return Factor{}, Factor{}
	}
	return axis[0], axis[len(axis)-1]
}

// MisSplit is an axis that is split in another order than that in which it was laid out.
type MisSplit struct {
	At    *infer.Val // what splits it
	Split Split
	Axis  []Factor
}

// Laid are the operations that laid the axis out.
func (m MisSplit) Laid() (out []*infer.Val) {
	for _, f := range m.Axis {
		if f.At != nil && !slices.Contains(out, f.At) && (f.Kind == OfCopies || f.Kind == OfParts || !m.Of(OfCopies) && !m.Of(OfParts)) {
			out = append(out, f.At)
		}
	}
	return out
}

// Of reports whether one of the factors is of a kind.
func (m MisSplit) Of(kind FactorKind) bool { return hasFactor(m.Axis, kind) }

func hasFactor(axis []Factor, kind FactorKind) bool {
	return slices.ContainsFunc(axis, func(f Factor) bool { return f.Kind == kind })
}

// misSplit reads s as a view, slice or halves that split its rows crosswise.
func (s Seen) misSplit() (MisSplit, bool) {
	split, of, ok := s.splits()
	if !ok || !of.Known() {
		return MisSplit{}, false
	}
	axis := of.Layout(0)
	m := MisSplit{s.Val, split, axis}
	if !split.crosses(axis) || m.Of(OfCopies) && !several(axis, split) {
		return MisSplit{}, false
	}
	// Of a tensor of unknown rank nobody knows that it is the rows which are split, and a slice of as many rows as there are copies may be
	// a minibatch: more than an equal number has to tell.
	if !split.surely(axis) && (!of.isFlat() || of.Q.Shape.Rank != 1 || s.Op == infer.OpItem) && !m.Of(OfParts) {
		return MisSplit{}, false
	}
	return m, true
}

// several reports whether there are several rows of each copy, as far as the program shows: one prompt that is repeated has one order.
func several(axis []Factor, split Split) bool {
	for _, f := range axis {
		if f.Kind == OfCopies {
			continue
		}
		if f.N == 1 {
			return false
		}
		if f.N > 1 || f.Size.Known() || f.Of.Known() && hasRows(f.Of.Val) {
			return true
		}
	}
	for _, f := range []Factor{split.Outer, split.Inner} {
		if f.Size.Known() && f.N != 1 && !slices.ContainsFunc(axis, func(g Factor) bool { return g.Kind == OfCopies && g.alike(f) == sameThing }) {
			return true // the program counts prompts
		}
	}
	return false
}

// splits reads s as what takes the rows of a tensor apart.
func (s Seen) splits() (Split, Seen, bool) {
	switch {
	case s.Val == nil || len(s.In) == 0 || s.In[0] == nil:
	case s.IsOp("view", "reshape"):
		sizes := Sizes(s.Val)
		rank := int(s.Input(0).Q.Shape.Rank)
		if !s.Input(0).Q.Shape.Known() {
			rank = -1
		}
		if len(sizes) < 2 || len(sizes) > 3 || slices.Contains(sizes, nil) || rank >= len(sizes) || len(sizes) == 3 && isRest(sizes[0]) {
			break
		}
		if s.Input(0).Q.Shape.MinRank() >= len(sizes) || sizes[0].IsOp("mul") || sizes[1].IsOp("mul") {
			break // a product of sizes joins axes
		}
		if isRest(sizes[1]) && rank != 1 {
			break // x.view(n, -1) may flatten all axes but the first
		}
		return Split{counted(s.Of(sizes[0]), OfSplit, s.Val), counted(s.Of(sizes[1]), OfSplit, s.Val)}, s.Input(0), true
	case s.IsOp("unflatten"):
		d, ok := s.Arg("dim").Int()
		sizes := sequence(s.Arg("sizes"))
		if ok && d == 0 && len(sizes) == 2 {
			return Split{counted(s.Of(sizes[0]), OfSplit, s.Val), counted(s.Of(sizes[1]), OfSplit, s.Val)}, s.Input(0), true
		}
	case s.IsOp("chunk", "tensor_split", "array_split") && len(s.In) > 1 && s.In[1] != nil && alongRows(s):
		return Split{Outer: counted(s.Input(1), OfRows, s.Val)}, s.Input(0), true
	case s.Op == infer.OpItem && len(s.In) > 1 && s.In[1] != nil:
		if r, ok := s.In[1].Ref.(*infer.SliceRef); ok {
			split, ok := s.slice(r)
			return split, s.Input(0), ok
		}
	}
	return Split{}, Seen{g: s.g}, false
}

// alongRows reports whether pieces are cut along the first axis.
func alongRows(piece Seen) bool {
	if len(piece.In) < 3 {
		return true
	}
	n, ok := piece.In[2].Int()
	return ok && n == 0
}

// slice reads x[i*n : (i+1)*n] as one of groups of n that lie together, x[i::n] as one of n that lie apart, and x[:n], x[n:] as halves.
func (s Seen) slice(r *infer.SliceRef) (Split, bool) {
	low, high, step := s.Of(r.Low).Strip(), s.Of(r.High).Strip(), s.Of(r.Step).Strip()
	if step.Known() {
		return Split{Inner: counted(step, OfRows, s.Val)}, low.Known() && !high.Known()
	}
	switch {
	case low.Known() && high.Known() && high.IsOp("mul", "add") && len(high.In) > 1:
		for i := range 2 {
			n, other := high.Input(i).Strip(), high.Input(1-i).Strip()
			grouped := high.IsOp("mul") && low.IsOp("mul") && other.IsOp("add") && slices.ContainsFunc(low.In, func(x *infer.Val) bool { return low.Of(x).isOneSetting(n) })
			begun := high.IsOp("add") && other.Val == low.Val && (low.IsOp("mul") && slices.ContainsFunc(low.In, func(x *infer.Val) bool { return low.Of(x).isOneSetting(n) }) || low.IsOp("range"))
			if grouped || begun {
				return Split{Inner: counted(n, OfRows, s.Val)}, true
			}
		}
	case low.Known() != high.Known():
		half := low
		if high.Known() {
			half = high
		}
		if _, ok := half.Int(); ok {
			break
		}
		return Split{Outer: Factor{N: 2, At: s.Val}, Inner: counted(half, OfRows, s.Val)}, true
	}
	return Split{}, false
}

// sequence are the elements of a tuple or list.
func sequence(v *infer.Val) []*infer.Val {
	if v == nil {
		return nil
	}
	if seq, ok := v.Ref.(*infer.SeqRef); ok {
		return seq.Elems
	}
	return nil
}

// Mispaired are two tensors whose rows meet in different orders: each as the program splits it, in the order of the other.
type Mispaired struct{ A, B MisSplit }

// MisSplits are the ways to v by which it splits an axis crosswise: a view or a slice. Several rules ask.
func (g *Graph) MisSplits(v *infer.Val) []MisSplit {
	return g.misSplits.get(v, func() (out []MisSplit) {
		for _, s := range g.Paths(v) {
			if m, ok := s.misSplit(); ok {
				out = append(out, m)
			}
		}
		return out
	})
}

// Mispairings are the ways to v by which it is made of rows that meet in different orders. Several rules ask.
func (g *Graph) Mispairings(v *infer.Val) []Mispaired {
	return g.mispairings.get(v, func() (out []Mispaired) {
		for _, s := range g.Paths(v) {
			if a, b, ok := s.mispairing(); ok {
				out = append(out, Mispaired{a, b})
			}
		}
		return out
	})
}

// mispairing reads s as an operation on two tensors, row by row, whose rows lie in different orders.
func (s Seen) mispairing() (a, b MisSplit, ok bool) {
	if len(s.In) < 2 || s.In[0] == nil || s.In[1] == nil {
		return a, b, false
	}
	if x, y := s.Input(0).Q.Shape, s.Input(1).Q.Shape; x.Known() && y.Known() && x.Rank != y.Rank {
		return a, b, false // they are broadcast
	}
	left, right := s.Input(0).Layout(0), s.Input(1).Layout(0)
	if len(left) < 2 || len(right) < 2 {
		return a, b, false
	}
	a, b = mispaired(left, right), mispaired(right, left)
	return a, b, a.Split.crosses(left) && a.Split.certain(left) && a.At != nil && b.At != nil
}

// mispaired is an axis beside one that lies in another order.
func mispaired(axis, beside []Factor) MisSplit {
	outer, inner := outmost(beside)
	m := MisSplit{Split: Split{outer, inner}, Axis: axis}
	for _, f := range axis {
		if m.At == nil || f.At != nil && (f.Kind == OfSplit || f.At.Seq > m.At.Seq) {
			m.At = f.At
		}
	}
	return m
}

// certain reports whether the factors of an axis and of another one are the same crosswise by more than one equal number.
func (s Split) certain(axis []Factor) bool {
	outer, inner := outmost(axis)
	return s.surely(axis) || outer.alike(s.Inner) == sameNumber && inner.alike(s.Outer) == sameNumber && outer.N != inner.N
}

// maxHalves bounds the values that are looked at on the way back to halves.
const maxHalves = 60

// halvesOf are the parts of rows from which s is computed, element by element.
func (s Seen) halvesOf() (out []Seen) {
	seen := map[*infer.Val]bool{}
	for list := []Seen{s}; len(list) > 0 && len(seen) < maxHalves; list = list[1:] {
		x := list[0].Part()
		if !x.Known() || seen[x.Val] || x.Const != nil || x.Is(domain.Module) || x.reducesRows() {
			continue
		}
		seen[x.Val] = true
		if _, _, ok := x.splits(); ok {
			if x.isHalf() {
				out = append(out, x)
			}
			continue
		}
		list = append(list, x.Flows()...)
	}
	return out
}

// Part follows a value back through what hands it on, to what takes rows apart.
func (s Seen) Part() Seen {
	return s.StripTo(func(x Seen) bool { return x.Op == infer.OpItem || x.IsOp("view", "reshape", "unflatten") || x.isHalf() })
}

// isHalf reports whether s is one of two parts of the rows of a tensor.
func (s Seen) isHalf() bool {
	if !s.IsOp("chunk", "tensor_split", "array_split", infer.OpItem) {
		return false
	}
	split, _, ok := s.splits()
	return ok && (split.Outer.N == 2 || split.Inner.N == 2)
}

// MisSplitPairs reads s as an operation on two halves of one tensor whose rows were joined of other halves.
func (s Seen) MisSplitPairs() (MisSplit, bool) {
	if len(s.In) < 2 {
		return MisSplit{}, false
	}
	right := s.Input(1).halvesOf()
	for _, a := range s.Input(0).halvesOf() {
		m, ok := a.misSplit()
		if !ok {
			continue
		}
		for _, b := range right {
			if b.Val != a.Val && a.Input(0).Same(b.Input(0)) {
				return m, true
			}
		}
	}
	return MisSplit{}, false
}

// hasRows reports whether a value is known to have several rows: by its shape, or since a tokenizer made it of several texts.
func hasRows(v *infer.Val) bool {
	for range maxSteps {
		if v == nil {
			return false
		}
		if rows, ok := v.Q.Shape.Dim(0); v.Q.Shape.Known() && ok && rows.N > 1 {
			return true
		}
		if len(v.In) == 0 {
			return false
		}
		if v.IsOp("__call__") && slices.ContainsFunc(v.In, isSeveral) {
			return true
		}
		if !slices.Contains(passesRows, infer.BaseOp(v.Op)) {
			return false
		}
		v = v.In[0]
	}
	return false
}

// passesRows are what takes a batch of tokens out of what a tokenizer yields, or moves it.
var passesRows = []string{"to", "cuda", "long", infer.OpNarrow, infer.OpItem, "input_ids", "attention_mask"}

// isSeveral reports whether v is a list of several texts.
func isSeveral(v *infer.Val) bool {
	if v == nil {
		return false
	}
	seq, ok := v.Ref.(*infer.SeqRef)
	return ok && (len(seq.Elems) > 1 || seq.Elems == nil && seq.Elem != nil)
}
