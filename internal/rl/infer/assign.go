package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// assign binds a target to a value.
func (in *interp) assign(f *Frame, s *state, target ast.Expr, v *Val) {
	switch t := target.(type) {
	case *ast.Name:
		v = in.observe(f, s, t, v)
		f.record(t, v)
		f.assign(s, f.code.slotOf(t), v)
		in.assignOuter(f, t.Ident, v)
	case *ast.Tuple:
		in.unpack(f, s, t.Elts, v)
	case *ast.List:
		in.unpack(f, s, t.Elts, v)
	case *ast.Starred:
		in.assign(f, s, t.X, v)
	case *ast.Attribute:
		f.record(t, v)
		obj := in.expr(f, s, t.X)
		if t.Attr == OpRequiresGrad {
			in.requireGrad(f, s, t, obj, v)
		}
		in.noteStore(f, t, obj, v)
		in.setAttr(obj, t.Attr, v)
		in.noteWritten(f, s, t, obj, v)
		if slot := f.code.slotOf(t); slot >= 0 {
			f.assign(s, slot, v)
		}
	case *ast.Subscript:
		f.record(t, v)
		in.assignItem(f, s, t, v)
	}
}

// requireGrad is X.requires_grad = v, which makes a leaf of a tensor.
func (in *interp) requireGrad(f *Frame, s *state, t *ast.Attribute, obj, v *Val) {
	q := obj.Q
	switch v.Const {
	case true:
		q.Grad = domain.Attached
	case false:
		q.Grad = domain.Detached
	default:
		q.Grad = domain.GradUnknown
	}
	w := in.val(f, s, t, OpRequiresGrad, q, obj, v)
	w.Lib = obj.Lib
	f.record(t, w)
	if obj.Ref == nil {
		in.rebind(f, s, t.X, w)
	}
}

// unpack binds the targets of "a, *b, c = v".
func (in *interp) unpack(f *Frame, s *state, targets []ast.Expr, v *Val) {
	starAt := -1
	for i, t := range targets {
		if _, ok := t.(*ast.Starred); ok {
			starAt = i
		}
	}
	if starAt < 0 {
		v = in.ofOneEnv(f, in.ofLength(in.gymTuple(f, s, v, len(targets)), len(targets)), targets)
	}
	for i, t := range targets {
		var e *Val
		switch {
		case i == starAt:
			e = in.val(f, s, t, OpItem, domain.Of(domain.Other), v)
			e.Ref = in.starred(f, s, t, v, i, len(targets)-1)
		case starAt >= 0 && i > starAt:
			e = in.index(f, s, t, v, in.constant(int64(i-len(targets))))
		default:
			e = in.hinted(t, in.index(f, s, t, v, in.constant(int64(i))))
		}
		in.assign(f, s, t, e)
	}
}

// told are the kinds that a function out of sight is believed to return by the names that the caller gives to its results.
const told = domain.LogProb | domain.Entropy | domain.KL | domain.Advantage | domain.Return

// hinted is an element of what nothing is known of, called after what it is: "logp, entropy = policy(obs, act)".
func (in *interp) hinted(t ast.Expr, e *Val) *Val {
	name, ok := t.(*ast.Name)
	if !ok || e.Op != OpItem || e.Ref != nil || e.Q != domain.Unknown {
		return e
	}
	if q := in.named(name.Ident); q != nil && q.Is(told) {
		e.Q = *q
	}
	return e
}

// ofLength is v where it is taken apart into n variables: of several things that it may be,
// those that are sequences of n. Where these are too many to look at, it is v: what is left out
// would seem to be used nowhere.
func (in *interp) ofLength(v *Val, n int) *Val {
	if !mayDiffer(v) {
		return v
	}
	var out *Val
	work, seen := []*Val{v}, map[*Val]bool{v: true}
	for len(work) > 0 {
		x := work[0]
		work = work[1:]
		r, ok := x.Ref.(*SeqRef)
		switch {
		case ok && len(r.Elems) == n:
			out = in.join(out, x)
		case !mayDiffer(x) && ok && r.Elems == nil:
			return v // this may have n elements too
		case mayDiffer(x):
			for _, y := range x.In {
				if y != nil && !seen[y] {
					seen[y] = true
					work = append(work, y)
				}
			}
		}
		if len(seen) > maxElems {
			return v
		}
	}
	if out == nil {
		return v
	}
	return out
}

