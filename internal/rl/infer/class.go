package infer

import (
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

func (in *interp) funcDef(f *Frame, s *state, st *ast.FunctionDef) {
	fn := heapAt(f, st, func() *FuncRef {
		fn := &FuncRef{Module: f.Module, Def: st, Closure: f, owner: in}
		if f.class == nil {
			in.defs = append(in.defs, fn)
		}
		return fn
	})
	in.defaults(f, s, st.Params)
	if st.Returns != nil {
		in.expr(f, s, st.Returns)
	}
	v := in.val(f, s, st, OpFunction, domain.Of(domain.Other))
	v.Ref = fn
	for i := len(st.Decorators) - 1; i >= 0; i-- {
		v = in.decorate(f, s, st.Decorators[i], v, fn)
	}
	if f.class != nil && v.Ref != Ref(fn) && !slices.Contains(f.class.covered, fn) {
		f.class.covered = append(f.class.covered, fn)
	}
	f.Module.Record.define(st, v)
	f.record(st, v)
	f.assign(s, f.code.slot(st.Name), v)
}

// decorate applies a decorator. One that is not known is taken to be
// transparent: it still calls the function.
func (in *interp) decorate(f *Frame, s *state, d ast.Expr, v *Val, fn *FuncRef) *Val {
	dv := in.expr(f, s, d)
	switch r := dv.Ref.(type) {
	case *LibRef:
		switch r.Name {
		case "builtins.staticmethod", "torch.jit.ignore":
			fn.kind = staticMethod
		case "builtins.classmethod":
			fn.kind = classMethod
		case "builtins.property", "functools.cached_property":
			fn.kind = propertyMethod
		case "torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad":
			fn.grad = gradOff
		case "torch.enable_grad":
			fn.grad = gradOn
		}
	case *LibObject:
		fn.grad = gradModeOf(r, fn.grad)
		fn.takeOptions(in, r)
	case *FuncRef:
		// A decorator of the program: what it returns, where that can be
		// called, else the function itself.
		if r.Def != nil {
			w := in.callVal(f, s, d, dv, callArgs{pos: []*Val{v}})
			if g, ok := w.Ref.(*FuncRef); ok && g != fn {
				return w
			}
		}
	}
	return v
}

// defaults evaluates default values and annotations where the def stands.
func (in *interp) defaults(f *Frame, s *state, ps *ast.Params) {
	if ps == nil {
		return
	}
	for _, p := range ps.List {
		in.optional(f, s, p.Default)
		in.optional(f, s, p.Annotation)
	}
}

func lastName(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.Name:
		return e.Ident, true
	case *ast.Attribute:
		return e.Attr, true
	}
	return "", false
}

// classDef evaluates a class body in a frame of its own whose places become
// the class's attributes.
func (in *interp) classDef(f *Frame, s *state, st *ast.ClassDef) {
	c := heapAt(f, st, func() *ClassRef {
		c := &ClassRef{Module: f.Module, Def: st, Attrs: map[string]*Val{}}
		in.classes = append(in.classes, c)
		return c
	})
	c.Bases, c.LibBases = nil, nil
	for _, b := range st.Bases {
		in.addBase(c, in.expr(f, s, b))
	}
	c.order = linearize(c)
	for _, k := range st.Keywords {
		in.expr(f, s, k.Value)
	}
	decorators := make([]*Val, len(st.Decorators))
	for i, d := range st.Decorators {
		decorators[i] = in.expr(f, s, d)
		c.Record = in.isRecordDecorator(decorators[i]) || c.Record
	}
	in.classBody(f, s, st, c)
	in.derives(c)
	v := in.val(f, s, st, OpClass, domain.Of(domain.Other))
	v.Ref = c
	for i, dv := range slices.Backward(decorators) {
		// A decorator of the program: a registry keeps the class and hands it back.
		if r, ok := dv.Ref.(*FuncRef); ok && r.Def != nil {
			w := in.callVal(f, s, st.Decorators[i], dv, callArgs{pos: []*Val{v}})
			if _, ok := w.Ref.(*ClassRef); ok {
				v = w
			}
		}
	}
	f.Module.Record.define(st, v)
	f.record(st, v)
	f.assign(s, f.code.slot(st.Name), v)
}

func (in *interp) addBase(c *ClassRef, b *Val) {
	switch r := b.Ref.(type) {
	case *ClassRef:
		if slices.Contains(r.mro(), c) { // a definition in a loop that names itself
			return
		}
		c.Bases = append(c.Bases, r)
		c.Record = c.Record || r.Record
		if r.Record {
			c.Fields = append(append([]Field(nil), r.Fields...), c.Fields...)
		}
	case *LibRef:
		c.LibBases = append(c.LibBases, r.Name)
		c.Record = c.Record || recordBases[r.Name]
	default:
		if b.Ref == nil {
			c.LibBases = append(c.LibBases, "?")
		}
	}
}

