package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// assume records that a condition holds (or does not), and narrows the places
// that it speaks of.
func (in *interp) assume(f *Frame, s *state, e ast.Expr, c *Val, sense bool) {
	s.guarded(c, sense)
	in.refine(f, s, e, sense)
}

// guarded notes one more condition on the way to what is computed next.
func (s *state) guarded(cond *Val, sense bool) {
	s.guard = &Guard{Cond: cond, Sense: sense, Parent: s.guard, depth: s.guard.level() + 1}
}

func (in *interp) refine(f *Frame, s *state, e ast.Expr, sense bool) {
	switch e := e.(type) {
	case *ast.UnaryOp:
		if e.Op == ast.Not {
			in.refine(f, s, e.X, !sense)
		}
	case *ast.BoolOp:
		if e.Or != sense { // all of an and hold; none of a failed or does
			for _, x := range e.Values {
				if v := f.Val(x); v != nil {
					s.guarded(v, sense)
				}
				in.refine(f, s, x, sense)
			}
		}
	case *ast.Compare:
		if len(e.Ops) == 1 {
			in.refineCompare(f, s, e, sense)
		}
	case *ast.Name, *ast.Attribute, *ast.Subscript:
		if sense {
			in.narrowTrue(f, s, e)
		}
	case *ast.Call:
		in.refineCall(f, s, e, sense)
	}
}

// narrowTrue is "if x:": x is neither None nor zero.
func (in *interp) narrowTrue(f *Frame, s *state, e ast.Expr) {
	in.narrow(f, s, e, func(v *Val) *Val {
		v = in.withoutNone(v)
		away := v.Q.Range.AwayFromZero()
		if away == v.Q.Range {
			return v
		}
		w := *v
		w.Q.Range = away
		return &w
	})
}

// narrow replaces what a place holds by a narrowed copy.
func (in *interp) narrow(f *Frame, s *state, e ast.Expr, change func(*Val) *Val) {
	slot := f.code.slotOf(e)
	if slot < 0 {
		return
	}
	v := s.get(slot)
	if v == nil {
		v = f.Val(e)
	}
	if v == nil {
		return
	}
	w := change(v)
	if w == v || w.Q == v.Q && sameConst(w.Const, v.Const) && w.Ref == v.Ref && w.Op != OpUnknown {
		return
	}
	n := *w
	n.Op, n.In, n.Fn = OpNarrow, []*Val{v}, nil
	n.Node, n.Frame = e, f
	s.set(slot, in.newVal(n))
}

// withoutNone drops None from what a value may be.
func (in *interp) withoutNone(v *Val) *Val {
	if v.Op != OpPhi {
		return v
	}
	var out *Val
	for _, x := range v.In {
		if !x.IsNone() {
			out = in.join(out, x)
		}
	}
	if out == nil {
		return v
	}
	return out
}

var negated = map[ast.CompareOperator]ast.CompareOperator{
	ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
	ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}

var mirrored = map[ast.CompareOperator]ast.CompareOperator{
	ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq,
	ast.Is: ast.Is, ast.IsNot: ast.IsNot,
}

func (in *interp) refineCompare(f *Frame, s *state, e *ast.Compare, sense bool) {
	op, x, y := e.Ops[0], e.X, e.Ys[0]
	if !sense {
		n, ok := negated[op]
		if !ok {
			return
		}
		op = n
	}
	yv, xv := f.Val(y), f.Val(x)
	if isNumber(valConst(xv)) && !isNumber(valConst(yv)) {
		m, ok := mirrored[op]
		if !ok {
			return
		}
		op, x, y, xv, yv = m, y, x, yv, xv
	}
	if yv == nil {
		return
	}
	if yv.IsNone() {
		if op == ast.IsNot || op == ast.NotEq {
			in.narrow(f, s, x, in.withoutNone)
		}
		return
	}
	c, ok := yv.Float()
	if !ok {
		return
	}
	in.narrow(f, s, x, func(v *Val) *Val { return narrowNumber(v, op, c) })
}

func valConst(v *Val) any {
	if v == nil {
		return nil
	}
	return v.Const
}

// narrowNumber narrows "v op c".
func narrowNumber(v *Val, op ast.CompareOperator, c float64) *Val {
	w := *v
	r := &w.Q.Range
	switch op {
	case ast.Gt:
		if c >= 0 {
			*r = raiseTo(*r, domain.Zero).AwayFromZero()
		}
		if c >= 1 {
			*r = raiseTo(*r, domain.One)
		}
	case ast.GtE:
		if c >= 0 {
			*r = raiseTo(*r, domain.Zero)
		}
		if c > 0 {
			*r = r.AwayFromZero()
		}
		if c >= 1 {
			*r = raiseTo(*r, domain.One)
		}
	case ast.Lt:
		if c <= 0 {
			*r = r.AwayFromZero()
		}
	case ast.NotEq:
		if c == 0 {
			*r = r.AwayFromZero()
		}
	case ast.Eq:
		if w.Op != OpConfig && w.Const == nil {
			w.Q.Range = domain.RangeOf(c)
		}
	}
	return &w
}

