package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Axes are counted as torch counts them: from the end where negative. In a shape of unknown rank
// an axis that is counted from the front and one that is counted from the end can be told apart
// only where there are enough axes.

// Softmax is a softmax whose numbers a value holds.
type Softmax struct {
	*infer.Val
	// Axis is the axis of the softmax that the axis of the value is.
	Axis int
	// Least is how many axes the softmax has at least.
	Least int
	// Rows says that the value is a view with the last axis kept, as it was written: the
	// distributions one below another.
	Rows bool
}

// SoftmaxOf follows an axis of a value back to the softmax whose numbers it holds, through what leaves
// each distribution in one piece. least is how many axes the value has at least, as far as its use tells.
// ok is false where v holds no softmax, or where the axis did not come from there.
func (g *Graph) SoftmaxOf(v *infer.Val, axis, least int) (out Softmax, ok bool) {
	for range maxSteps {
		if v == nil || len(v.In) == 0 {
			break
		}
		least = max(least, v.Q.Shape.MinRank())
		if v.IsOp("softmax", "log_softmax") && v.Fn != nil && v.In[0] != nil {
			out.Val, out.Axis, out.Least = v, axis, max(least, g.LeastRank(v), g.LeastRank(v.In[0]))
			return out, true
		}
		if v.Op == infer.OpPhi {
			v = onlySoftmax(v)
			continue
		}
		from, at, ok := axisOf(v, axis)
		if !ok {
			break
		}
		out.Rows = out.Rows || v.IsOp("view", "reshape") && lastSize(v, v.In[0])
		least += axesBefore(v)
		v, axis = from, at
	}
	return Softmax{}, false
}

// onlySoftmax is the one softmax among what control flow may yield, as of a network that ends in another way for each kind of actions;
// nil where there are several: each may be meant for a shape of its own.
func onlySoftmax(phi *infer.Val) *infer.Val {
	var only *infer.Val
	seen := map[*infer.Val]bool{}
	for list := []*infer.Val{phi}; len(list) > 0 && len(seen) < maxSteps; list = list[1:] {
		v := infer.Strip(list[0])
		switch {
		case v == nil || seen[v]:
			continue
		case v.Op == infer.OpPhi:
			list = append(list, v.In...)
		case v.IsOp("softmax", "log_softmax") && only != nil:
			return nil
		case v.IsOp("softmax", "log_softmax"):
			only = v
		}
		seen[v] = true
	}
	return only
}

// axesBefore returns how many axes the input has more than v, or a number so low that v tells nothing
// of its input.
func axesBefore(v *infer.Val) int {
	switch {
	case v.IsOp("unsqueeze"):
		return -1
	case v.Op == infer.OpIterate:
		return 1
	case v.Op == infer.OpItem:
		if _, ok := v.In[1].Int(); ok {
			return 1
		}
		return -domain.MaxRank
	case v.IsOp("view", "reshape"):
		return -domain.MaxRank
	}
	return 0
}