var recordBases = map[string]bool{
	"typing.NamedTuple": true, "pydantic.BaseModel": true, "transformers.TrainingArguments": true, "typing.TypedDict": true,
}

func (in *interp) isRecordDecorator(d *Val) bool {
	name := ""
	switch r := d.Ref.(type) {
	case *LibRef:
		name = r.Name
	case *LibObject:
		name = r.Name
	default:
		name = strings.TrimPrefix(d.Op, OpCall+".")
	}
	switch name {
	case "dataclasses.dataclass", "attr.s", "attrs.define", "attr.dataclass", "flax.struct.dataclass", "chex.dataclass",
		"pydantic.dataclasses.dataclass", "tensordict.tensorclass":
		return true
	}
	return false
}

func (in *interp) classBody(f *Frame, s *state, st *ast.ClassDef, c *ClassRef) {
	code := in.codeAt(f.Module, st)
	g := in.newFrame(f.Module, code)
	g.parent, g.class, g.Caller = f, c, f
	g.cur = &state{guard: s.guard}
	if f.Func != nil {
		g.Func = nil
	}
	in.push(g)
	cs := g.cur
	in.block(g, cs, st.Body)
	in.pop()
	g.final = cs.env
	for i, p := range code.places {
		if v := cs.get(i); v != nil && p.name != "" {
			in.classAttr(c, p.name, v)
		}
	}
	c.Fields = in.recordFields(g, cs, st, c)
}

func (in *interp) classAttr(c *ClassRef, name string, v *Val) {
	if fn, ok := v.Ref.(*FuncRef); ok && fn.Class == nil {
		if fn.owner != in { // another module's, which its other importers use as it is
			own, method := *v, *fn
			own.Ref, fn = &method, &method
			v = in.newVal(own)
		}
		fn.Class = c
	}
	c.Attrs[name] = v
}

// recordFields lists the annotated fields of a class body.
func (in *interp) recordFields(g *Frame, s *state, st *ast.ClassDef, c *ClassRef) []Field {
	var own []Field
	for _, x := range st.Body {
		a, ok := x.(*ast.AnnAssign)
		if !ok {
			continue
		}
		name, ok := a.Target.(*ast.Name)
		if !ok {
			continue
		}
		fld := Field{Name: name.Ident, Node: a}
		if v := c.Attrs[name.Ident]; v != nil && a.Value != nil {
			fld.Default = in.setting(g, s, a, v)
		}
		own = append(own, fld)
	}
	var out []Field
	for _, b := range c.Bases {
		for _, fld := range b.Fields {
			if !hasField(own, fld.Name) && !hasField(out, fld.Name) {
				out = append(out, fld)
			}
		}
	}
	return append(out, own...)
}

func hasField(fs []Field, name string) bool {
	return slices.ContainsFunc(fs, func(f Field) bool { return f.Name == name })
}

// field is the annotated field of that name, or nil.
func (c *ClassRef) field(name string) *Field {
	if i := slices.IndexFunc(c.Fields, func(f Field) bool { return f.Name == name }); i >= 0 {
		return &c.Fields[i]
	}
	return nil
}

// setting is a default that the user may change: a number keeps its value, but
// no branch is decided by it.
func (in *interp) setting(f *Frame, s *state, n ast.Node, v *Val) *Val {
	if !isNumber(v.Const) && !v.Is(domain.Text) && !v.IsNone() {
		return v
	}
	w := in.val(f, s, n, OpConfig, v.Q, v)
	if !v.IsNone() {
		w.Const = v.Const
	} else {
		w.Q = domain.Unknown
		if a, ok := n.(*ast.AnnAssign); ok && in.isPlain(f, a.Annotation) {
			w.Q.Grad = domain.Detached
		}
	}
	return w
}

// construct makes an object of a class of the program.
func (in *interp) construct(f *Frame, s *state, n ast.Node, c *ClassRef, a callArgs) *Val {
	if c.Derives("typing.TypedDict") {
		return callDict(in, f, s, n, a)
	}
	if c.isDict() {
		return in.constructDict(f, s, n, c, a)
	}
	obj := heapAt(f, n, func() *Instance { return in.newInstance(c) })
	if obj.Class != c {
		obj = in.newInstance(c)
		f.heap[allocation{node: n.NodeID()}] = obj
	}
	v := in.val(f, s, n, OpNew, in.instanceQ(c), a.all()...)
	v.Ref = obj
	if v.Q.Kind == domain.Distribution && c.Lookup("__init__") == nil {
		in.constructBase(v, obj, a)
	}
	for _, a1 := range c.mro() {
		for _, b := range a1.LibBases {
			in.trains(f, s, n, b, a)
		}
	}
	if m := c.Lookup("__init__"); m != nil {
		if fn, ok := m.Ref.(*FuncRef); ok {
			in.callFunc(f, s, n, in.bindMethod(fn, v, c).Ref.(*FuncRef), a)
			return v
		}
	}
	in.fillRecord(obj, c, a)
	return v
}

