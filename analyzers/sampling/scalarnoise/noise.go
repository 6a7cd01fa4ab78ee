package scalarnoise

import (
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// scaledNoise returns the single number that a product scales by the standard
// deviation of a network, or nil.
func scaledNoise(s query.Seen) *infer.Val {
	list := query.FactorsOf(s).List
	if len(list) != 2 {
		return nil
	}
	for i, f := range list {
		if draw := f.Strip(); isScalarDraw(draw.Val, false) && ofNetwork(list[1-i]) {
			return draw.Val
		}
	}
	return nil
}

// fixedNoise returns the single number that a product scales by nothing, numbers or settings, or
// nil.
func fixedNoise(s query.Seen) *infer.Val {
	var noise *infer.Val
	if c, ok := query.ClipOf(s); ok && c.At.Val == s.Strip().Val { // as the noise of a target is kept small
		s = c.X
	}
	for _, f := range query.FactorsOf(s).List {
		draw := f.Strip()
		if isScalarDraw(draw.Val, true) && noise == nil {
			noise = draw.Val
		} else if _, ok := query.WeightOf(f); !ok {
			return nil
		}
	}
	return noise
}

// isScalarDraw reports whether v is one draw from a normal distribution around 0, with a
// standard deviation of 1 unless any number will do.
func isScalarDraw(v *infer.Val, anyScale bool) bool {
	unit := func(scale *infer.Val) bool {
		_, number := infer.Strip(scale).Float()
		return isConst(scale, 1) || anyScale && number
	}
	switch {
	case v.IsOp("sample", "rsample") && len(v.In) > 0:
		d := v.In[0]
		if !d.IsOp("Normal") || v.Arg("sample_shape") != nil {
			return false
		}
		return isConst(d.Arg("loc"), 0) && unit(d.Arg("scale"))
	case v.IsOp("randn", "standard_normal"):
		n, ok := v.Q.Shape.Numel()
		return ok && n == 1 || noSize(v.In) && !query.Unpacks(v.Node) && !query.HasKeyword(v, "") // randn(*mean.size())
	case v.IsOp("gauss", "normalvariate"):
		return true
	case v.IsOp("normal") && v.Lib == infer.LibNumpy:
		return v.Arg("size") == nil && (v.Arg("loc") == nil || isConst(v.Arg("loc"), 0)) && (v.Arg("scale") == nil || unit(v.Arg("scale")))
	}
	return false
}

// noSize reports whether a draw is given no size, or that of a scalar.
func noSize(args []*infer.Val) bool {
	for _, a := range args {
		if a == nil {
			continue
		}
		seq, ok := a.Ref.(*infer.SeqRef)
		if !ok || len(seq.Elems) > 0 || seq.Elem != nil {
			return false
		}
	}
	return true
}

// isConst reports whether v is the number c, or a tensor of it alone.
func isConst(v *infer.Val, c float64) bool {
	v = infer.Strip(v)
	x, ok := v.Float()
	return ok && x == c
}
