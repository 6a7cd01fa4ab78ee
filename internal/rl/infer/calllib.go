package infer

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// lib returns the value that stands for a library symbol.
func (in *interp) lib(name string) *Val {
	if v := in.libVals[name]; v != nil {
		return v
	}
	v := in.newVal(Val{Q: domain.Of(domain.Other), Op: OpModule, Ref: &LibRef{Name: name}})
	if c, ok := libConsts[name]; ok {
		v = in.newVal(Val{Q: domain.ConstValue(c), Op: OpConst, Const: c})
	}
	in.libVals[name] = v
	return v
}

var libConsts = map[string]any{
	"math.pi": 3.141592653589793, "numpy.pi": 3.141592653589793, "torch.pi": 3.141592653589793, "math.e": 2.718281828459045,
	"math.inf": math.Inf(1), "numpy.inf": math.Inf(1), "torch.inf": math.Inf(1),
}

// callLib applies a library row.
func (in *interp) callLib(f *Frame, s *state, n ast.Node, fn *library.Func, pos []*Val, kw []kwArg) *Val {
	defer in.scratch.Release(in.scratch.Mark())
	bound := fn.BindIn(&in.scratch, in.tagged(pos), in.taggedKw(kw))
	return in.applyLib(f, s, n, bound, pos, kw)
}

// applyLib makes the value of a bound call.
func (in *interp) applyLib(f *Frame, s *state, n ast.Node, bound library.Args, pos []*Val, kw []kwArg) *Val {
	if bound.Lacking() {
		return in.opaque(f, s, n, OpUnknown, pos...)
	}
	fn := bound.Func()
	v := in.val(f, s, n, fn.As, fn.Apply(bound), in.aligned(fn, bound, pos, kw)...)
	v.Fn = fn
	if len(fn.From) > 0 {
		v.Q.Grad = gradOfPart(fn, v.In[0], maxNesting)
	}
	if elems, ok := fn.Elements(bound); ok {
		r := &SeqRef{Elems: []*Val{}, owner: in}
		for _, el := range elems {
			e := in.val(f, s, n, fn.As, el.V, v.In...)
			e.Fn = fn
			in.gradOf(s, e)
			r.Elems = append(r.Elems, e)
			r.Names = append(r.Names, el.Name)
		}
		ofOneMade(v, r)
		v.Ref, v.Q = r, domain.Of(domain.Other)
	}
	if c := fn.Returns; c != nil && v.Ref == nil {
		v.Ref = in.objectAt(f, n, c)
	}
	ofTensors(v)
	if !fn.Leaf {
		in.gradOf(s, v)
	} else if v.Q.Grad == domain.Attached {
		v.NoGrad = false
	}
	in.identify(v)
	isTyped := func(named func(*Val) bool) bool {
		return isOp(v, typed...) && (slices.ContainsFunc(pos, named) || slices.ContainsFunc(kw, func(k kwArg) bool { return named(k.val) }))
	}
	switch {
	case isTyped(isBoolType):
		v.Q.Kind, v.Q.Evidence, v.Q.Grad = domain.Mask, domain.Derived, domain.Detached
		v.Q.Range, v.Q.Whose = domain.Between(domain.Zero, domain.One), 0
	case isTyped(isObjectType): // its elements are anything, so an element has any number of axes
		v.Q = domain.Unknown
	}
	if fn.InPlace {
		in.inPlace(f, s, n, v)
	}
	return v
}

// gradOfPart is the grad state of a part of an object, as the scale of a Normal: that of what the
// constructor was given for it, and of an object that is wrapped that of the same part of it.
func gradOfPart(fn *library.Func, self *Val, depth int) domain.Grad {
	o := libObjectOf(self)
	if o == nil || o.Class == nil || depth == 0 {
		return domain.GradUnknown
	}
	g := domain.GradBottom
	for _, p := range fn.From {
		arg := o.Args[p]
		if arg == nil {
			return domain.GradUnknown
		}
		g = g.Flow(gradInside(fn, arg, depth))
	}
	return g
}