func raiseTo(r domain.Range, lo domain.Bound) domain.Range {
	n := domain.Between(max(r.Lo, lo), max(r.Hi, lo))
	n.NonZero = r.NonZero
	return n
}

// refineCall narrows on isinstance and hasattr only in what they guard: the
// condition itself is kept as a guard.
func (in *interp) refineCall(f *Frame, s *state, e *ast.Call, sense bool) {
	fun := f.Val(e.Fun)
	if fun == nil || !sense || len(e.Args) != 2 {
		return
	}
	r, ok := fun.Ref.(*LibRef)
	if !ok || r.Name != "builtins.isinstance" {
		return
	}
	t := f.Val(e.Args[1])
	if t == nil {
		return
	}
	if classes := in.libClasses(t); len(classes) > 0 {
		in.narrow(f, s, e.Args[0], func(v *Val) *Val { return in.narrowToAny(v, classes) })
		return
	}
	classes := ownClasses(t)
	if len(classes) == 0 {
		return
	}
	if slot := f.code.slotOf(e.Args[0]); slot >= 0 {
		v := s.get(slot)
		if v == nil {
			v = f.Val(e.Args[0])
		}
		if w := in.objectsOf(v, classes); w != nil {
			s.set(slot, w)
			return
		}
	}
	if len(classes) > 1 {
		return
	}
	in.narrow(f, s, e.Args[0], func(v *Val) *Val {
		if v.Ref != nil {
			return v
		}
		g := in.genericInstance(classes[0])
		w := *v
		w.Ref, w.Q = g.Ref, g.Q
		return &w
	})
}

// ownClasses are the classes of the program that isinstance is asked of: one, or those of a tuple;
// nil where not all are known.
func ownClasses(t *Val) []*ClassRef {
	list := []*Val{t}
	if tuple, ok := t.Ref.(*SeqRef); ok {
		list = tuple.Elems
	}
	var out []*ClassRef
	for _, x := range list {
		c, ok := x.Ref.(*ClassRef)
		if !ok {
			return nil
		}
		out = append(out, c)
	}
	return out
}

// objectsOf are, of the several things that v may be, the objects of some classes; nil where there
// are none.
func (in *interp) objectsOf(v *Val, classes []*ClassRef) *Val {
	if v == nil || v.Op != OpPhi || v.Ref != nil {
		return nil
	}
	var out *Val
	work, seen := []*Val{v}, map[*Val]bool{v: true}
	for len(work) > 0 && len(seen) <= maxElems {
		x := work[0]
		work = work[1:]
		if o, ok := x.Ref.(*Instance); ok && slices.ContainsFunc(classes, o.Class.Inherits) {
			out = in.join(out, x)
		}
		if x.Op != OpPhi || x.Ref != nil {
			continue
		}
		for _, y := range x.In {
			if y != nil && !seen[y] {
				seen[y] = true
				work = append(work, y)
			}
		}
	}
	return out
}

// libClasses are the classes of libraries that isinstance is asked of: one, or those of a tuple;
// nil where not all are known.
func (in *interp) libClasses(t *Val) []*library.Class {
	list := []*Val{t}
	if tuple, ok := t.Ref.(*SeqRef); ok {
		list = tuple.Elems
	}
	var out []*library.Class
	for _, x := range list {
		r, ok := x.Ref.(*LibRef)
		if !ok || in.table.Class(r.Name) == nil {
			return nil
		}
		out = append(out, in.table.Class(r.Name))
	}
	return out
}

// narrowToAny leaves of what a value may be what may be an object of one of the classes, and
// nothing that is known where none may.
func (in *interp) narrowToAny(v *Val, classes []*library.Class) *Val {
	excluded := func(x *Val) bool {
		o, ok := x.Ref.(*LibObject)
		return x.IsNone() || ok && !slices.ContainsFunc(classes, func(c *library.Class) bool { return !o.Class.Excludes(c) })
	}
	list := []*Val{v}
	if v.Op == OpPhi {
		list = v.In
	}
	if !slices.ContainsFunc(list, excluded) {
		return v
	}
	var out *Val
	for _, x := range list {
		if x != nil && !excluded(x) {
			out = in.join(out, x)
		}
	}
	w := *v
	w.Op, w.Q, w.Ref, w.Const = OpUnknown, domain.Unknown, nil, nil
	if out != nil {
		w.Q, w.Ref, w.Const = out.Q, out.Ref, out.Const
	}
	return &w
}
