package infer

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// callArgs are the evaluated arguments of a call.
type callArgs struct {
	pos  []*Val
	kw   []kwArg
	open bool // *args or **kwargs of unknown content were passed
}

type kwArg struct {
	name string
	val  *Val
}

func (a callArgs) get(name string) *Val {
	for _, k := range a.kw {
		if k.name == name {
			return k.val
		}
	}
	return nil
}

// all are the arguments in order.
func (a callArgs) all() []*Val {
	if len(a.kw) == 0 {
		return slices.Clip(a.pos)
	}
	return a.after()
}

// after are some values and then the arguments.
func (a callArgs) after(first ...*Val) []*Val {
	out := make([]*Val, 0, len(first)+len(a.pos)+len(a.kw))
	out = append(append(out, first...), a.pos...)
	for _, k := range a.kw {
		out = append(out, k.val)
	}
	return out
}

// arg returns the i-th positional argument or the keyword of that name.
func (a callArgs) arg(i int, name string) *Val {
	if i >= 0 && i < len(a.pos) {
		return a.pos[i]
	}
	return a.get(name)
}

// call evaluates a call expression. A method is called on its receiver without
// making a bound method first, unless the path was assigned to.
func (in *interp) call(f *Frame, s *state, e *ast.Call) *Val {
	at, ok := e.Fun.(*ast.Attribute)
	if !ok {
		fun := in.expr(f, s, e.Fun)
		return in.callVal(f, s, e, fun, in.args(f, s, e))
	}
	recv := in.expr(f, s, at.X)
	if slot := f.code.slotOf(at); slot >= 0 {
		if v := s.get(slot); v != nil {
			f.record(at, v)
			return in.callVal(f, s, e, v, in.args(f, s, e))
		}
	}
	if r, ok := recv.Ref.(*Instance); ok {
		if v := r.Attrs[at.Attr]; v != nil && isNetwork(v.Ref) {
			f.record(at, v) // a network that is called: who asks for its evaluations looks here
		}
	}
	args := in.args(f, s, e)
	if fun := in.observedCallee(f, at); fun != nil && leaves(recv) {
		return in.callVal(f, s, e, fun, args)
	}
	return in.callMethod(f, s, e, recv, at.Attr, args)
}

// args evaluates the arguments of a call in order.
func (in *interp) args(f *Frame, s *state, e *ast.Call) callArgs {
	var a callArgs
	if len(e.Args) > 0 {
		a.pos = make([]*Val, 0, len(e.Args))
	}
	for _, x := range e.Args {
		v := in.expr(f, s, x)
		if _, ok := x.(*ast.Starred); !ok {
			a.pos = append(a.pos, v)
			continue
		}
		if r, ok := v.Ref.(*SeqRef); ok && r.Elems != nil {
			a.pos = append(a.pos, r.Elems...)
			continue
		}
		a.open = true
	}
	for _, k := range e.Keywords {
		v := in.expr(f, s, k.Value)
		switch d, ok := v.Ref.(*DictRef); {
		case k.Name != "":
			a.kw = append(a.kw, kwArg{k.Name, v})
		case ok:
			for _, key := range d.order {
				a.kw = append(a.kw, kwArg{key, d.Fields[key]})
			}
			a.open = a.open || d.Open
		default:
			a.open = true
		}
	}
	return a
}

// openShape forgets the shape of what a row of a library yields of any number of sizes, as view() does, where not all of them are known:
// x.reshape(-1, *y.shape[2:]).
func (a callArgs) openShape(fn *library.Func, v *Val) {
	if a.open && len(fn.Params) > 0 && strings.HasPrefix(fn.Params[len(fn.Params)-1], "*") {
		v.Q.Shape = domain.UnknownShape
	}
}

// callVal calls what fun refers to.
func (in *interp) callVal(f *Frame, s *state, n ast.Node, fun *Val, a callArgs) *Val {
	if !in.follow() {
		return in.callUnknown(f, s, n, fun, a)
	}
	v := in.callRef(f, s, n, fun, a)
	in.back()
	return v
}

func (in *interp) callRef(f *Frame, s *state, n ast.Node, fun *Val, a callArgs) *Val {
	switch r := fun.Ref.(type) {
	case *FuncRef:
		return in.callFunc(f, s, n, r, a)
	case *ClassRef:
		return in.construct(f, s, n, r, a)
	case *Instance:
		return in.callInstance(f, s, n, fun, r, a)
	case *LibRef:
		return in.callName(f, s, n, r.Name, a)
	case *LibObject:
		return in.callObject(f, s, n, fun, r, a)
	case *BoundRef:
		return in.callMethod(f, s, n, r.Recv, r.Name, a)
	}
	if fun.Op == OpPhi {
		if v := in.callPhi(f, s, n, fun, a); v != nil {
			return v
		}
	}
	return in.callUnknown(f, s, n, fun, a)
}

