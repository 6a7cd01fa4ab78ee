package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// attribute evaluates X.Attr: what was assigned under this path wins over what
// the object holds.
func (in *interp) attribute(f *Frame, s *state, e *ast.Attribute) *Val {
	x := in.expr(f, s, e.X)
	if slot := f.code.slotOf(e); slot >= 0 {
		if v := s.get(slot); v != nil {
			return v
		}
	}
	return in.getAttr(f, s, e, x, e.Attr)
}

// getAttr looks an attribute up in what x refers to.
func (in *interp) getAttr(f *Frame, s *state, n ast.Node, x *Val, name string) *Val {
	if !in.follow() {
		return in.unknownAttr(f, s, n, x, name)
	}
	v := in.attrOf(f, s, n, x, name)
	in.back()
	return v
}

func (in *interp) attrOf(f *Frame, s *state, n ast.Node, x *Val, name string) *Val {
	switch r := x.Ref.(type) {
	case *ModuleRef:
		return in.moduleAttr(f, s, n, r, name)
	case *LibRef:
		return in.libAttr(r, name)
	case *Instance:
		return in.instanceAttr(f, s, n, x, r, name)
	case *ClassRef:
		if v := r.Lookup(name); v != nil {
			return in.bindClassAttr(v, x)
		}
		if name == "apply" && r.IsAutogradFunction() {
			return in.bound(f, s, n, x, name)
		}
	case *SuperRef:
		if v, owner := r.lookup(name); v != nil {
			return in.bindAttr(f, s, n, v, r.Self, owner)
		}
		return in.bound(f, s, n, x, name)
	case *DictRef:
		if v := r.Fields[name]; v != nil {
			return v
		}
		if v := r.method(name); v != nil {
			return in.bindAttr(f, s, n, v, x, r.class)
		}
		if r.Elem != nil && !dictMethods[name] {
			return r.Elem
		}
		if r.Open && !dictMethods[name] { // a record of which only some fields are known
			return in.unknownAttr(f, s, n, x, name)
		}
		return in.bound(f, s, n, x, name)
	case *LibObject:
		return in.objectAttr(f, s, n, x, r, name)
	case *SeqRef:
		if v := in.fieldOf(r, name); v != nil {
			return v
		}
		return in.bound(f, s, n, x, name)
	}
	if x.Op == OpPhi {
		if v := in.phiAttr(f, s, n, x, name); v != nil {
			return v
		}
	}
	return in.tensorAttr(f, s, n, x, name)
}

// fieldOf returns the named field of a named tuple.
func (in *interp) fieldOf(r *SeqRef, name string) *Val {
	for i, n := range r.Names {
		if n == name && i < len(r.Elems) {
			return r.Elems[i]
		}
	}
	return nil
}

// phiAttr joins the attribute over the objects that x may be.
func (in *interp) phiAttr(f *Frame, s *state, n ast.Node, x *Val, name string) *Val {
	var out *Val
	for _, a := range x.In {
		if a.Ref == nil || a.IsNone() || a.Op == OpPhi {
			continue
		}
		out = in.join(out, in.getAttr(f, s, n, a, name))
	}
	return out
}

func (in *interp) moduleAttr(f *Frame, s *state, n ast.Node, r *ModuleRef, name string) *Val {
	if v := r.Module.Global(name); v != nil {
		return v
	}
	if m := in.importModule(r.Module, 0, r.Module.Name+"."+name); m != nil {
		return in.moduleVal(m)
	}
	return in.opaque(f, s, n, OpUnknown)
}

