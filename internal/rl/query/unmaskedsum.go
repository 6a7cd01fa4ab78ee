package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Sums over all positions, divided by how many count
//
// A mean under a mask has the mask twice: in the sum, and in its number of ones. Where only the number is left, the sum takes the padding in.
// What is summed may have been masked before, so three things are asked: that no mask is seen in how it was made, that it was made by
// what leaves arbitrary numbers at padding, and that the function masks another sum by the same mask, which does not come masked either.

// UnmaskedSum is a sum over all positions that the number of ones of a mask divides.
type UnmaskedSum struct {
	Sum  Seen
	Mask Mask
	// Beside is a sum under the mask in the same function.
	Beside Seen
	// Handed says that others made what is summed: they may have masked it.
	Handed bool
}

// UnmaskedSums returns the sums over all positions that are divided by how many a mask lets through.
func (g *Graph) UnmaskedSums() (out []UnmaskedSum) {
	for _, v := range g.Made("div") {
		list := g.Paths(v)
		if len(list) == 0 {
			continue
		}
		first, all := g.unmaskedSum(list[0])
		for _, s := range list[1:] {
			u, ok := g.unmaskedSum(s)
			all, first.Handed = all && ok, first.Handed || u.Handed
		}
		if all {
			out = append(out, first)
		}
	}
	return out
}

func (g *Graph) unmaskedSum(s Seen) (UnmaskedSum, bool) {
	r, ok := UnsignedReductionOf(s)
	if !ok || r.By != ByOther || len(r.Under) > 0 || !s.IsOp("div") {
		return UnmaskedSum{}, false
	}
	size := Unguarded(s.Input(1))
	if !size.Known() || !size.IsOp("sum", "count_nonzero") || len(size.In) == 0 || !overSame(r.Sum, size) {
		return UnmaskedSum{}, false
	}
	m, ok := MaskOf(size.Input(0))
	if !ok || m.Not || !g.mayPad(m.Seen) || asksForMask(s.Val, m) || weighedBy(r.Of, m) {
		return UnmaskedSum{}, false
	}
	handed, bare := isBare(r.Of)
	beside, found := g.sumUnder(s, m)
	return UnmaskedSum{Sum: r.Sum, Mask: m, Beside: beside, Handed: handed}, bare && found
}

// overSame reports whether two sums are over the same axes.
func overSame(a, b Seen) bool {
	d, e := a.Arg("dim"), b.Arg("dim")
	if d == nil || e == nil || d.IsNone() || e.IsNone() {
		return (d == nil || d.IsNone()) && (e == nil || e.IsNone())
	}
	n, ok1 := d.Int()
	k, ok2 := e.Int()
	return ok1 && ok2 && n == k
}

// sumUnder returns a sum under mask m in the function of s, or in one that it calls.
func (g *Graph) sumUnder(s Seen, m Mask) (Seen, bool) {
	for _, v := range g.Made("sum", "masked_mean") {
		if v.Frame != s.Frame && (v.Frame == nil || !v.Frame.CalledFrom(s.Frame)) || len(v.In) == 0 || v.In[0] == nil {
			continue
		}
		for _, x := range g.Paths(v) {
			under := masked(x.Input(0)).Under
			if r, ok := ReductionOf(x); ok && x.IsOp("masked_mean") {
				under = r.Under
			}
			if slices.ContainsFunc(under, func(u Mask) bool { return !u.Not && u.Strip().Same(m.Strip()) }) && together(s.Val, v) {
				return x, true
			}
		}
	}
	return Seen{}, false
}

// isBare reports whether s was made, position by position, of what is there at padding too, with no mask on the way; and whether any of it
// came from elsewhere.
func isBare(s Seen) (handed, bare bool) {
	w := placewise{seen: map[*infer.Val]bool{}}
	w.visit(s, 24)
	for v := range w.seen {
		x := s.Of(v)
		if _, _, is := unmasked(x); is || x.Is(domain.Mask) || x.IsOp("where", "masked_fill") || v.Op == infer.OpPhi && len(v.In) == 0 {
			return false, false
		}
	}
	for _, root := range w.out {
		x := root.Strip()
		switch {
		case !x.Known() || root.whole().selects() || x.IsOp(leavesZeros...):
			return false, false
		case len(x.In) == 0 || x.IsOp(infer.OpItem) || x.Is(domain.Advantage|domain.Return|domain.Loss):
			handed = true
		}
	}
	return handed, len(w.out) > 0
}

// leavesZeros are the operations whose results may be 0 at padding, other than by a mask that is seen.
var leavesZeros = []string{"cross_entropy", "nll_loss", "pad", "pad_sequence", "zeros", "zeros_like", "scatter", "scatter_add", "index_put", "masked_scatter", "setitem", "cumsum", "flip"}