// callPhi calls each of the things that fun may be.
func (in *interp) callPhi(f *Frame, s *state, n ast.Node, fun *Val, a callArgs) *Val {
	if !in.beginJoin(f, fun) {
		return nil
	}
	defer in.endJoin(f, fun)
	var results []*Val
	for _, x := range fun.In {
		if isCandidate(x) {
			results = append(results, in.callVal(f, s, n, x, a))
		}
	}
	return in.oneOf(results)
}

// isCandidate reports whether x may be what is called: something with a structure, or
// itself one of several.
func isCandidate(x *Val) bool {
	return !x.IsNone() && (x.Ref != nil || x.Op == OpPhi && slices.ContainsFunc(x.In, func(y *Val) bool { return y != nil && (y.Ref != nil || y.Op == OpPhi) }))
}

// hasStructure reports whether one of the things that x may be has a structure.
func hasStructure(x *Val, depth int) bool {
	if x == nil || x.IsNone() || depth == 0 {
		return false
	}
	return x.Ref != nil || x.Op == OpPhi && slices.ContainsFunc(x.In, func(y *Val) bool { return hasStructure(y, depth-1) })
}

// callUnknown is a call of something that is not known. A call with the
// keywords of a causal language model is taken for one: that interface is a
// convention as firm as a type.
func (in *interp) callUnknown(f *Frame, s *state, n ast.Node, fun *Val, a callArgs) *Val {
	v := in.unfollowed(f, s, n, a.after(fun)...)
	if a.get("input_ids") != nil || a.get("attention_mask") != nil {
		v.Ref = in.objectAt(f, n, in.table.Class(modelOutputName))
	}
	return v
}

// callMethod calls recv.name(a).
func (in *interp) callMethod(f *Frame, s *state, n ast.Node, recv *Val, name string, a callArgs) *Val {
	if !in.follow() {
		return in.opaque(f, s, n, OpCall+"."+name, a.after(recv)...)
	}
	v := in.callMethodOf(f, s, n, recv, name, a)
	in.back()
	return v
}

func (in *interp) callMethodOf(f *Frame, s *state, n ast.Node, recv *Val, name string, a callArgs) *Val {
	if name == "backward" && recv.Ref == nil {
		return in.val(f, s, n, OpDelegate, domain.Of(domain.Other), a.after(recv)...)
	}
	switch r := recv.Ref.(type) {
	case *LibRef:
		return in.callName(f, s, n, r.Name+"."+name, a)
	case *SeqRef:
		if v := in.seqMethod(f, s, n, recv, r, name, a); v != nil {
			return v
		}
	case *DictRef:
		if v := in.dictMethod(f, s, n, recv, r, name, a); v != nil {
			return v
		}
	case *LibObject:
		if v := in.objectMethod(f, s, n, recv, r, name, a); v != nil {
			return v
		}
	case *Instance:
		if v := in.instanceMethod(f, s, n, recv, r, name, a); v != nil {
			return v
		}
	case *listsRef:
		in.growAny(r, name, a)
	case *SuperRef:
		return in.superMethod(f, s, n, recv, r, name, a)
	case *ModuleRef, *ClassRef, *FuncRef:
		if c, ok := r.(*ClassRef); ok && name == "apply" && c.IsAutogradFunction() {
			if v := in.applyFunction(f, s, n, c, a); v != nil {
				return v
			}
		}
		fun := in.getAttr(f, s, n, recv, name)
		if b, ok := fun.Ref.(*BoundRef); ok && b.Recv == recv {
			return in.callUnknown(f, s, n, fun, a)
		}
		return in.callVal(f, s, n, fun, a)
	}
	if recv.Op == OpPhi && recv.Ref == nil {
		if v := in.phiMethod(f, s, n, recv, name, a); v != nil {
			return v
		}
	}
	return in.tensorMethod(f, s, n, recv, name, a)
}

// phiMethod calls a method on each of the objects that recv may be.
func (in *interp) phiMethod(f *Frame, s *state, n ast.Node, recv *Val, name string, a callArgs) *Val {
	if !in.beginJoin(f, recv) {
		return nil
	}
	defer in.endJoin(f, recv)
	var results []*Val
	for _, x := range in.takers(recv.In, name, a) {
		results = append(results, in.callMethod(f, s, n, x, name, a))
	}
	if v := sameDeed(results); v != nil {
		w := *v
		w.In = append([]*Val{recv}, v.In[1:]...)
		return in.newVal(w)
	}
	return in.oneOf(results)
}

