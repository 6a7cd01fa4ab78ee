package query

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// IsCentred reports whether s is x less the mean of x, over its spread or not.
func (s Seen) IsCentred() bool {
	s = s.Strip()
	if s.Known() && s.IsOp("div") && len(s.In) > 0 {
		s = s.Input(0).Strip()
	}
	if !s.Known() || !s.IsOp("sub") || len(s.In) < 2 {
		return false
	}
	mean := s.Input(1).Strip()
	return mean.Known() && mean.IsOp("mean") && len(mean.In) > 0 && mean.Input(0).Same(s.Input(0))
}

// Unstandardised is the data that s standardises: x of (x - x.mean()) / (x.std() + eps), of
// either half of it, and under a mask; s itself where it is nothing of that sort.
func (s Seen) Unstandardised() Seen {
	for range 4 {
		x := s.Strip()
		switch {
		case !x.Known() || len(x.In) < 2:
			return s
		case x.IsOp("sub") && x.Input(1).isMeanOf(x.Input(0)),
			x.IsOp("div") && (x.Input(1).Strip().Is(domain.Std) || s.g.SpreadOf(x.In[1]) != nil),
			x.IsOp("mul") && x.Input(1).Strip().IsOp("rsqrt"):
			s = x.Input(0)
		default:
			return s
		}
	}
	return s
}

// OverOwnSpread reads s as values over their own spread: less their mean or not, and also where the mean is added again. of are the values.
func (s Seen) OverOwnSpread() (of Seen, ok bool) {
	x := s.Strip()
	if !x.Known() {
		return Seen{}, false
	}
	if x.IsOp("add") && len(x.In) > 1 {
		for i := range 2 {
			if of, ok = x.Input(i).Strip().scaledBySpread(); ok && x.Input(1-i).isMeanOf(of) {
				return of, true
			}
		}
	}
	return x.scaledBySpread()
}

func (s Seen) scaledBySpread() (of Seen, ok bool) {
	switch {
	case !s.Known() || len(s.In) == 0:
		return Seen{}, false
	case s.IsOp("masked_whiten"):
		return s.Input(0), true
	case s.IsOp("div") && len(s.In) > 1:
		spread, ok := s.Input(1).spreadOf()
		return s.Input(0).ifScaled(spread, ok)
	case s.IsOp("mul") && len(s.In) > 1:
		for i := range 2 {
			if spread, ok := s.Input(i).inverseSpreadOf(); ok {
				return s.Input(1-i).ifScaled(spread, ok)
			}
		}
	}
	return Seen{}, false
}

// ifScaled is what s is of, less the mean or not, if the spread that scales it is one of the same values.
func (s Seen) ifScaled(spread Seen, ok bool) (of Seen, same bool) {
	if !ok {
		return Seen{}, false
	}
	of, centred := s.Centre()
	if !centred {
		of = s
	}
	if x, ok := spread.Centre(); ok && !s.Same(spread) {
		spread = x
	}
	return of, of.Same(spread) || s.Same(spread)
}

// spreadOf is that of which s is the standard deviation, kept from zero or not, and written in any way.
func (s Seen) spreadOf() (of Seen, ok bool) {
	x := s.WithoutEps()
	switch {
	case !x.Known() || len(x.In) == 0:
	case x.IsOp("std", "nanstd", "std_mean"):
		return x.Input(0), true
	case x.IsOp("sqrt"), x.IsOp("pow") && x.powerIs(0.5):
		return x.Input(0).VarianceOf()
	}
	return Seen{}, false
}

// inverseSpreadOf is that of which s is one over the standard deviation.
func (s Seen) inverseSpreadOf() (of Seen, ok bool) {
	x := s.Strip()
	switch {
	case !x.Known() || len(x.In) == 0:
	case x.IsOp("rsqrt"), x.IsOp("pow") && x.powerIs(-0.5):
		return x.Input(0).VarianceOf()
	case x.IsOp("reciprocal"):
		return x.Input(0).spreadOf()
	case x.IsOp("div") && len(x.In) > 1 && isOne(x.Input(0)):
		return x.Input(1).spreadOf()
	}
	return Seen{}, false
}

