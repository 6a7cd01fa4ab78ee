package infer

import (
	"maps"
	"slices"
	"strconv"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # Two sources of values
//
// Where a run of the program was recorded, the record answers what evaluation leaves unknown: which
// function a registry called, what a container, a framework or getattr handed over, and of what
// shape and with or without gradients a tensor was. What a value *is* comes from the same transfer functions: the
// record says by the identity of objects which expression made it, and the value of that expression is
// taken. What evaluation knows by itself is left as it is.

// observe completes the value v of an expression by what a run showed of it.
func (in *interp) observe(f *Frame, s *state, n ast.Node, v *Val) *Val {
	sight := f.Module.Record.at(n.Span())
	if sight == nil {
		return v
	}
	if leaves(v) {
		v = in.sighted(f, s, n, v, sight)
	} else {
		v = in.narrowed(v, sight)
	}
	if v.Node == n && v.Frame == f {
		sight.describe(v)
	}
	in.made[sight] = v
	return v
}

// observeParam does the same for a parameter of a function that nobody was seen to call.
func (in *interp) observeParam(fn *FuncRef, p *ast.Param, v *Val) *Val {
	sight := fn.Module.Record.at(ast.Span{Start: p.Span().Start, End: p.Span().Start + uint32(len(p.Name))})
	if sight == nil || fn.Closure == nil {
		return v
	}
	if leaves(v) {
		v = in.sighted(fn.Closure, &state{}, p, v, sight)
	}
	if v.Node == ast.Node(p) {
		sight.describe(v)
	}
	in.made[sight] = v
	return v
}

// leaves reports whether evaluation leaves open what v is: at most a name says something of it. What
// a call does (a backward, a step) is known, though what it yields is nothing of interest.
func leaves(v *Val) bool {
	if v.Ref != nil || v.Const != nil || v.Op == OpDelegate {
		return false
	}
	if v.Op == OpPhi {
		return isUnknown(v)
	}
	return v.Q.Kind == domain.UnknownKind || v.Q.Evidence == domain.NameOnly && v.Fn == nil
}

// at is what a record has of an expression, nil for none.
func (r *Record) at(span ast.Span) *Sight {
	if r == nil {
		return nil
	}
	if sight := r.Sights[span]; sight != nil && sight.Count > 0 {
		return sight
	}
	return nil
}

// sighted is what an open value was in the run, as far as the record tells.
func (in *interp) sighted(f *Frame, s *state, n ast.Node, v *Val, sight *Sight) *Val {
	if w := in.fromOrigins(v, sight.Origins, sight); w != nil {
		return w
	}
	if w := in.symbols(sight.Called, in.calledSymbol); w != nil {
		return w
	}
	if w := in.symbols(sight.Classes, in.objectOf); w != nil {
		return w
	}
	if w := in.container(f, s, n, v, sight); w != nil {
		return w
	}
	if len(sight.Constants) == 1 && !sight.Made && v.Fn == nil { // what a run computed is no setting
		w := in.val(f, s, n, OpConfig, domain.ConstValue(sight.Constants[0]), v.In...)
		w.Const = sight.Constants[0]
		return w
	}
	if v.Node == nil {
		return in.opaque(f, s, n, OpUnknown)
	}
	return v
}

// narrowed leaves out what a value, which evaluation knows to be one of several things, never was in the run.
func (in *interp) narrowed(v *Val, sight *Sight) *Val {
	if v.Op != OpPhi || v.Ref != nil || len(sight.Called)+len(sight.Classes) == 0 && sight.Array == LibUnknown {
		return v
	}
	var left []*Val
	for _, x := range v.In {
		if x != nil && sight.mayBe(x) {
			left = append(left, x)
		}
	}
	switch len(left) {
	case 0, len(v.In):
		return v
	case 1:
		return left[0]
	}
	w := *v
	w.In, w.Q = left, domain.Value{}
	for _, x := range left {
		w.Q = w.Q.Join(x.Q)
	}
	return in.newVal(w)
}

// mayBe reports whether v may be what was seen.
func (s *Sight) mayBe(v *Val) bool {
	switch r := v.Ref.(type) {
	case *Instance:
		return slices.Contains(s.Classes, r.Class.symbol())
	case *ClassRef:
		return slices.Contains(s.Called, r.symbol())
	case *FuncRef:
		return r.Def == nil || slices.Contains(s.Called, Symbol{In: r.Module.Record, Start: r.Def.Span().Start})
	}
	return !v.IsNone()
}

// symbol is the class as a record names it; the zero Symbol for one that is made without a class statement.
func (c *ClassRef) symbol() Symbol {
	if c.Def == nil || c.Module == nil {
		return Symbol{}
	}
	return Symbol{In: c.Module.Record, Start: c.Def.Span().Start}
}

// fromOrigins joins the values of the expressions that made a value; nil where one of them is not known.
func (in *interp) fromOrigins(v *Val, origins []*Sight, at *Sight) *Val {
	var out *Val
	for _, o := range origins {
		if o == at {
			continue
		}
		made := in.made[o]
		if made == nil || made == v || isUnknown(made) {
			return nil
		}
		out = in.join(out, made)
	}
	return out
}

// symbols joins what several functions or classes are; nil where there is none, or one is not known.
func (in *interp) symbols(list []Symbol, of func(Symbol) *Val) *Val {
	var out []*Val
	for _, symbol := range list {
		v := of(symbol)
		if v == nil {
			return nil
		}
		out = append(out, v)
	}
	return (&typeOf{in: in}).anyOf(out)
}

// calledSymbol is a function or class as a value.
func (in *interp) calledSymbol(symbol Symbol) *Val {
	if symbol.Name != "" {
		return in.lib(symbol.Name)
	}
	return symbol.definition()
}

// observedCallee is the function or class that the attribute of an unknown object was in the run; nil for
// a method, whose receiver is not known.
func (in *interp) observedCallee(f *Frame, at *ast.Attribute) *Val {
	sight := f.Module.Record.at(at.Span())
	if sight == nil {
		return nil
	}
	v := in.symbols(sight.Called, in.calledSymbol)
	if v == nil {
		return nil
	}
	if fn, ok := v.Ref.(*FuncRef); ok && fn.Class != nil {
		return nil
	}
	return v
}

// objectOf is an object of a class: the one that the program makes, where it makes one only.
func (in *interp) objectOf(symbol Symbol) *Val {
	v := symbol.definition()
	if v == nil {
		return nil
	}
	c, ok := v.Ref.(*ClassRef)
	if !ok {
		return nil
	}
	if only := in.onlyInstance(c); only != nil {
		return only
	}
	if c.Module != in.cfg.Module {
		return in.foreign(c)
	}
	return in.genericInstance(c)
}

// container is a list, tuple or dict by what made its elements.
func (in *interp) container(f *Frame, s *state, n ast.Node, v *Val, sight *Sight) *Val {
	elements := map[string]*Val{}
	for key, origins := range sight.Elements {
		if e := in.fromOrigins(v, origins, sight); e != nil {
			elements[key] = e
		}
	}
	if len(elements) == 0 {
		return nil
	}
	w := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), v.In...)
	switch {
	case sight.Holds == "dict":
		d := in.dictAt(f, n)
		for _, key := range slices.Sorted(maps.Keys(elements)) {
			if key != "" {
				in.add(d, key, elements[key])
			}
		}
		d.Elem, d.Open = elements[""], true
		w.Ref = d
	case sight.Holds == "tuple" && sight.Length > 0:
		r := &SeqRef{owner: in, Elems: []*Val{}}
		for i := range sight.Length {
			e := elements[strconv.Itoa(i)]
			if e == nil {
				e = in.opaque(f, s, n, OpUnknown)
			}
			r.Elems = append(r.Elems, e)
		}
		w.Ref = r
	case sight.Holds == "list" && elements[""] != nil:
		w.Ref = &SeqRef{owner: in, List: true, Elem: elements[""]}
	default:
		return nil
	}
	return w
}

// describe fills in what is not known of the shape, the gradient and the library of v.
func (s *Sight) describe(v *Val) {
	if s.Array == LibUnknown || v.Ref != nil {
		return
	}
	if v.Lib == LibUnknown {
		v.Lib = s.Array
	}
	if v.Q.Grad == domain.GradUnknown && s.Attached != s.Detached {
		v.Q.Grad = domain.Detached
		if s.Attached {
			v.Q.Grad = domain.Attached
		}
	}
	if s.Rank && !v.Q.Shape.Known() {
		dims := make([]domain.Dim, len(s.Shape))
		for i, n := range s.Shape {
			dims[i] = domain.Dim{N: int32(n)}
		}
		v.Q.Shape = domain.MakeShape(dims...)
	}
}
