package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// comprehension evaluates the clauses as nested loops that run once; over a
// sequence of known elements, once an element: {k: v[i] for k, v in d.items()}
// and (x[i] for x in (a, b)) keep their parts apart.
func (in *interp) comprehension(f *Frame, s *state, e *ast.Comp) *Val {
	c := e.Clauses[0]
	iter := in.expr(f, s, c.Iter)
	if elems := in.elements(iter); elems != nil && len(e.Clauses) == 1 {
		if v := in.eachElement(f, s, e, elems); v != nil {
			return v
		}
	}
	b := s.clone()
	for i, c := range e.Clauses {
		if i > 0 {
			iter = in.expr(f, b, c.Iter)
		}
		in.assign(f, b, c.Target, in.element(f, b, c.Iter, iter))
		for _, cond := range c.Ifs {
			v := in.expr(f, b, cond)
			in.assume(f, b, cond, v, true)
		}
	}
	out := newCollector(in, e)
	out.add(f, b)
	return out.value(f, s, false)
}

// elements are what a loop over a sequence or dict of known elements binds, in
// order; nil for any other, and for an empty one.
func (in *interp) elements(iter *Val) []*Val {
	switch r := iter.Ref.(type) {
	case *SeqRef:
		if len(r.Elems) > 0 {
			return r.Elems
		}
	case *DictRef:
		if r.isExact() {
			return in.keysOf(r)
		}
	}
	return nil
}

// eachElement evaluates a comprehension once for each element that its conditions may let
// through; nil where they let none.
func (in *interp) eachElement(f *Frame, s *state, e *ast.Comp, elems []*Val) *Val {
	out, exact := newCollector(in, e), true
	outer, turn := in.nth, f.turn
	defer func() { in.nth, f.turn = outer, turn }()
	for i, x := range elems {
		in.nth, f.turn = within(outer, i), within(turn, i+1)
		b := s.clone()
		in.assign(f, b, e.Clauses[0].Target, x)
		passes, known := true, true
		for _, cond := range e.Clauses[0].Ifs {
			v := in.expr(f, b, cond)
			holds, decided := Truth(v)
			decided = decided && v.Op != OpConfig
			passes, known = passes && (holds || !decided), known && decided
			in.assume(f, b, cond, v, true)
		}
		if passes {
			out.add(f, b)
			exact = exact && known
		}
	}
	if len(out.elems) == 0 {
		return nil
	}
	return out.value(f, s, exact)
}

// collector gathers what a comprehension yields.
type collector struct {
	in    *interp
	comp  *ast.Comp
	dict  *DictRef
	elems []*Val
}

func newCollector(in *interp, e *ast.Comp) *collector {
	return &collector{in: in, comp: e, dict: in.newDict()}
}

// add evaluates the element once.
func (c *collector) add(f *Frame, b *state) {
	if c.comp.Kind == ast.DictComp {
		k := c.in.expr(f, b, c.comp.Key)
		v := c.in.expr(f, b, c.comp.Elt)
		c.in.setField(c.dict, k, v)
		c.elems = append(c.elems, v)
		return
	}
	c.elems = append(c.elems, c.in.expr(f, b, c.comp.Elt))
}

// value is the result; exact says that there is one element for each added.
func (c *collector) value(f *Frame, s *state, exact bool) *Val {
	v := c.in.val(f, s, c.comp, OpDisplay, domain.Of(domain.Other), c.elems...)
	if c.comp.Kind == ast.DictComp {
		v.Ref = c.dict
		return v
	}
	r := &SeqRef{List: true, owner: c.in}
	if exact {
		r.Elems = append([]*Val{}, c.elems...)
	} else {
		for _, x := range c.elems {
			r.Elem = c.in.join(r.Elem, x)
		}
	}
	v.Ref = r
	return v
}