// VarianceOf is that of which s is the variance: over all of it or under a mask, by a function or written out.
func (s Seen) VarianceOf() (of Seen, ok bool) {
	x := s.WithoutEps()
	if !x.Known() || len(x.In) == 0 {
		return Seen{}, false
	}
	if x.IsOp("var", "nanvar", "var_mean", "masked_var") {
		return x.Input(0), true
	}
	r, ok := ReductionOf(x)
	if !ok || r.By == Undivided {
		return Seen{}, false
	}
	square := r.Of.Strip()
	if square.Known() && (square.IsOp("square") || square.IsOp("pow") && square.powerIs(2) || square.IsOp("mul") && len(square.In) > 1 && square.Input(0).Same(square.Input(1))) {
		return square.Input(0).Centre()
	}
	return Seen{}, false
}

// powerIs reports whether a power has such an exponent.
func (s Seen) powerIs(exponent float64) bool {
	c, ok := s.Input(1).Float()
	return ok && c == exponent
}

// isMeanOf reports whether s is the mean of x, over all of it or under a mask.
func (s Seen) isMeanOf(x Seen) bool {
	mean := s.Strip()
	if mean.Known() && mean.IsOp("mean", "nanmean", "std_mean", "var_mean") && len(mean.In) > 0 {
		return mean.Input(0).Same(x)
	}
	r, ok := ReductionOf(s)
	return ok && r.Of.Same(x)
}

// Standardisation: x over its spread. The rules on advantages read it through
// these, so that they agree on what is one.

// Scored are the kinds of what a policy is rewarded with.
const Scored = domain.Reward | domain.Return | domain.Advantage

// SpreadOf returns the data of which v is the standard deviation or the norm, or
// nil. The std of a distribution is no spread of data: a network yields it. Where v
// is one of several values, by a branch or by a key, it is a spread if one of them
// is that may be zero, unless the branch was taken for the data's sake.
func (g *Graph) SpreadOf(v *infer.Val) *infer.Val { return g.spreadWithin(v, maxJoins) }

// maxJoins bounds the joins of joins that are looked into.
const maxJoins = 16

func (g *Graph) spreadWithin(v *infer.Val, depth int) *infer.Val {
	s := g.See(v).Strip()
	if !s.Known() {
		return nil
	}
	if s.Op != infer.OpPhi {
		return s.Of(rootOf(spreadOf(s.Val))).Val // the argument, where a helper computed it
	}
	for _, in := range s.In {
		if in == nil || in.Op == infer.OpNarrow || in.Q.Range.NonZero || depth == 0 {
			continue
		}
		if x := s.Of(g.spreadWithin(in, depth-1)).Val; x != nil && !g.branchesOn(s.Val, x) {
			return x
		}
	}
	return nil
}

// branchesOn reports whether one of the values that meet in phi was computed under
// a condition on the elements of x.
func (g *Graph) branchesOn(phi, x *infer.Val) bool {
	for _, in := range phi.In {
		if in != nil && g.ChecksContent(in, x) {
			return true
		}
	}
	return false
}

func spreadOf(v *infer.Val) *infer.Val {
	if v.Frame == nil || len(v.In) == 0 || v.In[0] == nil {
		return nil
	}
	switch of := infer.Strip(v.In[0]); {
	case v.IsOp("std", "nanstd", "std_mean"), v.IsOp("norm") && (of.Is(Scored) || IsCentred(of) && IsOfAll(v)):
		return v.In[0]
	case v.IsOp("sqrt", "pow") && IsVariance(of):
		return of.In[0]
	case v.IsOp("sqrt", "pow"):
		return meanSquareOf(of)
	}
	return nil
}

