package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Means beside masked means
//
// That a batch is padded is nothing that a mean shows. But where a program averages one quantity of each token under a
// mask, another that was made of the same numbers, position by position, is padded as well. So two means are compared
// by the values of which they are made, and both must be computed on one run.

// UnmaskedMean is a mean over all positions of values of which others are averaged under a mask.
type UnmaskedMean struct {
	// At is the mean, Of what it is of.
	At, Of Seen
	// Masked is the mean under the mask, or the product with it, and Mask that.
	Masked Reduction
	Mask   Mask
	// Root is what both are made of.
	Root *infer.Val
}

// perToken are what a model says of each token; what a whole text has one of (an advantage, a reward) may be broadcast.
const perToken = domain.LogProb | domain.LogRatio | domain.Ratio | domain.KL | domain.Entropy | domain.StateValue | domain.Loss | domain.Advantage | domain.Return

// UnmaskedMeans returns the plain means, by mean(), std() and var(), that stand beside masked ones.
func (g *Graph) UnmaskedMeans() []UnmaskedMean {
	g.unmasked.once.Do(func() { g.unmasked.list = g.findUnmasked() })
	return g.unmasked.list
}

// maskedRoot is a value of which something is averaged under a mask, or multiplied with one.
type maskedRoot struct {
	of   *infer.Val
	by   Reduction
	mask Mask
}

func (g *Graph) findUnmasked() []UnmaskedMean {
	under := map[*infer.Val][]maskedRoot{}
	for _, v := range g.Made("div", "masked_mean", "mean", "mul") {
		for _, s := range g.Paths(v) {
			for _, root := range g.maskedRoots(s) {
				under[root.of] = append(under[root.of], root)
			}
		}
	}
	var out []UnmaskedMean
	if len(under) == 0 {
		return nil
	}
	for _, v := range g.Made("mean", "std", "var") {
		if len(v.In) == 0 || v.In[0] == nil {
			continue
		}
		for _, s := range g.Paths(v) {
			if u, ok := beside(s, under); ok {
				out = append(out, u)
				break
			}
		}
	}
	return out
}

// maskedRoots are what s, a mean under a mask or a product with one, is made of.
func (g *Graph) maskedRoots(s Seen) (out []maskedRoot) {
	by := Reduction{At: s, Sum: s}
	if s.IsOp("mul") {
		of, m, ok := unmasked(s)
		if !ok || m.Not || !g.isPadding(m.Seen, true, 8) {
			return nil
		}
		by.Of, by.Under = of, []Mask{m}
	} else if r, ok := UnsignedReductionOf(s); ok && r.By == ByMask && len(r.Under) > 0 && g.mayPad(r.Under[0].Seen) {
		by = r
	} else {
		return nil
	}
	for _, root := range positional(by.Of) {
		out = append(out, maskedRoot{root, by, by.Under[0]})
	}
	return out
}

// Normalises reports whether the mean or spread is taken off what it is of, or divides that.
func (u UnmaskedMean) Normalises() bool {
	found := false
	u.At.g.eachForm(u.At.Val, 4, func(x *infer.Val) {
		for _, use := range u.At.g.UsesOf(x) {
			if use.IsOp("sub", "div") && len(use.In) > 1 && use.In[1] == x && use.In[0] != nil && use.In[0] != x {
				top := use.In[0]
				if base := infer.Strip(top); base != nil && base.IsOp("sub") && len(base.In) > 0 {
					top = base.In[0]
				}
				found = found || infer.SameSource(top, u.Of.Val)
			}
		}
	})
	return found
}

// eachForm visits v and what it is with an epsilon or a bound.
func (g *Graph) eachForm(v *infer.Val, depth int, visit func(*infer.Val)) {
	visit(v)
	if depth == 0 {
		return
	}
	for _, u := range g.UsesOf(v) {
		if infer.Through(u) == v || u.IsOp("add", "clamp", "clamp_min", "maximum", "max", "sqrt") && len(u.In) > 0 && u.In[0] == v {
			g.eachForm(u, depth-1, visit)
		}
	}
}

// IsProduct reports whether nothing is averaged under the mask, but multiplied with it.
func (u UnmaskedMean) IsProduct() bool { return u.Masked.At.IsOp("mul") }

// beside compares one mean with those under masks.
func beside(s Seen, under map[*infer.Val][]maskedRoot) (UnmaskedMean, bool) {
	of := s.Input(0)
	if !of.Known() || of.whole().selects() || s.IsOp("masked_mean") {
		return UnmaskedMean{}, false
	}
	if _, is := Zeroed(of); is {
		return UnmaskedMean{}, false
	}
	for _, root := range positional(of) {
		for _, m := range under[root] {
			if m.by.Sum.Val != s.Val && goesAlong(s, m.by) && together(s.Val, m.by.At.Val) && !asksForMask(s.Val, m.mask) && !weighedBy(of, m.mask) {
				return UnmaskedMean{At: s, Of: of, Masked: m.by, Mask: m.mask, Root: root}, true
			}
		}
	}
	return UnmaskedMean{}, false
}

// goesAlong reports whether a mean goes over positions: over all that there is, or over what the masked one goes over.
func goesAlong(s Seen, masked Reduction) bool {
	d := s.Arg("dim")
	if d == nil || d.IsNone() {
		return true
	}
	n, ok1 := d.Int()
	m, ok2 := masked.Sum.Arg("dim").Int()
	return ok1 && ok2 && n == m
}

// together reports whether a run may come by both values.
func together(a, b *infer.Val) bool {
	for x := a.Guard; x != nil; x = x.Parent {
		for y := b.Guard; y != nil; y = y.Parent {
			if x.Sense != y.Sense && infer.SameSource(x.Cond, y.Cond) {
				return false
			}
		}
	}
	return true
}