// takers are those of the things on which the method can be called with the arguments. The method of another raises, so the program
// never has it here: a registry may hold classes whose methods differ in what they take. If none takes them, all are returned. Where
// some are tensors, those that are one of several tensors are none of them: the method is called on all at once.
func (in *interp) takers(xs []*Val, name string, a callArgs) []*Val {
	var all, out []*Val
	tensors := slices.ContainsFunc(xs, func(x *Val) bool { return x != nil && !x.IsNone() && !isCandidate(x) })
	for _, x := range xs {
		if isCandidate(x) && (!tensors || hasStructure(x, maxNesting)) {
			all = append(all, x)
			if in.takes(x, name, a, maxNesting) {
				out = append(out, x)
			}
		}
	}
	if len(out) == 0 {
		return all
	}
	return in.fitting(out, name, a)
}

// fitting are those of several things whose methods are handed what their parameters are called after: the reward that one method takes is
// no advantage, so the program does not call the other one here. Where all are handed something else, all are returned.
func (in *interp) fitting(xs []*Val, name string, a callArgs) []*Val {
	if len(xs) < 2 {
		return xs
	}
	counts := make([]int, len(xs))
	for i, x := range xs {
		counts[i] = in.misfits(x, name, a, maxNesting)
	}
	least := slices.Min(counts)
	var out []*Val
	for i, x := range xs {
		if counts[i] == least {
			out = append(out, x)
		}
	}
	return out
}

// misfits is how many arguments by position are known for something else than what the parameters of a method are called after; of one
// of several things that x may be, the least.
func (in *interp) misfits(x *Val, name string, a callArgs, depth int) int {
	if x.Op == OpPhi && x.Ref == nil && depth > 0 {
		least := -1
		for _, y := range x.In {
			if y != nil && isCandidate(y) {
				if n := in.misfits(y, name, a, depth-1); least < 0 || n < least {
					least = n
				}
			}
		}
		return max(least, 0)
	}
	r, ok := x.Ref.(*Instance)
	if !ok || r.Attrs[name] != nil {
		return 0
	}
	v := r.Class.Lookup(name)
	if v == nil {
		return 0
	}
	fn, ok := v.Ref.(*FuncRef)
	if !ok || fn.Def == nil || len(fn.Def.Decorators) > 0 {
		return 0
	}
	n := 0
	for i, p := range in.codeOf(fn).params.List[min(1, len(in.codeOf(fn).params.List)):] {
		if i >= len(a.pos) || p.Kind == ast.VarArgs {
			break
		}
		q := in.named(p.Name)
		if k := a.pos[i]; q != nil && k != nil && q.Kind.Known() && k.Q.Kind.Known() && !k.Is(domain.Number|domain.Other) && !k.Q.May(q.Kind) {
			n++
		}
	}
	return n
}

// takes reports whether a method of x, or of one of several that it may be, can be called with the arguments, as far as is known.
func (in *interp) takes(x *Val, name string, a callArgs, depth int) bool {
	if x.Op == OpPhi && x.Ref == nil && depth > 0 {
		return slices.ContainsFunc(x.In, func(y *Val) bool { return y != nil && isCandidate(y) && in.takes(y, name, a, depth-1) })
	}
	r, ok := x.Ref.(*Instance)
	if !ok || r.Attrs[name] != nil {
		return true
	}
	v := r.Class.Lookup(name)
	if v == nil {
		return true
	}
	fn, ok := v.Ref.(*FuncRef)
	if !ok || fn.Def == nil || fn.kind == propertyMethod || len(fn.Def.Decorators) > 0 {
		return true
	}
	return bindable(in.codeOf(fn).params.List, len(a.pos)+1, a)
}

// bindable reports whether a function with the parameters can be called with so many arguments by position and those by name.
func bindable(params []*ast.Param, pos int, a callArgs) bool {
	open, named := false, 0
	for _, p := range params {
		given := a.get(p.Name) != nil
		if given && p.Kind != ast.PosOnly {
			named++
		}
		switch p.Kind {
		case ast.VarArgs:
			pos = 0
		case ast.VarKwArgs:
			open = true
		case ast.PosOnly, ast.PosOrKw:
			if pos > 0 {
				if pos--; given && p.Kind == ast.PosOrKw {
					return false // twice
				}
				continue
			}
			fallthrough
		default:
			if !given && p.Default == nil && !a.open {
				return false
			}
		}
	}
	return pos == 0 && (open || named == len(a.kw))
}

