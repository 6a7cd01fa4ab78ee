package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Axes before the features
//
// Nothing says what shape an environment shows: its name stands in a configuration, or it is made elsewhere. But a linear layer takes
// one axis of features, the last, so what a single environment shows at one step and a linear layer takes as it is has no other. What is
// made of that on the way (rows that are stacked, an axis for a batch of one) can be counted.

// maxRowAxes bounds the values that are looked at for one count.
const maxRowAxes = 96

// What a count says where it is no number.
const (
	axesUnknown = -1
	axesAny     = -2 // whatever the others say: met on the way already, or None
)

// rowAxes counts the axes that stand before the features of v, which a linear layer takes: 0 of one observation, 1 of a batch. It is
// negative where v does not come from what an environment shows, or not by operations that are followed.
func (g *Graph) rowAxes(v *infer.Val) int {
	c := rowCount{seen: map[*infer.Val]bool{}}
	return c.of(v)
}

type rowCount struct{ seen map[*infer.Val]bool }

func (c *rowCount) of(v *infer.Val) int {
	switch {
	case v == nil || len(c.seen) > maxRowAxes:
		return axesUnknown
	case v.IsNone() || c.seen[v]:
		return axesAny
	case v.Q.Shape.Known() && v.Ref == nil:
		return int(v.Q.Shape.Rank) - 1
	case len(v.In) == 0 || v.In[0] == nil:
		return axesUnknown
	}
	c.seen[v] = true
	switch {
	case v.Op == infer.OpPhi:
		return c.all(v.In)
	case v.Is(domain.Observation) && v.IsOp("step", "reset"):
		if axes, ok := infer.EnvAxes(v.In[0]); ok {
			return axes
		}
		return axesUnknown
	case strings.HasSuffix(v.Op, "Linear.__call__"):
		return c.of(v.Arg("x"))
	case v.Op == infer.OpItem:
		return c.item(v)
	case v.Op == infer.OpIterate:
		return plus(c.of(v.In[0]), -1)
	case v.IsOp("unsqueeze", "expand_dims"):
		if d, ok := v.Arg("dim").Int(); ok && d == 0 {
			return plus(c.of(v.In[0]), 1)
		}
		return axesUnknown
	case v.IsOp("squeeze"):
		if d, ok := v.Arg("dim").Int(); ok && d == 0 {
			return plus(c.of(v.In[0]), -1)
		}
		return axesUnknown
	case v.IsOp("array", "asarray", "tensor", "as_tensor", "FloatTensor", "Tensor", "stack", "vstack", "cat", "concatenate") && v.In[0].Ref != nil:
		return c.joined(v)
	case IsElementwise(v) && len(v.In) > 1 && v.In[1] != nil && !v.IsOp("clamp", "clamp_min", "clamp_max", "pow"):
		return max(c.of(v.In[0]), c.of(v.In[1]))
	case v.Op == infer.OpNarrow, v.Op == infer.OpStore, v.Op == infer.OpCall && !v.Unfollowed() && v.In[0].Frame != nil, IsElementwise(v), v.IsOp(sameAxes...):
		return c.of(v.In[0])
	}
	return axesUnknown
}

// sameAxes are operations that leave the axes as they are.
var sameAxes = []string{
	"as_tensor", "tensor", "from_numpy", "FloatTensor", "Tensor", "array", "asarray", "astype", "Variable", "float", "double", "to", "type", "cpu", "cuda", "numpy",
	"detach", "clone", "copy", "contiguous", "leaky_relu", "elu", "gelu", "silu", "selu", "mish", "softmax", "log_softmax", "dropout", "layer_norm", "nan_to_num", "clip",
}

// all is the count of something that is one of several values.
func (c *rowCount) all(vals []*infer.Val) int {
	out := axesAny
	for _, x := range vals {
		switch n := c.of(x); {
		case n == axesAny:
		case n < 0 || out >= 0 && n != out:
			return axesUnknown
		default:
			out = n
		}
	}
	return out
}

// item is the count of x[i].
func (c *rowCount) item(v *infer.Val) int {
	if len(v.In) < 2 || v.In[1] == nil || v.In[0].Ref != nil {
		return axesUnknown
	}
	index := v.In[1]
	of, tuple := index.Ref.(*infer.SeqRef)
	switch {
	case index.IsNone(), tuple && !of.List && len(of.Elems) > 0 && of.Elems[0].IsNone() && !slices.ContainsFunc(of.Elems[1:], isNotWhole):
		return plus(c.of(v.In[0]), 1)
	case isRows(index):
		return c.of(v.In[0])
	case isScalar(index):
		return plus(c.of(v.In[0]), -1)
	}
	return axesUnknown
}

// isNotWhole reports whether an index leaves out something of its axis, or is none of one axis.
func isNotWhole(index *infer.Val) bool {
	r, ok := index.Ref.(*infer.SliceRef)
	return !(ok && *r == infer.SliceRef{}) && !infer.IsEllipsis(index)
}

// joined is the count of what is made of a list: all that is joined has as many axes, so one that is known tells.
func (c *rowCount) joined(v *infer.Val) int {
	seq, ok := v.In[0].Ref.(*infer.SeqRef)
	if !ok {
		return axesUnknown
	}
	n := axesUnknown
	for _, x := range append(slices.Clip(seq.Elems), seq.Elem) {
		if n < 0 && x != nil {
			n = c.of(x)
		}
	}
	switch {
	case n < 0:
		return axesUnknown
	case v.IsOp("vstack"):
		return max(n, 1)
	case v.IsOp("cat", "concatenate"):
		return n
	case v.IsOp("stack") && !ofFirstAxis(v):
		return axesUnknown
	}
	return n + 1
}

// plus adds axes to a count that is known.
func plus(n, more int) int {
	if n >= 0 && n+more >= 0 {
		return n + more
	}
	return axesUnknown
}