// mayDiffer reports whether v is one of several things that need not have as many elements as each other. A tuple keeps those
// that it was made with; a list of which the branches put in different ones may have been filled since.
func mayDiffer(v *Val) bool {
	if v.Op != OpPhi {
		return false
	}
	r, ok := v.Ref.(*SeqRef)
	return v.Ref == nil || ok && r.Elems == nil && !r.List
}

// starred is what *b takes of v in "a, *b, c = v": all elements but the others,
// before of which stand before it.
func (in *interp) starred(f *Frame, s *state, t ast.Expr, v *Val, before, others int) *SeqRef {
	if r, ok := v.Ref.(*SeqRef); ok && r.Elems != nil && len(r.Elems) >= others {
		rest := r.Elems[before : len(r.Elems)-others+before]
		return &SeqRef{Elems: append([]*Val{}, rest...), List: true, owner: in}
	}
	return &SeqRef{Elem: in.element(f, s, t, v), List: true, owner: in}
}

// assignItem is X[i] = v. The container is updated for all its names, and the
// name it was written through knows that its value was overwritten in part.
func (in *interp) assignItem(f *Frame, s *state, t *ast.Subscript, v *Val) {
	base := in.expr(f, s, t.X)
	idx := in.expr(f, s, t.Index)
	switch r := base.Ref.(type) {
	case *DictRef:
		in.setField(r, idx, v)
	case *SeqRef:
		in.setElem(r, idx, v)
	case *Instance, *LibObject, *ModuleRef, *ClassRef, *FuncRef:
		in.noteStore(f, t, base, v) // __setitem__: nothing else is known of it
	default:
		in.store(f, s, t, base, v, idx)
		return
	}
	if slot := f.code.slotOf(t); slot >= 0 {
		f.assign(s, slot, v)
	}
}

// isCut reports whether x[idx] is a part of a tensor x, not a copy of one: idx holds nothing but slices and numbers.
func isCut(idx *Val) bool {
	if r, ok := idx.Ref.(*SeqRef); ok && !r.List && r.Elems != nil {
		return !slices.ContainsFunc(r.Elems, func(e *Val) bool { return e == nil || !isCutBy(e) })
	}
	return isCutBy(idx)
}

func isSlice(idx *Val) bool {
	_, ok := idx.Ref.(*SliceRef)
	return ok
}

// isCutBy is isCut of one axis.
func isCutBy(idx *Val) bool {
	return isSlice(idx) || idx.IsNone() || IsEllipsis(idx) || isScalar(idx) || idx.Ref == nil && idx.Lib == LibUnknown && !idx.Is(domain.Mask|domain.Text)
}

// store is a partial write into a tensor or array: a buffer that was allocated
// empty becomes what is stored in it.
func (in *interp) store(f *Frame, s *state, t *ast.Subscript, base, v, idx *Val) {
	q := base.Q.Join(v.Q)
	q.Grad = base.Q.Grad.Flow(v.Q.Grad)
	_, fill := v.Float()
	switch {
	case isBlank(base), filledBy(base, t, maxStores):
		q.Kind, q.Evidence = v.Q.Kind, v.Q.Evidence
	case fill || v.Is(domain.Number): // x[mask] = -inf is x with some elements out
		q.Kind, q.Evidence = base.Q.Kind, base.Q.Evidence
	}
	q.Shape = base.Q.Shape
	w := in.val(f, s, t, OpStore, q, base, v, idx)
	w.Lib = base.Lib
	in.rebind(f, s, t.X, w)
}

// filledBy reports whether a buffer holds nothing but what one statement stored in it, in earlier rounds of a loop. What is
// known of that now holds for those rounds too, in the first of which less may have been known.
func filledBy(v *Val, t ast.Node, depth int) bool {
	v = Strip(v)
	switch {
	case v == nil || depth == 0:
		return false
	case v.Op == OpStore && v.Node == t:
		return filledBy(v.In[0], t, depth-1)
	case v.Op == OpPhi:
		return !slices.ContainsFunc(v.In, func(x *Val) bool { return !filledBy(x, t, depth-1) })
	}
	return isBlank(v)
}