func (in *interp) instanceAttr(f *Frame, s *state, n ast.Node, x *Val, r *Instance, name string) *Val {
	v := in.field(r, name)
	f.noteRead(read{obj: r, name: name, val: v})
	if saysNothing(v) {
		if u := in.unfilled(x, r, name); u != nil {
			v = u
		}
	}
	if v != nil {
		if isUnknown(v) {
			return in.as(v, in.declaredAttr(r.Class, name))
		}
		return v
	}
	if v := r.Class.Lookup(name); v != nil {
		if fld := r.Class.field(name); fld == nil || fld.Default == nil || fld.Default.Op != OpConfig {
			return in.bindAttr(f, s, n, v, x, r.Class)
		} else if !v.IsNone() {
			return fld.Default // who made the object is not known, so neither is whether it has another
		}
	}
	if isDerivedModule(r.Class) && moduleSelf[name] {
		return in.bound(f, s, n, x, name)
	}
	if t := in.declaredAttr(r.Class, name); t != nil {
		return in.as(in.opaque(f, s, n, OpAttr+"."+name, x), t)
	}
	if fn := r.Class.inheritedAttr(in.table, name); fn != nil {
		return in.callLib(f, s, n, fn, []*Val{x}, nil)
	}
	u := in.unknownAttr(f, s, n, x, name)
	if in.declaredPlain(r.Class, name) {
		u.Q.Grad = domain.Detached
	}
	return u
}

// bindAttr turns a class attribute into what reading it from self yields.
func (in *interp) bindAttr(f *Frame, s *state, n ast.Node, v, self *Val, c *ClassRef) *Val {
	fn, ok := v.Ref.(*FuncRef)
	if !ok || self == nil {
		return v
	}
	if fn.kind == propertyMethod {
		return in.callVal(f, s, n, in.bindMethod(fn, self, c), callArgs{})
	}
	return in.bindMethod(fn, self, c)
}

func (in *interp) bindClassAttr(v, class *Val) *Val {
	fn, ok := v.Ref.(*FuncRef)
	if !ok || fn.kind != classMethod {
		return v
	}
	c, _ := class.Ref.(*ClassRef)
	return in.bindMethod(fn, class, c)
}

// bindMethod returns fn with its receiver as a value.
func (in *interp) bindMethod(fn *FuncRef, self *Val, c *ClassRef) *Val {
	return in.newVal(Val{Q: domain.Of(domain.Other), Op: OpFunction, Ref: in.withReceiver(fn, self, c)})
}

// withReceiver returns fn with its receiver.
func (in *interp) withReceiver(fn *FuncRef, self *Val, c *ClassRef) *FuncRef {
	b := *fn
	if fn.Class == nil {
		b.Class = c
	}
	if fn.kind != staticMethod {
		b.Self = self
	}
	if fn.kind == classMethod {
		if c := classOf(self); c != nil {
			b.Self = in.newVal(Val{Q: domain.Of(domain.Other), Op: OpClass, Ref: c})
		}
	}
	return &b
}

func (in *interp) objectAttr(f *Frame, s *state, n ast.Node, x *Val, r *LibObject, name string) *Val {
	if v := r.Attrs[name]; v != nil {
		return v
	}
	if r.Class != nil {
		if r.Class.Method(name) != nil {
			return in.bound(f, s, n, x, name)
		}
		if fn := r.Class.AttrFunc(name); fn != nil {
			v := recorded(x, in.callLib(f, s, n, fn, []*Val{x}, nil))
			if given := r.Args[name]; r.Class.Kind == domain.Other && given != nil && !given.IsNone() {
				filled(v, given)
			}
			return v
		}
	}
	if name == "module" && passThrough(r) != nil {
		return passThrough(r)
	}
	if v := r.Args[name]; v != nil {
		return v
	}
	return in.unknownAttr(f, s, n, x, name)
}

// filled gives the field v of a record of a library what the program says of it that has put it there, such as a model of its own
// that returns CausalLMOutputWithPast(logits=head(x)).
func filled(v, given *Val) {
	if v.Q.Grad == domain.GradUnknown {
		v.Q.Grad = given.Q.Grad
	}
	if !v.Q.Shape.Known() && given.Q.Shape.Known() {
		v.Q.Shape = given.Q.Shape
	}
}