// sameDeed returns the first of several calls of one method of a library that yields nothing of
// interest: to step is to step, whichever of the optimizers it is. Else it returns nil.
func sameDeed(results []*Val) *Val {
	for _, v := range results {
		if v == nil || v.Fn == nil || v.Op != results[0].Op || v.Ref != nil || v.Q.Kind != domain.Other || len(v.In) == 0 {
			return nil
		}
	}
	if len(results) < 2 {
		return nil
	}
	return results[0]
}

// tensorMethod calls a method that is only known by its name, as those of
// tensors are: 83 % of tensor operations are spelled so.
func (in *interp) tensorMethod(f *Frame, s *state, n ast.Node, recv *Val, name string, a callArgs) *Val {
	if pieceOps[name] {
		if v := in.pieces(f, s, n, name, recv, a); v != nil {
			return v
		}
	}
	if key, ok := a.arg(0, "").keyOf(name); ok && recv.Ref == nil {
		return in.unknownAttr(f, s, n, recv, key)
	}
	if v := in.textMethod(f, s, n, recv, name, a); v != nil {
		return v
	}
	fn := in.methodRow(recv, name)
	if fn == nil {
		v := in.opaque(f, s, n, OpCall+"."+name, a.after(recv)...)
		if recv.Lib == LibNumpy || recv.Is(domain.Text|domain.Count|domain.Index|domain.Number) {
			v.Q.Grad = domain.Detached
		}
		return v
	}
	v := in.callLib(f, s, n, fn, append([]*Val{recv}, a.pos...), a.kw)
	a.openShape(fn, v)
	lib := recv.Lib
	if name == "numpy" {
		lib = LibNumpy
	}
	in.own(v, lib)
	return v
}

// ofText are the methods of text that yield text.
var ofText = map[string]bool{
	"strip": true, "lstrip": true, "rstrip": true, "lower": true, "upper": true, "title": true, "casefold": true, "capitalize": true, "replace": true,
	"removeprefix": true, "removesuffix": true, "join": true, "format": true,
}

// textMethod calls a method of text; nil for what is no text, and other methods.
func (in *interp) textMethod(f *Frame, s *state, n ast.Node, recv *Val, name string, a callArgs) *Val {
	if !ofText[name] || recv.Ref != nil || !recv.Is(domain.Text) {
		return nil
	}
	v := in.val(f, s, n, OpCall+"."+name, domain.Of(domain.Text), a.after(recv)...)
	v.Q.Grad = domain.Detached
	return v
}

// methodRow returns the row of a method of an array; one of unknown library is
// taken for a tensor. Names that other objects have too (add, index, update) count
// only on what a library's function made, or what is known to be a quantity.
func (in *interp) methodRow(recv *Val, name string) *library.Func {
	fn := in.table.Method(name)
	if fn == nil && !isArray(recv) {
		return nil
	}
	class := "torch.Tensor."
	if recv.Lib == LibNumpy {
		class = "numpy.ndarray."
	}
	if own := in.table.Func(class + name); own != nil {
		return own
	}
	if fn == nil && recv.Lib == LibUnknown { // of an environment's observation
		return in.table.Func("numpy.ndarray." + name)
	}
	return fn
}

// keyOf is the key of x.get("key") and x.pop("key"), which read what x["key"] reads.
func (v *Val) keyOf(method string) (string, bool) {
	if method != "get" && method != "pop" {
		return "", false
	}
	return v.Str()
}

// isArray reports whether v is known to be a tensor or array.
func isArray(v *Val) bool {
	return v.Ref == nil && (v.Lib != LibUnknown || v.Fn != nil && v.Q.Kind != domain.Text && !v.Is(domain.Other))
}

// instanceMethod calls a method of an object of the program; nil where it has none.
func (in *interp) instanceMethod(f *Frame, s *state, n ast.Node, recv *Val, r *Instance, name string, a callArgs) *Val {
	if v := r.Attrs[name]; v != nil {
		if isUnknown(v) {
			v = in.as(v, in.declaredAttr(r.Class, name))
		}
		return in.callVal(f, s, n, v, a)
	}
	if v := r.Class.Lookup(name); v != nil {
		return in.callAttr(f, s, n, v, recv, r.Class, a)
	}
	if t := in.declaredAttr(r.Class, name); t != nil {
		return in.callVal(f, s, n, t, a)
	}
	if r.Class.Record {
		switch name {
		case "_replace", "replace":
			return in.replaced(f, s, n, recv, r, a)
		case "_asdict", "model_dump":
			return callAsdict(in, f, s, n, callArgs{pos: []*Val{recv}})
		}
	}
	if isDerivedModule(r.Class) {
		if moduleSelf[name] {
			return recv
		}
		if v := in.moduleMethod(f, s, n, recv, name, a); v != nil {
			return v
		}
	}
	if q := r.Class.derivesAny(in.table, name); q != nil {
		return in.callLib(f, s, n, q, append([]*Val{recv}, a.pos...), a.kw)
	}
	if in.isOpenClass(r.Class) {
		return in.opaque(f, s, n, OpCall+"."+name, a.after(recv)...)
	}
	return in.unfollowed(f, s, n, a.after(recv)...)
}

