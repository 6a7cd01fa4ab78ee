package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Groups
//
// The answers to one prompt are a group. Programs keep them in one flat batch, look at it as a table of groups, and bring what
// they computed of each group back to the batch:
//
//	x.view(-1, n)    groups are rows: a mean over dim 1, brought back by repeat_interleave(n)
//	x.view(n, -1)    groups are columns: a mean over dim 0, brought back by repeat(n)

// Grouped is a flat batch that is reduced group by group.
type Grouped struct {
	Flat *infer.Val // the batch
	Size *infer.Val // of a group
	Rows bool       // groups are rows of the table
}

// GroupedBy reads a reduction as one over groups of a flat batch.
func GroupedBy(v *infer.Val) (Grouped, bool) {
	if v == nil || v.Fn == nil || len(v.In) == 0 {
		return Grouped{}, false
	}
	dim, ok := v.Arg("dim").Int()
	table := tableOf(v.In[0])
	if !ok || table == nil || len(table.In) == 0 {
		return Grouped{}, false
	}
	sizes := Sizes(table)
	if len(sizes) != 2 {
		return Grouped{}, false
	}
	first, second := sizes[0], sizes[1]
	switch rest, last := isRest(first), isRest(second); {
	case rest && !last && second != nil && (dim == 1 || dim == -1):
		return Grouped{table.In[0], second, true}, true
	case last && !rest && first != nil && (dim == 0 || dim == -2):
		return Grouped{table.In[0], first, false}, true
	}
	return Grouped{}, false
}

func isRest(v *infer.Val) bool {
	n, ok := v.Int()
	return ok && n == -1
}

// tableOf follows values back to where they got their shape; nil where that is not seen.
func tableOf(x *infer.Val) *infer.Val {
	for range maxSteps {
		switch {
		case x == nil || x.IsOp("view", "reshape"):
			return x
		case !x.IsOp("detach", "float", "to", "clone", infer.OpNarrow) && x.Op != infer.OpCall || x.Unfollowed() || len(x.In) == 0:
			return nil
		}
		x = x.In[0]
	}
	return nil
}

// Sizes are the sizes that a view, repeat() or expand() is given.
func Sizes(v *infer.Val) []*infer.Val {
	if v == nil || len(v.In) == 0 {
		return nil
	}
	return behind(v)
}

// Counts reports whether n is how many elements a reduction takes together, however that is written: the size of the
// groups that a batch was cut into, len() of what is summed, a size or a number.
func (n Seen) Counts(reduction Seen) bool {
	if !n.Known() || !reduction.Known() || len(reduction.In) == 0 || reduction.In[0] == nil {
		return false
	}
	x := reduction.Input(0)
	if by, ok := GroupedBy(reduction.Val); ok && reduction.Of(by.Size).Same(n) {
		return true
	}
	dim, named := reduction.Arg("dim").Int()
	all := reduction.Arg("dim") == nil || reduction.Arg("dim").IsNone()
	at := n.Strip()
	if k, constant := at.Int(); constant {
		total, known := x.Q.Shape.Numel()
		if d, ok := x.Q.Shape.Dim(int(dim)); !all {
			total, known = int(d.N), ok && named
		}
		return known && total > 1 && int64(total) == k
	}
	if !at.Known() || len(at.In) == 0 || !at.Input(0).Same(x) || !all && !named {
		return false
	}
	axis, dim := int64(0), fromFront(x.Val, dim)
	switch {
	case at.IsOp("numel"):
		return all
	case !at.IsOp("size", "len"):
		return false
	default:
		var ok bool
		if axis, ok = axisAsked(at.Val); !ok {
			return false
		}
	}
	return !all && axis == dim || all && axis == 0 && x.isFlat()
}

// axisAsked is i of x.size(i) and of x.shape[i], and 0 of len(x), counted from the front.
func axisAsked(size *infer.Val) (int64, bool) {
	if len(size.In) < 2 || size.In[1] == nil {
		_, isLen := size.Node.(*ast.Call)
		return 0, isLen
	}
	i, ok := size.In[1].Int()
	return fromFront(size.In[0], i), ok
}

// fromFront counts an axis of x from the front, where the rank of x is known.
func fromFront(x *infer.Val, axis int64) int64 {
	if axis < 0 && x != nil && x.Q.Shape.Known() {
		return axis + int64(x.Q.Shape.Rank)
	}
	return axis
}

// isFlat reports whether s has one axis, as far as is known.
func (s Seen) isFlat() bool {
	return !s.Q.Shape.Known() && s.Q.Shape.MinRank() < 2 || s.Q.Shape.Rank == 1
}