// tensorAttr reads an attribute of a value without structure: most are tensors.
func (in *interp) tensorAttr(f *Frame, s *state, n ast.Node, x *Val, name string) *Val {
	if name == "shape" {
		return in.shapeOf(f, s, n, x)
	}
	switch {
	case in.table.Method(name) == nil:
		return in.unknownAttr(f, s, n, x, name)
	case isArray(x), in.named(name) == nil, in.table.Func("torch.Tensor."+name) != nil:
		return in.bound(f, s, n, x, name)
	}
	v := in.unknownAttr(f, s, n, x, name) // a field of a record, unless it is called
	v.Ref = &BoundRef{Recv: x, Name: name}
	return v
}

// unknownAttr is an attribute of which only the name is known.
func (in *interp) unknownAttr(f *Frame, s *state, n ast.Node, x *Val, name string) *Val {
	if fn := in.table.Attr(name); fn != nil && x.Q.Kind != domain.Text {
		v := in.callLib(f, s, n, fn, []*Val{x}, nil)
		v.Lib = x.Lib
		return recorded(x, v)
	}
	v := in.opaque(f, s, n, OpAttr+"."+name, x)
	if q := in.named(name); q != nil {
		v.Q = *q
	}
	if in.table.Settings(name) || isData(x) {
		v.Q.Grad = domain.Detached
	}
	return recorded(x, v)
}

// recorded is a part v of what a model yielded in the record x: one that was computed without gradients has none,
// wherever it is read.
func recorded(x, v *Val) *Val {
	if x.NoGrad && v.Q.Grad == domain.GradUnknown && v.Ref == nil && (isModelOutput(x) || v.Is(yielded) && calledModel(x) != nil) {
		v.Q.Grad = domain.Detached
	}
	return v
}

func isModelOutput(x *Val) bool {
	o, ok := x.Ref.(*LibObject)
	return ok && x.Op == OpCall && o.Name == modelOutputName
}

// isData reports whether a value of unknown class holds what no gradient flows through:
// neither do its parts.
func isData(v *Val) bool {
	if v.Q.Grad != domain.Detached || v.IsNone() || v.Op == OpPhi {
		return false
	}
	o, ok := v.Ref.(*LibObject)
	return v.Ref == nil || ok && o.Class == nil
}

func (in *interp) bound(f *Frame, s *state, n ast.Node, x *Val, name string) *Val {
	v := in.val(f, s, n, OpFunction, domain.Of(domain.Other), x)
	v.Ref = &BoundRef{Recv: x, Name: name}
	return v
}

// shapeOf is x.shape as a tuple of sizes as far as they are known.
func (in *interp) shapeOf(f *Frame, s *state, n ast.Node, x *Val) *Val {
	v := in.val(f, s, n, OpAttr+".shape", domain.Of(domain.Other), x)
	r := &SeqRef{owner: in}
	v.Ref = r
	if !x.Q.Shape.Known() {
		r.Elem = in.size(f, s, n, x, domain.UnknownDim)
		return v
	}
	r.Elems = []*Val{}
	for i := range int(x.Q.Shape.Rank) {
		size := in.size(f, s, n, x, x.Q.Shape.Dims[i])
		axis := int64(i) - int64(x.Q.Shape.Rank) // from the end, as most code asks
		size.In = append(size.In, in.newVal(Val{Q: domain.ConstValue(axis), Op: OpConst, Const: axis}))
		r.Elems = append(r.Elems, size)
	}
	return v
}

// size is the number of elements along a dimension of x.
func (in *interp) size(f *Frame, s *state, n ast.Node, x *Val, d domain.Dim) *Val {
	q := domain.Of(domain.Count)
	q.Range, q.Grad, q.Shape = domain.Between(domain.Zero, domain.PosInf), domain.Detached, domain.MakeShape()
	v := in.val(f, s, n, "size", q, x)
	switch {
	case d.N >= 0:
		v.setCount(int64(d.N))
	case d.Sym != 0:
		v.Const = d
	}
	return v
}

// setCount makes v the count n.
func (v *Val) setCount(n int64) { v.Const, v.Q.Range = n, domain.RangeOf(float64(n)) }