// axisOf returns the input of which v holds the numbers, and which of its axes one of v is.
func axisOf(v *infer.Val, axis int) (from *infer.Val, at int, ok bool) {
	x := v.In[0]
	switch {
	case x == nil:
		return nil, 0, false
	case v.Op == infer.OpNarrow, v.Op == infer.OpCall && !v.Unfollowed() && x.Frame != nil, v.Op == infer.OpStore,
		v.IsOp("detach", "clone", "contiguous", "to", "float", "double", "half", "cpu", "cuda", "numpy", "log", "exp", "clamp", "neg", "type_as", "astype", "masked_fill"):
		return x, axis, true
	case v.IsOp("add", "sub", "mul", "div") && len(v.In) > 1:
		for i, y := range v.In[:2] {
			if other := v.In[1-i]; y != nil && isScalar(other) {
				return y, axis, true
			}
		}
	case v.IsOp("where") && v.Arg("x") != nil && isScalar(v.Arg("y")):
		return v.Arg("x"), axis, true
	case v.IsOp("permute"):
		if order := positions(v); axis+len(order) >= 0 && axis < len(order) && len(order) > 0 {
			return x, order[(axis+len(order))%len(order)], true
		}
	case v.IsOp("t", "transpose", "mT"):
		i, j := -2, -1
		if v.IsOp("transpose") {
			list := positions(v)
			if len(list) != 2 {
				return nil, 0, false
			}
			i, j = list[0], list[1]
		}
		switch shape := x.Q.Shape; {
		case sameAxis(shape, axis, i):
			return x, j, true
		case sameAxis(shape, axis, j):
			return x, i, true
		case otherAxis(shape, axis, i) && otherAxis(shape, axis, j):
			return x, axis, true
		}
	case v.IsOp("unsqueeze"):
		switch d, ok := v.Arg("dim").Int(); {
		case !ok || axis == int(d):
		case (axis >= 0) != (d >= 0):
			return x, axis, axis == 0 || d == 0 // a softmax has one axis at least
		case axis > int(d) && d >= 0:
			return x, axis - 1, true
		case axis < int(d) && d < 0:
			return x, axis + 1, true
		default:
			return x, axis, true
		}
	case v.IsOp("view", "reshape"):
		// All but the last axis may be joined or taken apart.
		was, ok := x.Q.Shape.Dim(-1)
		is, ok2 := v.Q.Shape.Dim(-1)
		if axis == -1 && ok && ok2 && was == is && (was.N > 1 || was.Sym != 0) || axis == -1 && lastSize(v, x) {
			return x, axis, true
		}
	case v.Op == infer.OpIterate:
		return x, -1, axis == -1 && x.Q.Shape.Rank != 1
	case v.Op == infer.OpItem && len(v.In) > 1 && v.In[1] != nil:
		return itemAxis(v, axis)
	}
	return nil, 0, false
}

// isScalar reports whether v is one number, as an epsilon or a temperature.
func isScalar(v *infer.Val) bool {
	_, ok := v.Float()
	return ok || v != nil && (IsNumber(v) || v.Q.Shape.Known() && v.Q.Shape.Rank == 0)
}

// positions reads the constant axes behind the first input, one by one or in a tuple.
func positions(v *infer.Val) []int {
	list := behind(v)
	out := make([]int, 0, len(list))
	for _, v := range list {
		d, ok := v.Int()
		if !ok {
			return nil
		}
		out = append(out, int(d))
	}
	return out
}

// behind lists the arguments behind the first: f(x, 1, 2) or f(x, (1, 2)).
func behind(v *infer.Val) []*infer.Val {
	list := slices.DeleteFunc(slices.Clone(v.In[1:]), func(x *infer.Val) bool { return x == nil })
	if len(list) == 1 {
		if seq, ok := list[0].Ref.(*infer.SeqRef); ok {
			return seq.Elems
		}
	}
	return list
}

// sameAxis reports whether two numbers surely mean one axis.
func sameAxis(s domain.Shape, a, b int) bool {
	if rank := int(s.Rank); s.Known() && rank > 0 {
		return (a+rank)%rank == (b+rank)%rank
	}
	return a == b
}

// otherAxis reports whether two numbers surely mean different axes.
func otherAxis(s domain.Shape, a, b int) bool {
	switch {
	case s.Known():
		return !sameAxis(s, a, b)
	case (a < 0) == (b < 0):
		return a != b
	}
	front, end := max(a, b), min(a, b)
	return s.MinRank()+end > front
}

// lastSize reports whether the last size that a view is given is that of the last axis of x:
// x.reshape(-1, x.shape[-1]).
func lastSize(v, x *infer.Val) bool {
	list := behind(v)
	if len(list) < 2 {
		return false
	}
	n := infer.Strip(list[len(list)-1])
	if n == nil || !n.IsOp("size") || len(n.In) == 0 || !infer.SameSource(n.In[0], x) {
		return false
	}
	if len(n.In) == 1 {
		return true // x.shape[i] of an unknown rank
	}
	d, ok := n.In[1].Int()
	return ok && d == -1
}