// libObjectOf is the object of a library's class that v is, or that it is by its base class; nil for others.
func libObjectOf(v *Val) *LibObject {
	switch r := RefOf(v).(type) {
	case *LibObject:
		return r
	case *Instance:
		return r.made
	}
	return nil
}

func gradInside(fn *library.Func, arg *Val, depth int) domain.Grad {
	inner := libObjectOf(arg)
	if inner == nil || inner.Class == nil {
		return arg.Q.Grad
	}
	name := BaseOp(fn.Name)
	part := inner.Class.Method(name)
	if part == nil {
		part = inner.Class.AttrFunc(name)
	}
	switch {
	case part == nil:
		return domain.GradUnknown
	case len(part.From) == 0: // of all that it was made of
		return part.Grad([]library.Operand{arg.operand()})
	}
	return gradOfPart(part, arg, depth-1)
}

// typed are the operations whose argument dtype makes the result what it is; to() is a clone.
var typed = []string{"zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like", "tensor", "as_tensor", "array", "asarray", "clone", "type", "astype"}

// isBoolType reports whether v is the type of booleans.
func isBoolType(v *Val) bool {
	r, ok := RefOf(v).(*LibRef)
	return ok && (r.Name == "torch.bool" || r.Name == "numpy.bool_" || r.Name == "builtins.bool")
}

// isObjectType reports whether v is the type of numpy's arrays of Python objects.
func isObjectType(v *Val) bool {
	r, ok := RefOf(v).(*LibRef)
	return ok && (r.Name == "numpy.object_" || r.Name == "numpy.object" || r.Name == "builtins.object")
}

// objectAt is an object of a library class that a call at n yields.
func (in *interp) objectAt(f *Frame, n ast.Node, c *library.Class) *LibObject {
	o := heapAt(f, n, func() *LibObject { return &LibObject{owner: in} })
	o.Name, o.Class = c.Name, c
	return o
}

// inPlace rebinds the receiver of x.exp_(), and of each link of x.sub_(y).exp_().
func (in *interp) inPlace(f *Frame, s *state, n ast.Node, v *Val) {
	at := inPlaceMethod(n)
	if at != nil {
		in.keepGraph(s, v)
	}
	for at != nil {
		in.rebind(f, s, at.X, v)
		at = inPlaceMethod(at.X)
	}
}

// writes gives the array into which a function writes its result v the value v: that of its argument out. Where it writes only a part, by
// a mask, the array may be as it was, too.
func (in *interp) writes(f *Frame, s *state, n ast.Node, name string, v *Val) {
	call, ok := n.(*ast.Call)
	if !ok || v.Ref != nil {
		return
	}
	var into ast.Expr
	if at, ok := library.OutAt(name); ok && len(call.Args) == at+1 {
		into = call.Args[at]
	}
	for _, k := range call.Keywords {
		if k.Name == "out" {
			into = k.Value
		}
	}
	if into == nil {
		return
	}
	base := f.Val(into)
	if base == nil || base.IsNone() || base.Ref != nil {
		return
	}
	if slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == "where" }) {
		v = in.join(base, v)
	}
	in.rebind(f, s, into, v)
}

// inPlaceMethod returns the x.name_ of a call x.name_(), else nil.
func inPlaceMethod(n ast.Node) *ast.Attribute {
	call, ok := n.(*ast.Call)
	if !ok {
		return nil
	}
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || !strings.HasSuffix(at.Attr, "_") || strings.HasSuffix(at.Attr, "__") {
		return nil
	}
	return at
}