// constructDict makes an object of a class that derives from dict: a dict with methods.
func (in *interp) constructDict(f *Frame, s *state, n ast.Node, c *ClassRef, a callArgs) *Val {
	m := c.Lookup("__init__")
	if m == nil {
		v := callDict(in, f, s, n, a)
		v.Ref.(*DictRef).class = c
		return v
	}
	d := in.dictAt(f, n)
	d.class = c
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), a.all()...)
	v.Ref = d
	if fn, ok := m.Ref.(*FuncRef); ok {
		in.callFunc(f, s, n, in.bindMethod(fn, v, c).Ref.(*FuncRef), a)
	}
	return v
}

func (in *interp) newInstance(c *ClassRef) *Instance {
	obj := &Instance{Class: c, Attrs: map[string]*Val{}, owner: in}
	in.res.Instances = append(in.res.Instances, obj)
	return obj
}

// fillRecord sets the fields of a dataclass or named tuple.
func (in *interp) fillRecord(obj *Instance, c *ClassRef, a callArgs) {
	for i, fld := range c.Fields {
		v := a.arg(i, fld.Name)
		if v == nil && !a.open {
			v = fld.Default
		}
		if v == nil {
			continue
		}
		obj.Attrs[fld.Name] = in.join(obj.Attrs[fld.Name], v)
	}
}

// instanceQ is the quantity of an object: what its library base is.
func (in *interp) instanceQ(c *ClassRef) domain.Value {
	q := domain.Of(domain.Other)
	if isDerivedModule(c) {
		q.Kind = domain.Module
		return q
	}
	for _, b := range c.LibBases {
		if lc := in.table.Class(b); lc != nil {
			q.Kind = lc.Kind
		}
	}
	return q
}

// constructBase makes v of a class that leaves the constructor to a distribution of a library what that makes: the arguments say
// whether gradients flow through it, whose it is and how many there are.
func (in *interp) constructBase(v *Val, obj *Instance, a callArgs) {
	for _, b := range obj.Class.LibBases {
		c := in.table.Class(b)
		if c == nil || c.New == nil || c.Kind != domain.Distribution || a.open {
			continue
		}
		obj.made = &LibObject{Name: b, Class: c, Pos: a.pos, Args: argsOf(c, a), owner: in}
		mark := in.scratch.Mark()
		v.Q = c.New.Apply(c.New.BindIn(&in.scratch, in.tagged(a.pos), in.taggedKw(a.kw)))
		in.scratch.Release(mark)
		return
	}
}

// genericInstance is an object of the class that was built from unknown
// arguments: self of methods that nobody calls.
func (in *interp) genericInstance(c *ClassRef) *Val {
	if c.isDict() {
		d := in.openDict()
		d.class = c
		return in.newVal(Val{Q: domain.Of(domain.Other), Op: OpParam, Ref: d})
	}
	if in.cfg.Module != c.Module && !(c.Record && c.genericVal != nil) { // a record keeps what it was handed, and registers nothing
		return in.foreign(c)
	}
	if c.generic == nil {
		if !in.follow() {
			return in.newVal(Val{Q: in.instanceQ(c), Op: OpParam, Ref: in.newInstance(c)})
		}
		defer in.back()
		defer func() { c.made = maps.Clone(c.generic.Attrs) }()
		c.generic = in.newInstance(c)
		self := in.newVal(Val{Q: in.instanceQ(c), Op: OpParam, Ref: c.generic})
		c.genericVal = self
		if m := c.Lookup("__init__"); m != nil {
			if fn, ok := m.Ref.(*FuncRef); ok && in.mayEnter(in.res.Frames[0], fn, in.codeOf(fn)) {
				b := in.bindMethod(fn, self, c).Ref.(*FuncRef)
				in.enter(b, nil, in.entryArgs(b), nil)
				return self
			}
		}
		in.fillRecord(c.generic, c, callArgs{})
	}
	return c.genericVal
}

// derivesAny finds a method that the class inherits from a library class.
func (c *ClassRef) derivesAny(t *library.Table, method string) *library.Func {
	for _, a := range c.mro() {
		for _, b := range a.LibBases {
			if lc := t.Class(b); lc != nil && lc.Method(method) != nil {
				return lc.Method(method)
			}
		}
	}
	return nil
}

// inheritedAttr finds an attribute that the class inherits from a library class.
func (c *ClassRef) inheritedAttr(t *library.Table, name string) *library.Func {
	for _, a := range c.mro() {
		for _, b := range a.LibBases {
			if lc := t.Class(b); lc != nil && lc.AttrFunc(name) != nil {
				return lc.AttrFunc(name)
			}
		}
	}
	return nil
}

// isOpenClass reports whether a class inherits from something unknown.
func (in *interp) isOpenClass(c *ClassRef) bool {
	return slices.ContainsFunc(c.mro(), func(a *ClassRef) bool { return len(a.LibBases) > 0 })
}