// callAttr calls a class attribute read from self.
func (in *interp) callAttr(f *Frame, s *state, n ast.Node, v, self *Val, c *ClassRef, a callArgs) *Val {
	if fn, ok := v.Ref.(*FuncRef); ok && self != nil && fn.kind != propertyMethod {
		return in.callFunc(f, s, n, in.withReceiver(fn, self, c), a)
	}
	return in.callVal(f, s, n, in.bindAttr(f, s, n, v, self, c), a)
}

// superMethod calls a method of the class after the one that called super().
func (in *interp) superMethod(f *Frame, s *state, n ast.Node, recv *Val, r *SuperRef, name string, a callArgs) *Val {
	if v, owner := r.lookup(name); v != nil {
		return in.callAttr(f, s, n, v, r.Self, owner, a)
	}
	if r.Self != nil {
		if d, ok := r.Self.Ref.(*DictRef); ok {
			if v := in.plainDictMethod(f, s, n, r.Self, d, name, a); v != nil {
				return v
			}
		}
		if moduleSelf[name] {
			return r.Self
		}
		if o, ok := r.Self.Ref.(*Instance); ok && name == "__init__" {
			in.addLayers(f, s, n, o, a.pos)
		}
	}
	if q := r.Class.derivesAny(in.table, name); q != nil && r.Self != nil {
		return in.callLib(f, s, n, q, append([]*Val{r.Self}, a.pos...), a.kw)
	}
	return in.opaque(f, s, n, OpCall+".super."+name, a.all()...)
}

// callInstance calls an object: __call__, or forward of a module.
func (in *interp) callInstance(f *Frame, s *state, n ast.Node, fun *Val, r *Instance, a callArgs) *Val {
	for _, name := range []string{"__call__", "forward"} {
		if m := r.Class.Lookup(name); m != nil {
			v := in.callAttr(f, s, n, m, fun, r.Class, a)
			return in.through(f, s, n, v, fun, a)
		}
	}
	if v := in.inheritedCall(f, s, n, fun, r, a); v != nil {
		return v
	}
	if r.layers != nil && r.Class.Derives(sequentialName) && in.begin(r) {
		defer in.end(r)
		return in.callSequential(f, s, n, fun, &LibObject{Pos: layersOf(fun)}, a)
	}
	return in.callUnknown(f, s, n, fun, a)
}

// inheritedCall calls an object whose class takes its behaviour from a library.
func (in *interp) inheritedCall(f *Frame, s *state, n ast.Node, fun *Val, r *Instance, a callArgs) *Val {
	for _, base := range r.Class.LibBases {
		c := in.table.Class(base)
		if c == nil || c.Call == nil {
			continue
		}
		v := in.callLib(f, s, n, c.Call, a.pos, a.kw)
		return in.through(f, s, n, v, fun, a)
	}
	return nil
}

// through notes that a value came out of an object, so that what reaches it can
// be told (whose network produced it).
func (in *interp) through(f *Frame, s *state, n ast.Node, v, object *Val, a callArgs) *Val {
	return in.eachOf(v, maxNesting, func(v *Val) *Val { return in.wrapped(f, s, n, v, object, a) })
}

// eachOf changes each of the things that v may be, where they have structure: the others are
// changed as one.
func (in *interp) eachOf(v *Val, depth int, change func(*Val) *Val) *Val {
	if v.Op != OpPhi || v.Ref != nil && !mayDiffer(v) || depth == 0 || !isCandidate(v) {
		return change(v)
	}
	w := *v
	w.In = make([]*Val, len(v.In))
	for i, x := range v.In {
		if x != nil && !x.IsNone() {
			x = in.eachOf(x, depth-1, change)
		}
		w.In[i] = x
	}
	return in.newVal(w)
}

func (in *interp) wrapped(f *Frame, s *state, n ast.Node, v, object *Val, a callArgs) *Val {
	w := *v
	w.Op, w.Fn, w.asked = OpCall, nil, false
	w.In = a.after(v, object)
	w.Node, w.Frame, w.Guard = n, f, s.guard
	return in.newVal(w)
}
