package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// SliceRef is a slice object: what stands between brackets with colons.
type SliceRef struct{ Low, High, Step *Val }

func (*SliceRef) ref() {}

func (in *interp) slice(f *Frame, s *state, e *ast.Slice) *Val {
	v := in.val(f, s, e, OpDisplay, domain.Of(domain.Other))
	v.Ref = &SliceRef{in.optional(f, s, e.Low), in.optional(f, s, e.High), in.optional(f, s, e.Step)}
	return v
}

// indexedShape is the shape of x[idx] for basic indexing (integers, slices, None,
// an ellipsis) and for one vector of positions. Axes behind an ellipsis are counted
// from the end.
func indexedShape(shape domain.Shape, idx *Val) domain.Shape {
	parts := []*Val{idx}
	if r, ok := idx.Ref.(*SeqRef); ok && !r.List {
		parts = r.Elems
	}
	if shape.Known() && takes(parts) > int(shape.Rank) {
		return domain.UnknownShape
	}
	shape = shape.AtLeast(takes(parts))
	axis, kept, fromEnd := 0, 0, false
	vector := -1 // the last part that is a vector of positions
	for i, p := range parts {
		if fromEnd {
			axis = -takes(parts[i:])
		}
		switch {
		case p == nil:
			return domain.UnknownShape
		case p.IsNone():
			if fromEnd {
				axis--
			}
			shape = shape.Unsqueeze(axis)
			axis++
			kept++
		case IsEllipsis(p):
			fromEnd = true
		case isScalar(p):
			shape = shape.Index(axis)
		case isVector(p) || isPositions(p):
			// Vectors that stand together are taken together: x[rows, columns].
			switch {
			case vector < 0:
				shape = shape.Slice(axis, rowsTaken(p))
				axis++
				kept++
			case vector == i-1:
				shape = shape.Index(axis)
			default:
				return domain.UnknownShape
			}
			vector = i
		default:
			r, ok := p.Ref.(*SliceRef)
			if !ok {
				return domain.UnknownShape
			}
			if *r != (SliceRef{}) {
				d, _ := shape.Dim(axis)
				shape = shape.Slice(axis, r.dim(d))
			}
			axis++
			kept++
		}
	}
	return shape.AtLeast(kept)
}

// isVector reports whether p is a vector of positions.
func isVector(p *Val) bool {
	return p.Is(domain.Index|domain.TokenIDs|domain.Action) && p.Q.Shape.Known() && p.Q.Shape.Rank == 1
}

// isPositions reports whether p is a list of positions, which takes as many rows of an array as it has elements.
func isPositions(p *Val) bool {
	r, ok := p.Ref.(*SeqRef)
	if !ok || !r.List || len(r.Elems) == 0 && r.Elem == nil {
		return false
	}
	isOther := func(e *Val) bool { return e == nil || e.Ref != nil || e.Is(domain.Mask) || !isScalar(e) }
	return !slices.ContainsFunc(r.Elems, isOther) && (r.Elem == nil || !isOther(r.Elem))
}

// rowsTaken is how many rows a vector or a list of positions takes.
func rowsTaken(p *Val) domain.Dim {
	switch r, ok := p.Ref.(*SeqRef); {
	case !ok:
		return p.Q.Shape.Dims[0]
	case r.Elem == nil:
		return domain.ConstDim(len(r.Elems))
	}
	return domain.UnknownDim
}

// takes counts the axes that the parts consume.
func takes(parts []*Val) int {
	n := 0
	for _, p := range parts {
		if p != nil && !p.IsNone() && !IsEllipsis(p) {
			n++
		}
	}
	return n
}

// IsEllipsis reports whether v stands for "...".
func IsEllipsis(v *Val) bool {
	c, ok := v.Node.(*ast.Constant)
	return ok && c.Kind == ast.Ellipsis
}

// isScalar reports whether v is a single position.
func isScalar(v *Val) bool {
	if _, ok := v.Int(); ok {
		return true
	}
	return v.Is(domain.Index|domain.Number|domain.Count) && v.Q.Shape.Known() && v.Q.Shape.Rank == 0
}

// dim is the size of d after slicing, as Python counts it.
func (r *SliceRef) dim(d domain.Dim) domain.Dim {
	cut := domain.UnknownDim
	cut.Axis = d.Axis
	if d.N < 0 {
		return cut
	}
	n := int64(d.N)
	low, ok1 := bound(r.Low, 0, n)
	high, ok2 := bound(r.High, n, n)
	step, ok3 := int64(1), true
	if r.Step != nil && !r.Step.IsNone() {
		step, ok3 = r.Step.Int()
	}
	if !ok1 || !ok2 || !ok3 || step <= 0 {
		return cut
	}
	cut.N = int32(max(0, (high-low+step-1)/step))
	return cut
}

// sliceOf is a sequence cut as Python cuts it: element by element where the bounds
// are known, else with the join of all elements.
func (in *interp) sliceOf(f *Frame, s *state, r *SeqRef, cut *SliceRef) *SeqRef {
	out := &SeqRef{List: r.List, owner: in}
	n := int64(len(r.Elems))
	low, ok1 := bound(cut.Low, 0, n)
	high, ok2 := bound(cut.High, n, n)
	if r.Elems == nil || !ok1 || !ok2 || cut.Step != nil {
		out.Elem, out.tail = in.seqElem(r), r.tail.cut(f, s, cut)
		return out
	}
	out.Elems = append([]*Val{}, r.Elems[low:max(low, high)]...)
	out.tail = newTail(f, s, out.Elems)
	return out
}

// bound is one end of a slice of n elements.
func bound(v *Val, absent, n int64) (int64, bool) {
	if v == nil || v.IsNone() {
		return absent, true
	}
	i, ok := v.Int()
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n), ok
}