// aligned returns the inputs in the order of fn.Params; what the row does not
// name comes behind, so that nothing that reaches the value is lost.
func (in *interp) aligned(fn *library.Func, bound library.Args, pos []*Val, kw []kwArg) []*Val {
	out := make([]*Val, len(fn.Params), len(fn.Params)+2)
	seen := 0
	for i, p := range fn.Params {
		if o, ok := bound.Get(p); ok {
			if v, ok := o.Handle.(*Val); ok {
				out[i] = v
				seen++
			}
		}
	}
	if seen == len(pos)+len(kw) {
		return out
	}
	for _, v := range pos {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for _, k := range kw {
		if !slices.Contains(out, k.val) {
			out = append(out, k.val)
		}
	}
	return out
}

// tagged returns values as operands that know them, in scratch memory.
func (in *interp) tagged(vals []*Val) []library.Operand {
	out := in.scratch.Take(len(vals))
	for i, v := range vals {
		out[i] = in.operandOf(v)
		out[i].Handle = v
	}
	return out
}

func (in *interp) taggedKw(kw []kwArg) map[string]library.Operand {
	if len(kw) == 0 {
		return nil
	}
	out := make(map[string]library.Operand, len(kw))
	for _, k := range kw {
		o := in.operandOf(k.val)
		o.Handle = k.val
		out[k.name] = o
	}
	return out
}

// own notes whose array a fresh value is, and its elements.
func (in *interp) own(v *Val, lib Lib) {
	set := func(v *Val) {
		v.Lib = lib
		if lib == LibNumpy {
			v.Q.Grad = domain.Detached
		}
	}
	set(v)
	if r, ok := v.Ref.(*SeqRef); ok {
		for _, e := range r.Elems {
			set(e)
		}
	}
}

// callName calls a library symbol by its qualified name.
func (in *interp) callName(f *Frame, s *state, n ast.Node, name string, a callArgs) *Val {
	if h := specials[name]; h != nil {
		if v := h(in, f, s, n, a); v != nil {
			return v
		}
	}
	if fn := in.table.Func(name); fn != nil {
		v := in.callLib(f, s, n, fn, in.observed(name, a.pos), a.kw)
		a.openShape(fn, v)
		in.own(v, LibOfName(name))
		in.writes(f, s, n, name, v)
		return v
	}
	if v := in.classmethod(f, s, n, name, a); v != nil {
		return v
	}
	return in.newObject(f, s, n, name, a)
}

// classmethod calls Class.from_pretrained and its like: an instance of the class.
func (in *interp) classmethod(f *Frame, s *state, n ast.Node, name string, a callArgs) *Val {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return nil
	}
	c := in.table.Class(name[:i])
	if c == nil {
		return nil
	}
	if m := c.Method(name[i+1:]); m != nil {
		return in.callLib(f, s, n, m, a.pos, a.kw)
	}
	if strings.HasPrefix(name[i+1:], "from_") {
		v := in.newObject(f, s, n, name[:i], callArgs{})
		v.In = a.all()
		return v
	}
	return nil
}

// newObject constructs an object of a library class. A symbol of a library that
// the tables do not know may be a class too: it is an opaque object.
func (in *interp) newObject(f *Frame, s *state, n ast.Node, name string, a callArgs) *Val {
	in.plays(f, s, n, name, a)
	c := in.table.Class(name)
	if c == nil && !looksLikeClass(name) {
		v := in.opaque(f, s, n, OpCall+"."+name, a.all()...)
		in.withoutGraph(v, name)
		return v
	}
	o := heapAt(f, n, func() *LibObject { return &LibObject{owner: in} })
	o.Name, o.Class, o.Pos = name, c, a.pos
	if name == sequentialName && a.open {
		o.Pos = in.starredLayers(f, n, a)
	}
	o.Args = argsOf(c, a)
	q := domain.Of(domain.Other)
	v := in.val(f, s, n, OpNew, q, a.all()...)
	v.Ref = o
	in.trains(f, s, n, name, a)
	if c == nil {
		v.Q = domain.Unknown
		in.withoutGraph(v, name)
		return v
	}
	v.Q.Kind = c.Kind
	if c.New != nil {
		mark := in.scratch.Mark()
		bound := c.New.BindIn(&in.scratch, in.tagged(a.pos), in.taggedKw(a.kw))
		v.Q = c.New.Apply(bound)
		v.Fn = c.New
		v.In = in.aligned(c.New, bound, a.pos, a.kw)
		in.scratch.Release(mark)
	}
	v.Op = c.Name
	return v
}

// argsOf are the arguments of a constructor by parameter, those without a name where the tables know the class.
func argsOf(c *library.Class, a callArgs) map[string]*Val {
	out := map[string]*Val{}
	for _, k := range a.kw {
		out[k.name] = k.val
	}
	if c == nil {
		return out
	}
	for i, p := range c.Params {
		if i < len(a.pos) && out[p] == nil {
			out[p] = a.pos[i]
		}
	}
	return out
}