// Blank reports whether a value was allocated without content of its own, as a buffer
// that is filled later.
func Blank(v *Val) bool { return isBlank(v) }

// isBlank reports whether a value was allocated without content of its own.
func isBlank(v *Val) bool { return isBlankWithin(v, maxStores) }

// maxStores bounds how many writes into one buffer are looked through.
const maxStores = 8

func isBlankWithin(v *Val, stores int) bool {
	v = Strip(v)
	if v != nil && v.Op == OpStore {
		return stores > 0 && isBlankWithin(v.In[1], stores-1) && isBlankWithin(v.In[0], stores-1)
	}
	if v == nil || v.Fn == nil {
		return false
	}
	switch BaseOp(v.Op) {
	case "long", "int", "short", "byte":
		return stores > 0 && len(v.In) > 0 && isBlankWithin(v.In[0], stores-1)
	case "zeros", "empty", "zeros_like", "empty_like", "new_zeros", "new_empty", "full", "full_like", "ones", "ones_like":
		return true
	}
	return false
}

// rebind gives the place of an expression a new value after an in-place
// operation.
func (in *interp) rebind(f *Frame, s *state, e ast.Expr, v *Val) {
	switch x := e.(type) {
	case *ast.Name:
		old := s.get(f.code.slotOf(x))
		f.assign(s, f.code.slotOf(x), v)
		in.changedIn(f, s, old, v)
		return
	case *ast.Attribute:
		if obj := f.Val(x.X); obj != nil {
			in.setAttr(obj, x.Attr, v)
			in.noteWritten(f, s, x, obj, v)
		}
	case *ast.Subscript:
		if obj, idx := f.Val(x.X), f.Val(x.Index); obj != nil && idx != nil {
			switch d := obj.Ref.(type) {
			case *DictRef:
				in.setField(d, idx, v)
			case nil:
				if isCut(idx) { // rows[i].copy_(x) is rows[i] = x
					in.store(f, s, x, obj, v, idx)
					return
				}
			}
		}
	}
	if slot := f.code.slotOf(e); slot >= 0 {
		f.assign(s, slot, v)
	}
}

func (in *interp) augAssign(f *Frame, s *state, st *ast.AugAssign) {
	x := in.expr(f, s, st.Target)
	y := in.expr(f, s, st.Value)
	if l, ok := x.Ref.(*SeqRef); ok && st.Op == ast.Add && l.List {
		in.extend(f, s, st, l, y)
		return
	}
	v := in.binary(f, s, st, st.Op, x, y)
	in.carryOn(f, s, st, x, y, v)
	in.keepGraph(s, v)
	v = in.observe(f, s, st, v)
	f.record(st, v)
	in.assign(f, s, st.Target, v)
}

func (in *interp) annAssign(f *Frame, s *state, st *ast.AnnAssign) {
	if st.Value == nil {
		in.declare(f, s, st)
		return
	}
	v := in.expr(f, s, st.Value)
	if isUnknown(v) {
		if t, optional := in.declared(f, st.Annotation); !optional {
			v = in.as(v, t)
		}
	}
	in.assign(f, s, st.Target, v)
}

// declare is an annotation of an attribute that is assigned elsewhere.
func (in *interp) declare(f *Frame, s *state, st *ast.AnnAssign) {
	switch t := st.Target.(type) {
	case *ast.Name:
		if f.class != nil {
			f.class.declare(t.Ident, f, st.Annotation)
		}
	case *ast.Attribute:
		if r, ok := in.expr(f, s, t.X).Ref.(*Instance); ok && r.Class.Module == in.cfg.Module {
			r.Class.declare(t.Attr, f, st.Annotation)
		}
	}
}