// asksForMask reports whether v is computed under a condition on the mask: where there is none, all count.
func asksForMask(v *infer.Val, m Mask) bool {
	return v.Guarded(func(g *infer.Guard) bool {
		found, truths := false, truthsOf(g.Cond)
		infer.Walk(g.Cond, 30, func(c *infer.Val) bool {
			found = found || infer.SameSource(c, m.Val) || c.Is(domain.Mask) && c.Q.Shape != domain.MakeShape() && !slices.Contains(truths, c)
			return !found
		})
		return found
	})
}

// weighedBy reports whether what is averaged has a factor that was made of the mask, as the number of its ones: whoever
// wrote that knows how many count.
func weighedBy(of Seen, m Mask) bool {
	return slices.ContainsFunc(FactorsOf(of).List, func(f Seen) bool {
		found := false
		infer.Walk(f.Val, 6, func(c *infer.Val) bool {
			found = found || infer.SameSource(c, m.Val)
			return !found
		})
		return found
	})
}

// truthsOf are the comparisons of which a condition is made: a branch is taken by one truth, whatever is compared.
func truthsOf(cond *infer.Val) (out []*infer.Val) {
	for queue := []*infer.Val{cond}; len(queue) > 0 && len(out) < 16; queue = queue[1:] {
		switch v := queue[0]; {
		case v == nil:
		case v.IsOp("and", "or", "not"):
			out, queue = append(out, v), append(queue, v.In...)
		case v.IsOp("eq", "ne", "lt", "le", "gt", "ge", "in", "notin", "is", "isnot"):
			out = append(out, v)
		}
	}
	return out
}

// mayPad reports whether a mask may be one of padding: it was made of tokens or lengths, or nobody knows what it was
// made of. A comparison of anything else chooses among values.
func (g *Graph) mayPad(s Seen) bool {
	if g.isPadding(s, true, 8) {
		return true
	}
	x := s.Strip()
	return x.Known() && (len(x.In) == 0 || x.IsOp(infer.OpItem, infer.OpIterate)) && x.Is(domain.Mask)
}

// positional returns the values that s is made of, position by position: what is known to be said of each token, and
// not of a whole text.
func positional(s Seen) (out []*infer.Val) {
	for _, x := range scoresIn(s) {
		out = append(out, x.Val)
	}
	return out
}

// EachStepHas reports whether s was made, position by position, of one of some kinds.
func (s Seen) EachStepHas(k domain.Kind) bool {
	for v := range placesIn(s, false).seen {
		if v.Is(k) {
			return true
		}
	}
	return false
}

// scoresIn is positional, as seen from s.
func scoresIn(s Seen) []Seen { return placesIn(s, false).out }

// partsIn are scoresIn, with those of which only some positions are taken.
func partsIn(s Seen) []Seen { return placesIn(s, true).out }

func placesIn(s Seen, parts bool) placewise {
	w := placewise{seen: map[*infer.Val]bool{}, parts: parts}
	w.visit(s, 24)
	return w
}

type placewise struct {
	seen  map[*infer.Val]bool
	out   []Seen
	parts bool
}

// inPlace leave a value where it is, other than element-wise operations: comparisons, joins, what is taken elsewhere.
var inPlace = []string{
	"eq", "ne", "lt", "le", "gt", "ge", "where", "masked_fill", infer.OpPhi, infer.OpNarrow, "minimum", "maximum", "detach", "float", "to", "clone", "double",
	"half", "bfloat16", "cpu", "cuda", "contiguous", "long", "int", "bool", "type", "type_as", "nan_to_num", "logsigmoid", "softplus", "relu", "isfinite",
}

func (w *placewise) visit(s Seen, depth int) {
	if !s.Known() || depth == 0 || w.seen[s.Val] || len(w.seen) > 200 {
		return
	}
	w.seen[s.Val] = true
	switch {
	case s.IsOp(infer.OpCall) && s.Returned().Known():
		w.visit(s.Returned(), depth-1)
		return
	case s.IsOp("min", "max") && (len(s.In) < 2 || s.Arg("dim") != nil):
	case IsElementwise(s.Val) || s.IsOp(inPlace...) || s.IsOp("min", "max") || s.IsOp("flatten", "ravel"):
		for i := range s.In {
			w.visit(s.Input(i), depth-1)
		}
		return
	}
	if s.Is(perToken) && (w.parts && s.Op == infer.OpItem || !s.isOfWhole()) {
		w.out = append(w.out, s)
	}
}

// isOfWhole reports whether a value is the result of a reduction, or one that was broadcast on purpose: one for each row, in a column.
func (s Seen) isOfWhole() bool {
	last, known := s.Q.Shape.Dim(-1)
	return known && last.N == 1 && s.Q.Shape.Rank == 2 || s.IsOp("mean", "sum", "unsqueeze", "expand", "expand_as", "item", "std", "var", "repeat", "tile", "full_like", "numel") ||
		s.Q.Shape.Known() && s.Q.Shape.Rank == 0 || slices.Contains([]domain.Reduced{domain.MeanAll, domain.SumAll, domain.MeanDim, domain.SumDim}, s.Q.Reduced)
}

// IsDivergence reports whether the mean is of an estimate of a KL, or what was made of one.
func (u UnmaskedMean) IsDivergence() bool {
	for _, f := range append(FactorsOf(u.Of).List, u.Of) {
		if x := f.Strip(); x.Known() && (x.Is(domain.KL) || x.IsK3()) {
			return true
		}
	}
	return false
}
