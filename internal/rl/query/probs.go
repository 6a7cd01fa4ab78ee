package query

import (
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Probabilities that are exactly zero, and logarithms that are taken of them. The
// rules on gradients read them through these, so that they agree on what is one.

// Whole follows a value back through views that keep all of its elements: an index takes
// some, of which it may be known that they are not 0, as of an action that was drawn.
func Whole(v *infer.Val) *infer.Val {
	for range maxSteps {
		from := infer.Through(v)
		if from == nil || v.Op == infer.OpItem {
			break
		}
		v = from
	}
	return v
}

// Fill is a constant that stands in place of some logits, and where it was put there.
type Fill struct {
	At    *infer.Val
	Value float64
}

// Infinite reports whether the filled logits are minus infinity, so that also their
// log-softmax is.
func (f Fill) Infinite() bool { return math.IsInf(f.Value, -1) }

// faint is a logit whose exponential is 0 in float32, whatever stands beside it.
const faint = -1e4

// FilledLogits returns the mask that takes some of the logits z out by a constant so low
// that their probability is exactly 0.
func FilledLogits(z *infer.Val) (Fill, bool) {
	for range maxSteps {
		z = infer.Strip(z)
		if z == nil {
			break
		}
		if x, ok := fillOf(z).Float(); ok && x <= faint {
			return Fill{z, x}, true
		}
		if !z.IsOp("div", "mul", "add", "sub", "masked_fill", "where", infer.OpStore) || len(z.In) < 2 || z.IsOp("where") {
			break
		}
		z = z.In[0] // a temperature, a bias, another mask
	}
	return Fill{}, false
}

// MaskedScores returns where some elements of v were set, or moved, so far below zero that exp makes nothing of
// them: v holds scores, and no probabilities. It is nil where nothing of that is seen.
func (g *Graph) MaskedScores(v *infer.Val) *infer.Val { return maskedScores(v, 12) }

func maskedScores(v *infer.Val, depth int) *infer.Val {
	v = infer.Strip(v)
	if v == nil || depth == 0 {
		return nil
	}
	fill, ok := fillOf(v).Float()
	if v.IsOp("pad") && v.Fn != nil {
		fill, ok = v.Arg("value").Float()
	}
	var from []*infer.Val
	switch {
	case ok && fill <= faint:
		return v
	case len(v.In) == 0 || v.In[0] == nil:
	case v.IsOp("cat", "stack", "concat", "concatenate"):
		if seq, ok := v.In[0].Ref.(*infer.SeqRef); ok {
			from = seq.Elems
		}
	case v.IsOp("add", infer.OpPhi, infer.OpStore): // x[i][j] = c is x[i] = y, where y[j] = c
		from = v.In[:min(2, len(v.In))]
	case v.IsOp("sub", "div", "masked_fill", "where", "pad", "swapdims", "swapaxes", infer.OpItem):
		from = v.In[:1]
	}
	for _, x := range from {
		if at := maskedScores(x, depth-1); at != nil {
			return at
		}
	}
	return nil
}

// NegatedOutput returns where what a network yields stands in v with a minus, as energies do before a softmax: v holds scores, and no
// weights, unless the network yields nothing above zero. It is nil where more is known of the output, and where it is no such product.
func (g *Graph) NegatedOutput(v *infer.Val) *infer.Val {
	s, sign := g.See(v), 1
	for range maxSteps {
		x, _, meant, ok := FactorsOf(s).Weighed()
		if !ok {
			return nil
		}
		sign *= meant
		if s = x.Strip(); !s.IsOp("div") || len(s.In) == 0 {
			break
		}
		s = s.Input(0)
	}
	if sign > 0 || !s.Known() || s.Q.Kind != domain.UnknownKind || len(s.YieldedBy()) == 0 {
		return nil
	}
	return s.Val
}

// fillOf is what an operation puts in place of some elements: nil for any other.
func fillOf(v *infer.Val) *infer.Val {
	switch {
	case v.IsOp("masked_fill") && v.Fn != nil:
		return v.Arg("value")
	case v.IsOp("where") && v.Fn != nil:
		if x, ok := v.Arg("y").Float(); ok && x <= faint {
			return v.Arg("y")
		}
		return v.Arg("x")
	case v.Op == infer.OpStore && len(v.In) > 1:
		return v.In[1]
	}
	return nil
}

// PLogP is a product of probabilities and their own logarithm, of which some are exactly
// 0 and the product NaN.
type PLogP struct {
	P, Log *infer.Val // as they are multiplied, views taken off
	// Zero made them exactly 0: the mask, the filled logits, the one-hot vector.
	Zero *infer.Val
}

// ZeroTimesLog reads v as p * log p, or p * (log p - log q), with a p that is exactly 0
// in places that nothing takes out of the product.
func (g *Graph) ZeroTimesLog(v *infer.Val) (PLogP, bool) {
	if !v.IsOp("mul") || len(v.In) < 2 {
		return PLogP{}, false
	}
	if Picks(v.In[0]) || Picks(v.In[1]) {
		return PLogP{}, false
	}
	for i := range 2 {
		prob, log := unsigned(v.In[i]), unsigned(v.In[1-i])
		if log.IsOp("sub") && len(log.In) > 1 {
			log = unsigned(log.In[0])
		}
		if zero := zeroOf(prob, log); zero != nil && !g.Protected(v) && !g.nanIsDropped(v) {
			return PLogP{prob, log, zero}, true
		}
	}
	return PLogP{}, false
}

// Picks reports whether v holds only some elements of what it is a view of, and a mask may say which.
func Picks(v *infer.Val) bool {
	for ; v != nil; v = infer.Through(v) {
		if v.IsOp("masked_select") || v.Op == infer.OpItem && len(v.In) > 1 && mayBeMask(v.In[1]) {
			return true
		}
	}
	return false
}

// mayBeMask reports whether an index, or one of several, may be a mask.
func mayBeMask(at *infer.Val) bool {
	if at == nil {
		return false
	}
	if seq, ok := at.Ref.(*infer.SeqRef); ok {
		return slices.ContainsFunc(seq.Elems, isNoPlace)
	}
	return isNoPlace(at)
}

// isNoPlace reports whether an index is neither a position, nor a slice or places that are counted.
func isNoPlace(at *infer.Val) bool {
	switch {
	case at == nil:
		return false
	case at.Is(domain.Mask):
		return true
	}
	if _, ok := at.Ref.(*infer.SliceRef); ok {
		return false
	}
	return !IsNumber(at) && !at.IsNone() && !at.Is(domain.Number|domain.Index|domain.Count|domain.Action|domain.TokenIDs)
}

// nanIsDropped reports whether the NaN among the elements of v are left out: by nansum,
// or by an index.
func (g *Graph) nanIsDropped(v *infer.Val) bool {
	for _, u := range g.UsesOf(v) {
		if u.IsOp("nansum", "nanmean", "masked_select") || u.Op == infer.OpItem && u.In[0] == v {
			return true
		}
	}
	return false
}

// unsigned follows a value back through views and signs.
func unsigned(v *infer.Val) *infer.Val {
	v = infer.Strip(v)
	for v != nil && v.IsOp("neg") && len(v.In) > 0 {
		v = infer.Strip(v.In[0])
	}
	return v
}

// zeroOf returns what makes a probability exactly 0, where log is its logarithm and
// minus infinity there; else nil.
func zeroOf(prob, log *infer.Val) *infer.Val {
	if prob == nil || log == nil || len(prob.In) == 0 || len(log.In) == 0 {
		return nil
	}
	switch {
	case log.IsOp("log") && infer.SameSource(log.In[0], prob):
		return ExactZero(prob)
	case log.IsOp("log_softmax") && (prob.IsOp("softmax") && infer.SameSource(prob.In[0], log.In[0]) || prob.IsOp("exp") && infer.SameSource(prob.In[0], log)):
		if fill, ok := FilledLogits(log.In[0]); ok && fill.Infinite() {
			return fill.At
		}
	}
	return nil
}

// ExactZero returns what makes some of the probabilities prob exactly 0, or nil where
// nothing is known to.
func ExactZero(prob *infer.Val) *infer.Val {
	for range 4 {
		prob = infer.Strip(prob)
		switch {
		case prob == nil || len(prob.In) == 0 || prob.Q.Range.NonZero:
			return nil
		case prob.IsOp("one_hot"):
			return prob
		case prob.IsOp("softmax"):
			if fill, ok := FilledLogits(prob.In[0]); ok {
				return fill.At
			}
			return nil
		case prob.IsOp("mul") && len(prob.In) > 1 && (prob.In[0].Is(domain.Mask) || prob.In[1].Is(domain.Mask)):
			return prob
		}
		if zero, ok := fillOf(prob).Float(); ok && zero == 0 {
			return prob
		}
		if !prob.IsOp("div") {
			return nil
		}
		prob = prob.In[0] // normalised again
	}
	return nil
}
