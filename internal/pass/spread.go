package pass

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Standardisation: x over its spread. The rules on advantages read it through
// these, so that they agree on what is one.

// Scored are the kinds of what a policy is rewarded with.
const Scored = domain.Reward | domain.Return | domain.Advantage

// SpreadOf returns the data of which v is the standard deviation or the norm, or
// nil. The std of a distribution is no spread of data: a network yields it.
func SpreadOf(v *infer.Val) *infer.Val {
	v = infer.Strip(v)
	switch {
	case v == nil || v.Frame == nil || len(v.In) == 0:
		return nil
	case v.IsOp("sqrt", "pow") && v.In[0] != nil:
		if of := infer.Strip(v.In[0]); of.IsOp("var", "var_mean") && len(of.In) > 0 {
			return of.In[0]
		}
		return nil
	case v.IsOp("std", "nanstd", "std_mean"), v.IsOp("norm") && v.In[0].Is(Scored):
		return v.In[0]
	}
	return nil
}

// MeanOf returns the data of which v is the mean, or nil.
func MeanOf(v *infer.Val) *infer.Val {
	v = infer.Strip(v)
	if v.IsOp("mean", "nanmean") && len(v.In) > 0 {
		return v.In[0]
	}
	return nil
}

// Standardises reports whether num over the spread of x makes the scale of x
// one: num is x itself, less something, or x is a reward, return or advantage.
func Standardises(num, x *infer.Val) bool {
	if infer.SameSource(num, x) || x.Is(Scored) {
		return true
	}
	num = infer.Strip(num)
	return num.IsOp("sub") && len(num.In) > 0 && infer.SameSource(num.In[0], x)
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
// dimension, or over everything.
func ReducesOne(v *infer.Val) bool {
	if len(v.In) == 0 || v.In[0] == nil {
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
	d, ok := shape.Dim(int(i))
	return ok && d.N == 1
}
