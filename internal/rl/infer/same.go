package infer

import "slices"

// # Sameness
//
// Whether two values are indistinguishable decides when a loop has converged, when
// an earlier evaluation of a function answers a call, and when a join adds nothing.
// It is asked at every join, so it must be cheap, though containers hold containers
// that can hold themselves. Two bounds see to that: how deep is looked, and how
// many parts of a value are looked at, which is shared out evenly among the parts so
// that the answer does not depend on their order. What lies beyond counts as equal:
// the evaluation ends.

const (
	maxSameDepth = 5
	// maxParts bounds the parts of one value that are compared or joined.
	maxParts = 1024
	// fewParts is the bound once a module has used up its comparisons.
	fewParts = 32
	// compareFactor bounds the comparisons of a module before that, as a multiple of
	// its nodes, and minCompares from below.
	compareFactor = 32
	minCompares   = 1 << 20
)

// comparisons counts them for one module.
type comparisons struct {
	spent, limit int
	room         int // parts that the join at hand may look at
}

// parts is the number of parts of a value that may be looked at.
func (in *interp) parts() int {
	if in.joining > 0 {
		return in.effort.room
	}
	if in.effort.spent > in.effort.limit {
		in.res.Stats.CompareHits++
		return fewParts
	}
	return maxParts
}

// same reports whether two values are indistinguishable.
func (in *interp) same(a, b *Val) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Q != b.Q {
		return false
	}
	return in.sameVal(a, b, maxSameDepth, in.parts())
}

func (in *interp) sameVal(a, b *Val, depth, parts int) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil {
		return false
	}
	in.effort.spent++
	return a.Q == b.Q && sameConst(a.Const, b.Const) && in.sameRef(a.Ref, b.Ref, depth, parts)
}

func sameConst(a, b any) bool {
	xs, ok := a.([]int64)
	ys, ok2 := b.([]int64)
	if ok || ok2 {
		return ok && ok2 && slices.Equal(xs, ys)
	}
	return a == b
}

// sameRef compares structurally where that is cheap, else by identity.
func (in *interp) sameRef(a, b Ref, depth, parts int) bool {
	if a == b || depth <= 0 || parts <= 0 {
		return true
	}
	depth--
	switch x := a.(type) {
	case *SeqRef:
		y, ok := b.(*SeqRef)
		return ok && in.sameSeq(x, y, depth, parts)
	case *DictRef:
		y, ok := b.(*DictRef)
		return ok && x.class == y.class && in.sameFields(x, y, depth, parts) && in.sameVal(x.Elem, y.Elem, depth, parts)
	case *FuncRef:
		y, ok := b.(*FuncRef)
		return ok && x.Def == y.Def && x.Lambda == y.Lambda && x.Closure == y.Closure && in.sameVal(x.Self, y.Self, depth, parts)
	case *LibRef:
		y, ok := b.(*LibRef)
		return ok && *x == *y
	case *BoundRef:
		y, ok := b.(*BoundRef)
		return ok && x.Name == y.Name && in.sameVal(x.Recv, y.Recv, depth, parts)
	case *ModuleRef:
		y, ok := b.(*ModuleRef)
		return ok && x.Module == y.Module
	}
	return false
}

func (in *interp) sameSeq(x, y *SeqRef, depth, parts int) bool {
	if len(x.Elems) != len(y.Elems) || (x.Elems == nil) != (y.Elems == nil) {
		return false
	}
	if x.Elems == nil {
		return in.sameVal(x.Elem, y.Elem, depth, parts)
	}
	share := parts / max(len(x.Elems), 1)
	for i := range x.Elems {
		if share > 0 && !in.sameVal(x.Elems[i], y.Elems[i], depth, share) {
			return false
		}
	}
	return true
}

func (in *interp) sameFields(a, b *DictRef, depth, parts int) bool {
	if len(a.order) != len(b.order) {
		return false
	}
	share := parts / max(len(a.order), 1)
	if share == 0 {
		return true
	}
	for _, k := range a.order {
		if w, ok := b.Fields[k]; !ok || !in.sameVal(a.Fields[k], w, depth, share) {
			return false
		}
	}
	return true
}