// withoutGraph marks what a symbol of a library yields as detached, where nothing of that
// library carries a gradient.
func (in *interp) withoutGraph(v *Val, name string) {
	if in.table.NoGraph(name) {
		v.Q.Grad = domain.Detached
	}
}

func looksLikeClass(name string) bool {
	base := name[strings.LastIndexByte(name, '.')+1:]
	return base != "" && base[0] >= 'A' && base[0] <= 'Z'
}

// callObject calls an object of a library class: layer(x).
func (in *interp) callObject(f *Frame, s *state, n ast.Node, fun *Val, o *LibObject, a callArgs) *Val {
	if o.Name == sequentialName || o.Name == partialName || passThrough(o) != nil {
		if !in.begin(o) {
			return in.callUnknown(f, s, n, fun, a)
		}
		defer in.end(o)
	}
	switch o.Name {
	case sequentialName:
		return in.callSequential(f, s, n, fun, o, a)
	case partialName:
		return in.callPartial(f, s, n, o, a)
	}
	if wrapped := passThrough(o); wrapped != nil {
		return in.callVal(f, s, n, wrapped, a)
	}
	if o.Class == nil || o.Class.Call == nil {
		return in.callUnknown(f, s, n, fun, a)
	}
	defer in.scratch.Release(in.scratch.Mark())
	ctor := library.Args{}
	if o.Class.New != nil {
		ctor = o.Class.New.BindIn(&in.scratch, in.tagged(o.Pos), in.taggedArgs(o))
	}
	bound := o.Class.BindCall(&in.scratch, ctor, in.tagged(a.pos), in.taggedKw(a.kw))
	v := in.applyLib(f, s, n, bound, a.pos, a.kw)
	in.own(v, LibOfName(o.Name))
	v.In = append(v.In, fun)
	return v
}

func (in *interp) taggedArgs(o *LibObject) map[string]library.Operand {
	var kw []kwArg
	for _, k := range slices.Sorted(maps.Keys(o.Args)) {
		kw = append(kw, kwArg{k, o.Args[k]})
	}
	return in.taggedKw(kw)
}

// starredLayers are the arguments of Sequential(first, *layers), lists of unknown length as
// they are.
func (in *interp) starredLayers(f *Frame, n ast.Node, a callArgs) []*Val {
	call, ok := n.(*ast.Call)
	if !ok {
		return a.pos
	}
	var out []*Val
	for _, x := range call.Args {
		star, ok := x.(*ast.Starred)
		if ok {
			x = star.X
		}
		v := f.Val(x)
		if v == nil {
			return a.pos
		}
		if r, known := v.Ref.(*SeqRef); ok && known && r.Elems != nil {
			out = append(out, r.Elems...)
			continue
		}
		out = append(out, v)
	}
	return out
}

// callSequential runs a value through the layers in order.
func (in *interp) callSequential(f *Frame, s *state, n ast.Node, fun *Val, o *LibObject, a callArgs) *Val {
	var layers []*Val
	var unordered *Val // what stands for layers of which the order is not known
	for _, x := range o.Pos {
		switch r := x.Ref.(type) {
		case *SeqRef: // Sequential(*layers) of unknown length
			if r.Elems == nil {
				unordered = in.seqElem(r)
			}
			layers = append(layers, in.layersIn(r)...)
		case *DictRef: // Sequential(OrderedDict([("body", body), ("head", head)]))
			layers = append(layers, inOrder(r)...)
		default:
			layers = append(layers, x)
		}
	}
	if len(layers) == 0 || len(a.pos) != 1 {
		return in.callUnknown(f, s, n, fun, a)
	}
	x := a.pos[0]
	for _, l := range layers {
		if l == unordered {
			x = in.behindSome(f, s, n, l, x)
			continue
		}
		v := in.callVal(f, s, n, l, callArgs{pos: []*Val{x}})
		if x.Q.Grad == domain.Attached && l.Op == OpPhi && l.Ref == nil {
			v = in.behindTrained(f, s, n, l, x, v)
		}
		x = v
	}
	return in.through(f, s, n, x, fun, a)
}

