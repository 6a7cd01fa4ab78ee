package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Shapes as they are meant
//
// The lattice says of a shape what holds for every run: squeeze() drops the batch axis too where
// there is one row, so of a batch of unknown size it leaves nothing. Who trains has many rows, and
// what goes wrong then is what a rule asks for. Meant therefore takes the sizes that are not known
// for sizes other than 1, and goes on where inference gave up.

// maxMeant bounds how far back a shape is looked for.
const maxMeant = 24

// Meant returns the shape of v for batches of several rows.
func (g *Graph) Meant(v *infer.Val) domain.Shape { return g.meantWithin(v, maxMeant) }

func (g *Graph) meantWithin(v *infer.Val, depth int) domain.Shape {
	switch {
	case v == nil || depth == 0:
		return domain.UnknownShape
	case v.Q.Shape.Known() || v.Q.Shape.IsBottom():
		return v.Q.Shape
	}
	s := g.meant.get(v, func() domain.Shape { return g.meantOf(v, depth) })
	if s.IsBottom() || !s.Known() && s.MinRank() < v.Q.Shape.MinRank() {
		return v.Q.Shape
	}
	return s
}

func (g *Graph) meantOf(v *infer.Val, depth int) domain.Shape {
	if len(v.In) == 0 || v.In[0] == nil {
		return v.Q.Shape
	}
	from := func() domain.Shape { return g.meantWithin(v.In[0], depth-1) }
	switch {
	case v.Op == infer.OpNarrow, v.Op == infer.OpStore, v.Op == infer.OpCall && !v.Unfollowed() && v.In[0].Frame != nil:
		return from()
	case v.Op == infer.OpPhi:
		s := domain.Shape{}
		for _, x := range v.In {
			if x != nil && !x.IsNone() {
				s = s.Join(g.meantWithin(x, depth-1))
			}
		}
		return s
	case v.Op == infer.OpItem && len(v.In) > 1 && isRows(v.In[1]):
		return from().Slice(0, domain.UnknownDim)
	case v.Op == infer.OpItem && len(v.In) > 1 && g.picksOfRows(v, depth):
		return domain.MakeShape(domain.UnknownDim)
	case v.Op == infer.OpIterate && v.In[0].Ref == nil:
		return from().Index(0)
	case v.Fn == nil:
		return v.Q.Shape
	case strings.HasPrefix(v.Op, "torch.distributions."):
		return g.drawnShape(v, depth)
	case v.IsOp("squeeze"):
		return squeezed(v, from())
	case strings.HasSuffix(v.Op, "Linear.__call__"):
		if last, ok := v.Q.Shape.Dim(-1); ok && v.Q.Shape.MinRank() < 3 {
			switch g.rowAxes(v.Arg("x")) {
			case 0:
				return domain.MakeShape(last)
			case 1:
				return domain.MakeShape(domain.UnknownDim, last)
			}
		}
	case v.IsOp("stack") && elementOf(v.In[0]) != nil && ofFirstAxis(v):
		if s := g.meantWithin(elementOf(v.In[0]), depth-1); s.Known() {
			return s.Stack(0, domain.UnknownDim)
		}
	case v.IsOp("cat", "concatenate") && elementOf(v.In[0]) != nil && ofFirstAxis(v):
		if s := g.meantWithin(elementOf(v.In[0]), depth-1); s.Known() {
			return s.Slice(0, domain.UnknownDim)
		}
	case v.IsOp("tensor", "as_tensor", "FloatTensor", "array", "asarray") && elementOf(v.In[0]) != nil:
		if s := g.meantWithin(elementOf(v.In[0]), depth-1); s.Known() && s.Rank == 0 {
			return domain.MakeShape(domain.UnknownDim)
		}
	case v.IsOp("gather", "take_along_dim"):
		return g.gathered(v, depth)
	case strings.HasPrefix(v.Op, "builtins.") && v.IsOp("sum", "max", "min") && elementOf(v.In[0]) != nil:
		return g.meantWithin(elementOf(v.In[0]), depth-1)
	case v.IsOp("max", "min", "sum", "mean", "amax", "amin", "argmax", "logsumexp", "std"):
		return g.reduced(v, from())
	case v.IsOp("unsqueeze"):
		if d, ok := v.Arg("dim").Int(); ok {
			return from().Unsqueeze(int(d))
		}
	case v.IsOp(lossOps...) && len(v.In) > 1 && v.Arg("reduction") != nil && v.Arg("reduction").Const == "none":
		return from().Broadcast(g.meantWithin(v.In[1], depth-1))
	case IsElementwise(v) && len(v.In) > 1 && v.In[1] != nil && !v.IsOp("clamp", "clamp_min", "clamp_max", "pow"):
		return from().Broadcast(g.meantWithin(v.In[1], depth-1))
	case IsElementwise(v) || v.IsOp("detach", "clone", "contiguous", "to", "float", "double", "long", "int", "half", "cpu", "cuda", "numpy", "type_as", "astype",
		"tensor", "as_tensor", "FloatTensor", "from_numpy", "Variable", "data", "leaky_relu", "elu", "dropout", "nan_to_num", "softmax", "log_softmax"):
		return from()
	}
	return v.Q.Shape
}