// IsVariance reports whether v is the variance of data.
func IsVariance(v *infer.Val) bool {
	return v.IsOp("var", "nanvar", "var_mean") && len(v.In) > 0 && v.In[0] != nil
}

// meanSquareOf returns the squares of centred values of which v is the mean, times a
// correction where there is one; nil for anything else.
func meanSquareOf(v *infer.Val) *infer.Val {
	if v.IsOp("mul", "div") && len(v.In) > 0 {
		v = infer.Strip(v.In[0])
	}
	if !v.IsOp("mean", "nanmean") || len(v.In) == 0 {
		return nil
	}
	square := infer.Strip(v.In[0])
	if square.IsOp("square", "pow", "mul") && len(square.In) > 0 && IsCentred(infer.Strip(square.In[0])) {
		return v.In[0]
	}
	return nil
}

// IsCentred reports whether v is x - x.mean().
func IsCentred(v *infer.Val) bool {
	if !v.IsOp("sub") || len(v.In) < 2 || v.In[1] == nil {
		return false
	}
	mean := infer.Strip(v.In[1])
	return mean.IsOp("mean", "nanmean", "std_mean", "var_mean") && len(mean.In) > 0 && infer.SameSource(mean.In[0], v.In[0])
}

// MeanOf returns the data of which v is the mean, or nil; on one of the branches
// where v was computed on several.
func MeanOf(v *infer.Val) *infer.Val { return meanWithin(v, maxJoins) }

func meanWithin(v *infer.Val, depth int) *infer.Val {
	v = infer.Strip(v)
	switch {
	case v == nil || len(v.In) == 0:
		return nil
	case v.IsOp("mean", "nanmean"):
		return v.In[0]
	case v.Op == infer.OpPhi && depth > 0:
		for _, in := range v.In {
			if x := meanWithin(in, depth-1); x != nil {
				return x
			}
		}
	}
	return nil
}

// IsOfAll reports whether a statistic is one number, and not one for each row or column.
func IsOfAll(statistic *infer.Val) bool {
	dim := statistic.Arg("dim")
	return dim == nil || dim.IsNone()
}

// Standardises reports whether num over the spread of x makes the scale of x one:
// num is x itself, less something, or times something; or pieces of the data of
// which x is made, less their mean; or x is a reward, return or advantage. A mean over the spread of the same is one number that describes the data,
// as a Sharpe ratio is.
func Standardises(num, x *infer.Val) bool {
	switch {
	case isGain(num):
		return false
	case x.Is(Scored):
		return !isStatistic(num, maxStatistic)
	}
	num, x = infer.Strip(num), rootOf(x)
	if infer.SameSource(rootOf(num), x) {
		return true
	}
	switch {
	case len(num.In) < 2 || num.In[0] == nil || num.In[1] == nil:
		return false
	case num.IsOp("sub"):
		return infer.SameSource(rootOf(num.In[0]), x) || SharePieces(num.In[0], x) && (isMeanPart(num.In[1]) || SharePieces(num.In[1], x))
	case num.IsOp("mul"):
		return isShifted(num.In[0], x) || isShifted(num.In[1], x)
	}
	return false
}

// maxStatistic bounds the way from a number back to the reductions that it is computed of.
const maxStatistic = 8

// writtenItemOf returns the array of which v is what stands at a position that the program writes; nil where it is something else.
func writtenItemOf(v *infer.Val) *infer.Val {
	if v == nil || v.Op != infer.OpItem || len(v.In) < 2 {
		return nil
	}
	if _, known := v.In[1].Int(); !known {
		return nil
	}
	return v.In[0]
}

// isGain reports whether v is what a history gained from one entry to another.
func isGain(v *infer.Val) bool {
	v = infer.Strip(v)
	return v != nil && v.IsOp("sub") && len(v.In) > 1 && infer.SameSource(writtenItemOf(v.In[0]), writtenItemOf(v.In[1]))
}