// carryOn is about a number that a method changes in a field which others have set: a score, a count of steps. The method is called again,
// and goes on from what it has left: one call tells how the number changes, and not what it is.
func (in *interp) carryOn(f *Frame, s *state, st *ast.AugAssign, x, y, v *Val) {
	if _, isField := st.Target.(*ast.Attribute); !isField || v.Const == nil || v.Op == OpConfig || f.Func == nil || f.Func.Name() == "__init__" || in.wasSet(f, s, st.Target) {
		return
	}
	from := *x
	from.Const, from.Q.Range = nil, x.Q.Range.Widen(v.Q.Range)
	v.Const = nil
	v.Q = in.operate(v.Fn, (*Val).operand, &from, y)
}

// wasSet reports whether what a target holds was assigned before in the same call.
func (in *interp) wasSet(f *Frame, s *state, target ast.Expr) bool {
	slot := f.code.slotOf(target)
	return slot >= 0 && s.get(slot) != nil
}

// keepGraph is about a tensor that is changed in place where gradients are off: its
// numbers change, and its graph stays.
func (in *interp) keepGraph(s *state, v *Val) {
	if s.noGrad && len(v.In) > 0 && v.In[0] != nil && v.In[0].Q.Grad == domain.Attached {
		v.Q.Grad = domain.Attached
	}
}

// Store is a layer or parameter put into an object: what an optimizer that was
// built before does not see.
type Store struct {
	Object *Val
	Val    *Val
	Target ast.Expr // the attribute or item that was assigned
	Frame  *Frame
	Seq    int
	// Making is the evaluation of the constructor that makes Object, where the store is a
	// part of that: one made again at the same place is another object. Else nil.
	Making *Frame
}

func (in *interp) noteStore(f *Frame, t ast.Expr, obj, v *Val) {
	if obj.Ref == nil || !v.Is(domain.Module) && !v.IsOp("Parameter") {
		return
	}
	in.res.Stores = append(in.res.Stores, Store{Object: obj, Val: v, Target: t, Frame: f, Seq: in.res.Stats.Evaluated, Making: f.making(obj.Ref)})
}

// making returns the evaluation of the constructor of an object that f is, or is called from.
func (f *Frame) making(r Ref) *Frame {
	for g := f; g != nil; g = g.Caller {
		if g.Func != nil && g.Func.Name() == "__init__" && g.Func.Self != nil && g.Func.Self.Ref == r {
			return g
		}
	}
	return nil
}

// setAttr joins a value into the attribute of an object.
func (in *interp) setAttr(obj *Val, name string, v *Val) {
	switch r := obj.Ref.(type) {
	case *Instance:
		if r.owner != in {
			return // objects of other modules stay as their module left them
		}
		old := r.Attrs[name]
		j := in.join(old, v)
		in.storedIn(r, name, v, j)
		if old != nil && in.same(old, j) {
			in.absorb(old, v)
			return
		}
		r.Attrs[name] = j
		in.attrsVer++
	case *LibObject:
		if r.owner == in {
			if r.Attrs == nil {
				r.Attrs = map[string]*Val{}
			}
			r.Attrs[name] = in.join(r.Attrs[name], v)
		}
	case *DictRef:
		if r.owner == in {
			in.add(r, name, v)
		}
	}
}

func (in *interp) setElem(l *SeqRef, idx, v *Val) {
	if l.owner != in {
		return
	}
	if i, ok := idx.Int(); ok && i >= 0 && int(i) < len(l.Elems) {
		l.Elems[i] = in.join(l.Elems[i], v)
		return
	}
	in.blur(l)
	l.Elem, l.tail = in.join(l.Elem, v), nil
}

// blur forgets positions: from here on only the join of the elements is known.
func (in *interp) blur(l *SeqRef) {
	if l.Elems != nil {
		l.Elem = in.knownElem(l)
		l.Elems = nil
	}
}

// extend adds the elements of another sequence.
func (in *interp) extend(f *Frame, s *state, n ast.Node, l *SeqRef, v *Val) {
	switch r, ok := v.Ref.(*SeqRef); {
	case !ok:
		in.grow(f, s, n, l, []*Val{in.unknown}, false)
	case r.Elems != nil:
		in.grow(f, s, n, l, r.Elems, true)
	default:
		in.grow(f, s, n, l, []*Val{in.seqElem(r)}, false)
	}
}