// drawnShape is the shape of what a distribution says or draws.
func (g *Graph) drawnShape(v *infer.Val, depth int) domain.Shape {
	s := g.lawShape(v.In[0], depth-1)
	switch {
	case !s.Known():
		return v.Q.Shape
	case v.IsOp("sample", "rsample") && v.Arg("sample_shape") == nil, v.IsOp("entropy"):
		return s
	case v.IsOp("log_prob") && len(v.In) > 1:
		if value := g.meantWithin(v.In[1], depth-1); value.Known() {
			return s.Broadcast(value)
		}
	}
	return v.Q.Shape
}

// lawShape is the shape of the draws of a distribution of numbers that do not depend on each other: that of its mean, or of its scores
// without their last axis.
func (g *Graph) lawShape(law *infer.Val, depth int) domain.Shape {
	o, ok := infer.RefOf(law).(*infer.LibObject)
	if !ok || o.Class == nil || depth <= 0 {
		return domain.UnknownShape
	}
	switch strings.TrimPrefix(o.Class.Name, "torch.distributions.") {
	case "Normal":
		if loc := o.Args["loc"]; loc != nil {
			return g.meantWithin(loc, depth-1)
		}
	case "Categorical":
		for _, name := range []string{"logits", "probs"} {
			if scores := o.Args[name]; scores != nil && !scores.IsNone() {
				return g.meantWithin(scores, depth-1).DropLast(1)
			}
		}
	}
	return domain.UnknownShape
}

// ofFirstAxis reports whether a call is along the first axis, as it is where it names none: stack() puts its new axis there, cat() joins rows.
func ofFirstAxis(v *infer.Val) bool {
	d := v.Arg("dim")
	n, ok := d.Int()
	return d == nil || ok && n == 0
}

// squeezed drops the axes of size 1; one that is named is of size 1 where it is the last of several, since nobody
// else names it.
func squeezed(v *infer.Val, s domain.Shape) domain.Shape {
	if d := v.Arg("dim"); d != nil && !d.IsNone() {
		n, ok := d.Int()
		size, known := s.Dim(int(n))
		switch {
		case ok && known && size.N >= 0:
			return s.Squeeze(int(n))
		case ok && s.Known() && s.Rank > 1 && (n == -1 || n == int64(s.Rank)-1):
			return s.DropLast(1)
		}
		return v.Q.Shape
	}
	if !s.Known() {
		return v.Q.Shape
	}
	out := make([]domain.Dim, 0, domain.MaxRank)
	for i := range int(s.Rank) {
		if d, _ := s.Dim(i); d.N != 1 {
			out = append(out, d)
		}
	}
	return domain.MakeShape(out...)
}

// gathered is the shape of the index, which has as many axes as what is gathered from: a row of scores an
// observation, of which one is taken along the last axis.
func (g *Graph) gathered(v *infer.Val, depth int) domain.Shape {
	s := g.meantWithin(v.Arg("index"), depth-1)
	if s.Known() {
		return s
	}
	if !g.isRowOfScores(v.Arg("x"), v.Arg("dim"), depth) {
		return s
	}
	s = s.AtLeast(2).Ranked(2)
	if rows, ok := s.Dim(0); ok && addsLast(v.Arg("index")) {
		return domain.MakeShape(rows, domain.ConstDim(1))
	}
	return s
}

// addsLast reports whether a value of two axes got the second by unsqueeze, by None in brackets, or by being written down as a
// row of one, as [[a]] is; or whether it joins such values, one behind the other.
func addsLast(v *infer.Val) bool { return addsLastWithin(v, maxMeant) }

func addsLastWithin(v *infer.Val, depth int) bool {
	for ; depth > 0; depth-- {
		switch {
		case v == nil || len(v.In) == 0:
			return false
		case v.IsOp("unsqueeze"):
			d, ok := v.Arg("dim").Int()
			return ok && (d == 1 || d == -1)
		case v.Op == infer.OpPhi:
			return !slices.ContainsFunc(v.In, func(x *infer.Val) bool { return !endsInOne(x, depth/2) })
		case v.Op == infer.OpItem:
			return addsAxis(v)
		case v.IsOp("cat", "concatenate", "vstack"):
			return joinsAlongRows(v) && endsInOne(elementOf(v.In[0]), depth/2)
		case v.IsOp("tensor", "as_tensor", "LongTensor"):
			return isRowOfOne(v.In[0])
		case v.Op == infer.OpNarrow, v.Op == infer.OpCall && !v.Unfollowed() && v.In[0] != nil && v.In[0].Frame != nil,
			v.IsOp("long", "to", "cpu", "cuda", "type", "int", "clone", "detach"):
			v = v.In[0]
		default:
			return false
		}
	}
	return false
}