// itemAxis is axisOf for x[index].
func itemAxis(v *infer.Val, axis int) (*infer.Val, int, bool) {
	x, parts := v.In[0], []*infer.Val{v.In[1]}
	if seq, ok := v.In[1].Ref.(*infer.SeqRef); ok && !seq.List {
		parts = seq.Elems
	}
	last := len(parts) - 1
	if last < 0 || slices.ContainsFunc(parts, func(p *infer.Val) bool { return p == nil || p.IsNone() }) {
		return nil, 0, false
	}
	if axis < 0 {
		// What stands before the last axis does not matter.
		beyond := x.Q.Shape.MinRank() > len(parts) || last == 0 && !x.Q.Shape.Known() && !parts[0].Is(domain.Mask)
		return x, axis, axis == -1 && (beyond || isSlice(parts[last]) || infer.IsEllipsis(parts[last]))
	}
	for _, p := range parts {
		if _, ok := p.Int(); !ok && !isSlice(p) {
			return nil, 0, false
		}
	}
	for at, p := range parts {
		if !isSlice(p) && axis >= at {
			axis++
		}
	}
	return x, axis, true
}

func isSlice(v *infer.Val) bool {
	_, ok := v.Ref.(*infer.SliceRef)
	return ok
}

// LeastRank is the number of axes that a value has at least, by its shape and by what is taken of it.
func (g *Graph) LeastRank(v *infer.Val) int {
	if v.Q.Shape.Known() {
		return int(v.Q.Shape.Rank)
	}
	least := v.Q.Shape.MinRank()
	for _, u := range g.UsesOf(v) {
		if len(u.In) == 0 || u.In[0] != v {
			continue
		}
		switch {
		case u.Op == infer.OpItem && len(u.In) > 1 && u.In[1] != nil:
			if seq, ok := u.In[1].Ref.(*infer.SeqRef); ok && !seq.List && !slices.ContainsFunc(seq.Elems, func(p *infer.Val) bool { return p == nil || p.IsNone() || infer.IsEllipsis(p) }) {
				least = max(least, len(seq.Elems))
			}
		case u.Arg("dim") != nil && !u.IsOp("unsqueeze", "stack"):
			if d, ok := u.Arg("dim").Int(); ok && d >= 0 {
				least = max(least, int(d)+1)
			} else if ok {
				least = max(least, int(-d))
			}
		}
	}
	if least < 2 && ofRows(v) {
		return 2
	}
	return least
}

// ofRows reports whether v is what layers make of an observation that got an axis for the batch: an observation has an axis of its own, or no
// layer could take its features.
func ofRows(v *infer.Val) bool {
	layered := false
	for range maxMeant {
		switch {
		case v == nil || len(v.In) == 0 || v.In[0] == nil:
			return false
		case strings.HasSuffix(v.Op, "Linear.__call__"):
			layered, v = true, v.Arg("x")
		case v.IsOp("unsqueeze"):
			d, ok := v.Arg("dim").Int()
			return layered && ok && d == 0 && v.In[0].Is(domain.Observation)
		case v.Op == infer.OpItem && len(v.In) > 1:
			return layered && addsFirst(v.In[1]) && v.In[0].Is(domain.Observation)
		case v.Op == infer.OpNarrow, v.Op == infer.OpCall && !v.Unfollowed() && v.In[0].Frame != nil,
			IsElementwise(v) && !v.IsOp("add", "sub", "mul", "div", "minimum", "maximum"), v.IsOp("detach", "clone", "dropout", "float", "to", "cuda", "cpu", "tensor", "as_tensor", "from_numpy", "FloatTensor", "leaky_relu", "elu", "gelu"):
			v = v.In[0]
		default:
			return false
		}
	}
	return false
}

// addsFirst reports whether an index puts a new axis before all others: x[None], x[None, :].
func addsFirst(idx *infer.Val) bool {
	if idx == nil {
		return false
	}
	if seq, ok := idx.Ref.(*infer.SeqRef); ok && !seq.List && len(seq.Elems) > 0 {
		idx = seq.Elems[0]
	}
	return idx != nil && idx.IsNone()
}
