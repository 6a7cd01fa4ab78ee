package maskedstatnokeepdim

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// A statistic of dimension 1 that was dropped fits all the same where there is one row, and where rows and columns are alike.

// isOneRow reports whether the first dimension of x is 1: it was added, or given as that, or a network was called with one row.
func isOneRow(x query.Seen, room int) bool {
	for ; room > 0; room-- {
		x = x.SameShape()
		if !x.Known() || len(x.In) == 0 {
			return false
		}
		if s := x.Q.Shape; s.Known() && s.Rank > 1 {
			return s.Dims[0].N == 1
		}
		if of, centred := x.Centre(); centred {
			x = of
			continue
		}
		switch {
		case x.IsOp("unsqueeze", "expand_dims"):
			d, ok := x.Arg("dim").Int()
			if !ok && len(x.In) > 1 {
				d, ok = x.In[1].Int()
			}
			return ok && d == 0
		case x.Op == infer.OpItem && len(x.In) > 1:
			return x.In[1].IsNone()
		case x.IsOp(plain...), x.IsOp("add", "sub", "mul", "div") && len(x.In) > 1 && (query.IsNumber(x.In[1]) || isOneRow(x.Input(1), room-1)):
			x = x.Input(0)
		case x.Op == infer.OpCall:
			data := slices.DeleteFunc(slices.Clone(x.In), func(in *infer.Val) bool { return in == nil || in.Const != nil || in.Is(domain.Other) })
			if len(data) == 0 {
				return false
			}
			x = x.Of(data[len(data)-1])
		default:
			return false
		}
	}
	return false
}

// isSymmetric reports whether x is its own transpose: a sum with the transpose, distances or products of rows with the same rows, or what is
// computed of one of these element by element.
func isSymmetric(x query.Seen) bool {
	for range maxBack {
		x = x.SameShape()
		switch {
		case !x.Known() || len(x.In) == 0:
			return false
		case x.IsOp("cdist") && len(x.In) > 1:
			return x.Input(0).Same(x.Input(1))
		case x.IsOp("add", "matmul", "mm") && len(x.In) > 1 && (isTransposeOf(x.Input(1), x.Input(0)) || isTransposeOf(x.Input(0), x.Input(1))):
			return true
		case x.IsOp(plain...), x.IsOp("add", "sub", "mul", "div") && len(x.In) > 1 && query.IsNumber(x.In[1]):
			x = x.Input(0)
		default:
			return false
		}
	}
	return false
}

func isTransposeOf(t, x query.Seen) bool {
	t = t.SameShape()
	return t.Known() && t.IsOp("t", "T", "mT", "transpose") && len(t.In) > 0 && t.Input(0).Same(x)
}

// maxBack bounds the way back to what says how data was made.
const maxBack = 12