// isStatistic reports whether v is computed of reductions of whole tensors, and of numbers.
func isStatistic(v *infer.Val, depth int) bool {
	v = infer.Strip(v)
	switch {
	case v == nil || depth == 0:
		return false
	case v.IsOp("mean", "nanmean", "sum", "nansum", "median") && v.Fn != nil:
		return IsOfAll(v)
	case !v.IsOp("add", "sub", "mul", "div", "neg", "sqrt") || len(v.In) == 0:
		return false
	}
	reduced := false
	for _, x := range v.In {
		of := isStatistic(x, depth-1)
		if reduced = reduced || of; !of && (x == nil || x.Const == nil && !IsNumber(x)) {
			return false
		}
	}
	return reduced
}

// isShifted reports whether v is x less something.
func isShifted(v, x *infer.Val) bool {
	v = infer.Strip(v)
	return v.IsOp("sub") && len(v.In) > 1 && infer.SameSource(rootOf(v.In[0]), x)
}

func isMeanPart(v *infer.Val) bool {
	return anyPart(v, func(v *infer.Val) bool { return v.IsOp("mean", "nanmean") })
}

// rootOf follows a value back through shifts and squares of itself, which do not
// change whether all of it is equal.
func rootOf(v *infer.Val) *infer.Val {
	for range 4 {
		v = infer.Strip(v)
		if v == nil || !IsCentred(v) && !v.IsOp("square", "pow") || v.In[0] == nil {
			return v
		}
		v = v.In[0]
	}
	return v
}

// maxEps is the largest constant that is taken for an epsilon.
const maxEps = 1e-2

// Eps splits a sum of a value and a small positive constant; ok is false for
// anything else.
func Eps(v *infer.Val) (x, eps *infer.Val, ok bool) {
	if !v.IsOp("add") || len(v.In) < 2 {
		return nil, nil, false
	}
	for i, e := range v.In[:2] {
		if c, isConst := e.Float(); isConst && c > 0 && c <= maxEps {
			return v.In[1-i], e, true
		}
	}
	return nil, nil, false
}

// ReducesOne reports whether a reduction is over one element only: along its
// dimension, or over everything. It is false for what may be a reduction or
// something else.
func ReducesOne(v *infer.Val) bool {
	if v.Fn == nil || len(v.In) == 0 || v.In[0] == nil {
		return false
	}
	shape := v.In[0].Q.Shape
	dim := v.Arg("dim")
	if dim == nil || dim.IsNone() {
		n, ok := shape.Numel()
		return ok && n == 1
	}
	i, ok := dim.Int()
	if !ok {
		return false
	}
	if d, ok := shape.Dim(int(i)); ok && d.N >= 0 {
		return d.N == 1
	}
	return partOf(v.In[0], int(i)) == 1
}

// partOf is the size of an axis into which x.unflatten(at, sizes) took another, however many x has; 0 where that is not
// known.
func partOf(x *infer.Val, axis int) int64 {
	for room := maxSteps; x != nil && room > 0 && !x.IsOp("unflatten"); room-- {
		if x.Op != infer.OpCall && x.Op != infer.OpNarrow && !x.IsOp(unshaped...) || x.Unfollowed() || len(x.In) == 0 {
			return 0
		}
		x = x.In[0]
	}
	if x == nil || x.Arg("sizes") == nil {
		return 0
	}
	at, known := x.Arg("dim").Int()
	sizes, listed := x.Arg("sizes").Ref.(*infer.SeqRef)
	if !known || !listed || (at < 0) != (axis < 0) {
		return 0
	}
	first := int(at)
	if at < 0 {
		first -= len(sizes.Elems) - 1
	}
	if axis < first || axis >= first+len(sizes.Elems) {
		return 0
	}
	n, _ := sizes.Elems[axis-first].Int()
	return n
}
