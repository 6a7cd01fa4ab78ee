package maskedstatnokeepdim

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// collector gathers the reductions that a statistic is made of.
type collector struct {
	reductions []query.Seen
	dim        int // the dimension that all of them drop, counted from the front
}

// plain operations keep the shape, so a dropped dimension stays dropped.
var plain = []string{
	"sqrt", "rsqrt", "abs", "neg", "exp", "log", "square", "pow", "clamp", "clip", "clamp_min", "nan_to_num",
}

// collect reads s as arithmetic on reductions over one later dimension that is not kept;
// false if it is anything else.
func (c *collector) collect(s query.Seen, depth int) bool {
	switch {
	case !s.Known() || depth == 0:
		return false
	case isNumber(s.Val):
		return true
	case s.Op == infer.OpPhi:
		for i, v := range s.In {
			if v == nil || v.IsNone() || !c.collect(s.Input(i), depth-1) {
				return false
			}
		}
		return true
	case s.SameShape().Val != s.Val:
		return c.collect(s.SameShape(), depth-1)
	case s.IsOp(plain...) && len(s.In) > 0 && s.In[0] != nil:
		return c.collect(s.Input(0), depth-1)
	case s.IsOp("add", "sub", "mul", "div", "maximum", "minimum") && len(s.In) > 1:
		return c.collect(s.Input(0), depth-1) && c.collect(s.Input(1), depth-1)
	case s.IsOp("mean", "sum", "std", "var", "nanmean", "nansum", "nanstd", "norm", "amax", "amin"):
		return c.reduction(s)
	}
	return false
}

func isNumber(v *infer.Val) bool {
	_, ok := v.Float()
	return ok || v.Op == infer.OpConfig
}

func (c *collector) reduction(s query.Seen) bool {
	d, ok := s.Arg("dim").Int()
	if !ok || d < 1 || c.dim != 0 && c.dim != int(d) {
		return false
	}
	if keep := s.Arg("keepdim"); keep != nil && keep.Const != false {
		return false
	}
	c.dim = int(d)
	c.reductions = append(c.reductions, s)
	return true
}

// about reports whether one of the reductions is of x.
func (c *collector) about(x query.Seen) bool {
	return slices.ContainsFunc(c.reductions, func(r query.Seen) bool { return about(r.Input(0), x, 6) })
}

// about reports whether data is x, element by element: x itself, x times a mask,
// its square, its distance from its mean.
func about(data, x query.Seen, depth int) bool {
	data, x = data.SameShape(), x.SameShape()
	switch {
	case !data.Known() || !x.Known():
		return false
	case infer.MadeAlike(data.Val, x.Val):
		return true
	case depth == 0:
		return false
	case data.IsOp("mul", "sub", "add") && len(data.In) > 1:
		return about(data.Input(0), x, depth-1) || about(data.Input(1), x, depth-1)
	case data.IsOp("pow", "square", "where", "masked_fill", "abs") && len(data.In) > 0:
		return about(data.Input(0), x, depth-1) || data.IsOp("where") && about(data.Input(1), x, depth-1)
	}
	return false
}