// passThrough returns what a wrapper (DataParallel, DDP, torch.compile) wraps.
func passThrough(o *LibObject) *Val {
	if !wrappers[o.Name] || len(o.Pos) == 0 {
		return nil
	}
	return o.Pos[0]
}

// objectMethod calls a method of a library object; nil where its class says
// nothing of the name.
func (in *interp) objectMethod(f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, name string, a callArgs) *Val {
	if v := o.Attrs[name]; v != nil {
		return in.callVal(f, s, n, v, a)
	}
	if h := objectSpecials[o.Name+"."+name]; h != nil {
		if v := h(in, f, s, n, recv, o, a); v != nil {
			return v
		}
	}
	if wrapped := passThrough(o); wrapped != nil && in.begin(o) {
		defer in.end(o)
		if name == "module" { // DataParallel(net).module(x)
			return in.callVal(f, s, n, wrapped, a)
		}
		return in.callMethod(f, s, n, wrapped, name, a)
	}
	if o.Class == nil {
		v := in.opaque(f, s, n, OpCall+"."+name, a.after(recv)...)
		in.withoutGraph(v, o.Name)
		return v
	}
	if o.Class.Kind == domain.Module && moduleSelf[name] {
		return recv
	}
	if o.Class.Kind == domain.Module {
		if v := in.moduleMethod(f, s, n, recv, name, a); v != nil {
			return v
		}
	}
	m := o.Class.Method(name)
	if m == nil {
		return in.opaque(f, s, n, OpCall+"."+name, a.after(recv)...)
	}
	v := in.callLib(f, s, n, m, append([]*Val{recv}, a.pos...), a.kw)
	in.own(v, LibOfName(o.Name))
	return v
}

// moduleMethod is a method of nn.Module that yields something of the module.
func (in *interp) moduleMethod(f *Frame, s *state, n ast.Node, recv *Val, name string, a callArgs) *Val {
	switch name {
	case "parameters", "named_parameters", "state_dict", "children", "modules", "buffers", "named_modules":
		return in.val(f, s, n, "torch.nn.Module."+name, domain.Of(domain.Other), a.after(recv)...)
	case "requires_grad_":
		v := in.val(f, s, n, "torch.nn.Module.requires_grad_", recv.Q, a.after(recv)...)
		v.Ref = recv.Ref
		return v
	case "load_state_dict":
		return in.val(f, s, n, "torch.nn.Module."+name, domain.Of(domain.Other), a.after(recv)...)
	case "__call__", "forward":
		return in.callVal(f, s, n, recv, a)
	case "add_module", "register_module", "append", "insert":
		if o, ok := recv.Ref.(*Instance); ok && len(a.pos) > 0 {
			in.addLayers(f, s, n, o, a.pos[len(a.pos)-1:])
			return recv
		}
	}
	return nil
}

// moduleSelf are methods of nn.Module that return the module itself.
var moduleSelf = map[string]bool{
	"to": true, "cuda": true, "cpu": true, "train": true, "eval": true, "float": true, "half": true, "double": true,
	"bfloat16": true, "apply": true, "share_memory": true, "type": true, "xpu": true,
}

const (
	sequentialName  = "torch.nn.Sequential"
	moduleListName  = "torch.nn.ModuleList"
	moduleDictName  = "torch.nn.ModuleDict"
	partialName     = "functools.partial"
	modelOutputName = "transformers.modeling_outputs.CausalLMOutputWithPast"
	moduleName      = "torch.nn.Module"
)

// wrappers are classes whose instances stand for their first argument.
var wrappers = map[string]bool{
	"torch.nn.DataParallel": true, "torch.nn.parallel.DistributedDataParallel": true,
	"torch.nn.parallel.DataParallel": true,
}

func isDerivedModule(c *ClassRef) bool {
	for _, b := range []string{moduleName, "torch.nn.modules.module.Module", "transformers.PreTrainedModel", sequentialName, moduleListName, moduleDictName} {
		if c.Derives(b) {
			return true
		}
	}
	return false
}