// endsInOne reports whether the last axis of v is known to be of size 1, or was written so.
func endsInOne(v *infer.Val, depth int) bool {
	if v == nil || depth == 0 {
		return false
	}
	last, ok := v.Q.Shape.Dim(-1)
	return ok && last.N == 1 && v.Q.Shape.MinRank() > 1 || addsLastWithin(v, depth)
}

// joinsAlongRows reports whether a call joins values along their first axis, which adds no axis to what has two.
func joinsAlongRows(v *infer.Val) bool {
	return v.IsOp("vstack") || v.IsOp("cat", "concatenate") && ofFirstAxis(v)
}

// elementOf is what each element of a list that grew is; nil for other values.
func elementOf(v *infer.Val) *infer.Val {
	if v == nil {
		return nil
	}
	if seq, ok := v.Ref.(*infer.SeqRef); ok && seq.Elems == nil {
		return seq.Elem
	}
	return nil
}

// isRowOfOne reports whether a list is written as a row of one element, such as [[a]].
func isRowOfOne(v *infer.Val) bool {
	only := func(v *infer.Val) *infer.Val {
		if v == nil {
			return nil
		}
		if seq, ok := v.Ref.(*infer.SeqRef); ok && len(seq.Elems) == 1 && seq.Elem == nil {
			return seq.Elems[0]
		}
		return nil
	}
	row := only(v)
	x := only(row)
	return x != nil && x.Ref == nil
}

// reduced is a reduction over the second axis of the scores of a network: these are the last.
func (g *Graph) reduced(v *infer.Val, s domain.Shape) domain.Shape {
	d, ok := v.Arg("dim").Int()
	keep := v.Arg("keepdim")
	if !ok || keep != nil && keep.Const != true && keep.Const != false {
		return v.Q.Shape
	}
	if !s.Known() && g.isRowOfScores(v.In[0], v.Arg("dim"), maxMeant/2) {
		s = s.Ranked(2)
	}
	return s.Reduce(keep != nil && keep.Const == true, int(d))
}

// isRowOfScores reports whether x is what a layer yields, as it is or changed number by number, and axis is
// the second one and meant to be the last: the scores that belong together lie along it.
func (g *Graph) isRowOfScores(x, axis *infer.Val, depth int) bool {
	d, ok := axis.Int()
	return ok && d == 1 && yieldsScores(x, depth)
}

// yieldsScores reports whether x is what a layer yields, as it is or changed number by number: the scores of rows of a batch, for all
// that is known.
func yieldsScores(x *infer.Val, depth int) bool {
	for ; depth > 0; depth-- {
		switch {
		case x == nil || len(x.In) == 0 || x.Q.Shape.MinRank() > 2 || x.Q.Shape.Known() && x.Q.Shape.Rank != 2:
			return false
		case strings.HasSuffix(x.Op, "Linear.__call__"):
			return true
		case x.IsOp("add", "sub") && len(x.In) > 1: // of a duelling network, as the value and the advantage of each action
			return yieldsScores(x.In[0], depth/2) || yieldsScores(x.In[1], depth/2)
		case x.Op == infer.OpNarrow, x.Op == infer.OpCall && !x.Unfollowed() && x.In[0] != nil && x.In[0].Frame != nil,
			IsElementwise(x) && len(x.In) < 2, x.IsOp("detach", "softmax", "log_softmax", "clone", "float", "clamp", "to", "cpu"):
			x = x.In[0]
		default:
			return false
		}
	}
	return false
}

// picksOfRows reports whether v is x[rows, columns]: one of the scores of each row.
func (g *Graph) picksOfRows(v *infer.Val, depth int) bool {
	of, ok := twoIndices(v.In[1])
	return ok && isPositions(of[0]) && of[1].Ref == nil && g.isVector(of[1]) && yieldsScores(v.In[0], depth)
}

// isPositions reports whether v is a vector that counts the rows.
func isPositions(v *infer.Val) bool {
	return v.IsOp("arange") || v.Is(domain.Index) && v.Q.Shape.Known() && v.Q.Shape.Rank == 1
}

// isRows reports whether an index takes several rows: positions, a mask or a slice.
func isRows(idx *infer.Val) bool {
	if idx == nil {
		return false
	}
	if isSlice(idx) {
		return true
	}
	if seq, ok := idx.Ref.(*infer.SeqRef); ok {
		return seq.List && seq.Elems == nil
	}
	return idx.Is(domain.Index|domain.Mask) && idx.Q.Shape.Known() && idx.Q.Shape.Rank == 1
}

// LayerOutput returns the call of the linear layer that yielded v, as it is or changed number by number; nil for other
// values.
func LayerOutput(v *infer.Val) *infer.Val {
	for range maxMeant {
		switch {
		case v == nil || len(v.In) == 0 || v.In[0] == nil:
			return nil
		case strings.HasSuffix(v.Op, "Linear.__call__"):
			return v
		case v.Op == infer.OpNarrow, v.Op == infer.OpCall && !v.Unfollowed() && v.In[0].Frame != nil, IsElementwise(v) && len(v.In) < 2,
			v.IsOp("detach", "clone", "float", "to", "view", "reshape"):
			v = v.In[0]
		default:
			return nil
		}
	}
	return nil
}
