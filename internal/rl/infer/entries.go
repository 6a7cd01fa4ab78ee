package infer

import (
	"cmp"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// entries evaluates what nobody called: functions, methods, lambdas. Classes
// come first, since their methods fill the attributes that later ones read, and
// twice where attributes changed after a method had read them. A function that nobody
// called may define classes, too.
func (in *interp) entries() {
	classes := in.entryClasses(0)
	for i := 0; i < len(in.defs); i++ {
		in.entry(in.defs[i])
		classes = in.entryClasses(classes)
	}
	for i := 0; i < len(in.lambdas); i++ {
		in.entry(in.lambdas[i])
	}
}

// entryClasses evaluates the classes from the i-th on, and returns how many there are.
func (in *interp) entryClasses(i int) int {
	for ; i < len(in.classes); i++ {
		if in.classes[i].IsAutogradFunction() {
			in.function(in.classes[i])
		}
		in.entryClass(in.classes[i])
	}
	return i
}

// entry evaluates a function with unknown arguments if it was never called.
func (in *interp) entry(fn *FuncRef) *Frame {
	if c := in.codeOf(fn); c.visited {
		return nil
	}
	return in.asEntry(fn, in.entryArgs(fn))
}

// asEntry evaluates a function with the arguments of one that nobody calls, and once more where its
// body says what they are.
func (in *interp) asEntry(fn *FuncRef, args []*Val) *Frame {
	by := in.scoring(fn)
	if by != nil {
		in.scoringArgs(by, fn, args)
	}
	before := len(in.res.Frames)
	f := in.enter(fn, nil, args, nil)
	f = in.again(f, in.res.Frames[before:])
	if by != nil {
		in.scoredEntry(by, fn, f)
	}
	return f
}

func (in *interp) entryClass(c *ClassRef) {
	var methods []*FuncRef
	for _, st := range c.Def.Body {
		d, ok := st.(*ast.FunctionDef)
		if !ok {
			continue
		}
		if v := c.Attrs[d.Name]; v != nil {
			if fn, ok := v.Ref.(*FuncRef); ok && fn.Def == d && !in.codeOf(fn).visited {
				methods = append(methods, fn)
			}
		}
	}
	for _, fn := range c.covered {
		if !in.codeOf(fn).visited {
			methods = append(methods, fn)
		}
	}
	if len(methods) == 0 {
		return
	}
	// The hook for the loss comes first: of the functions that it shares with the collecting
	// of data, so many contexts are evaluated and no more.
	slices.SortStableFunc(methods, func(a, b *FuncRef) int {
		return cmp.Compare(in.hookFirst(c, a), in.hookFirst(c, b))
	})
	self := in.onlyInstance(c)
	if self == nil {
		self = in.genericInstance(c)
	}
	before := in.attrsVer
	outer, inner := methods, []*FuncRef(nil)
	if !in.isHooked(c) {
		outer, inner = calledAmong(methods)
	}
	first := in.entryMethods(outer, self, c, nil)
	inner = slices.DeleteFunc(inner, func(fn *FuncRef) bool { return in.codeOf(fn).visited })
	first = append(first, in.entryMethods(inner, self, c, first)...)
	if in.attrsVer == before {
		return
	}
	methods = methods[:0]
	for _, f := range first { // no call is answered by these any more
		if in.settled(f) {
			continue
		}
		methods = append(methods, f.Func)
		f.stale = true
		f.code.memo = slices.DeleteFunc(f.code.memo, func(g *Frame) bool { return g == f })
	}
	in.entryMethods(methods, self, c, first)
}

// isHooked reports whether a library calls methods of a class by itself: it extends one of a library that is no plain network.
func (in *interp) isHooked(c *ClassRef) bool {
	for _, a := range c.mro() {
		for _, base := range a.LibBases {
			if base != "torch.nn.Module" {
				return true
			}
		}
	}
	return false
}

// calledAmong parts methods into those that come first, and those that another one calls on the same object and that keep in it what
// they are handed. What nobody hands over would end in the same lists as what the program does, and say less.
func calledAmong(methods []*FuncRef) (outer, inner []*FuncRef) {
	called := map[string]bool{}
	for _, fn := range methods {
		self := selfOf(fn)
		ast.WalkStmts(fn.Def.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.Call); ok {
				if at, ok := call.Fun.(*ast.Attribute); ok && isNamed(at.X, self) && at.Attr != fn.Def.Name {
					called[at.Attr] = true
				}
			}
			return true
		})
	}
	for _, fn := range methods {
		if called[fn.Def.Name] && keeps(fn) {
			inner = append(inner, fn)
		} else {
			outer = append(outer, fn)
		}
	}
	return outer, inner
}

// keeps reports whether a method puts a parameter into its object: self.x = p, self.x[i] = p, self.x.append(p).
func keeps(fn *FuncRef) bool {
	self, found := selfOf(fn), false
	handed := func(e ast.Expr) bool {
		found := false
		ast.Walk(e, func(n ast.Node) bool {
			x, ok := n.(*ast.Name)
			found = found || ok && slices.ContainsFunc(fn.Def.Params.List[1:], func(p *ast.Param) bool { return p.Name == x.Ident })
			return !found
		})
		return found
	}
	part := func(e ast.Expr) bool {
		for {
			switch x := e.(type) {
			case *ast.Attribute:
				if isNamed(x.X, self) {
					return true
				}
				e = x.X
			case *ast.Subscript:
				e = x.X
			default:
				return false
			}
		}
	}
	if self == "" {
		return false
	}
	ast.WalkStmts(fn.Def.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			found = found || slices.ContainsFunc(n.Targets, part) && handed(n.Value)
		case *ast.Call:
			at, ok := n.Fun.(*ast.Attribute)
			found = found || ok && part(at.X) && slices.ContainsFunc(n.Args, handed)
		}
		return !found
	})
	return found
}

// selfOf is what a method calls its object; "" where it takes none.
func selfOf(fn *FuncRef) string {
	if len(fn.Def.Params.List) == 0 {
		return ""
	}
	return fn.Def.Params.List[0].Name
}

func isNamed(e ast.Expr, name string) bool {
	x, ok := e.(*ast.Name)
	return ok && x.Ident == name
}

// hookFirst is 0 for the method of a class that is its hook, decorated or not, and else 1.
func (in *interp) hookFirst(c *ClassRef, fn *FuncRef) int {
	if in.isHook(&FuncRef{Def: fn.Def, Class: c}) {
		return 0
	}
	return 1
}

// onlyInstance is the object of a class where the program makes one: a framework that it is
// handed to calls the methods on that. With several it may be any of them.
func (in *interp) onlyInstance(c *ClassRef) *Val {
	var only *Instance
	for _, o := range in.res.Instances {
		if o.Class == c && o != c.generic {
			if only != nil || o.owner != in {
				return nil
			}
			only = o
		}
	}
	if only == nil {
		return nil
	}
	return in.newVal(Val{Q: in.instanceQ(c), Op: OpParam, Ref: only})
}

// entryMethods evaluates methods on an object of unknown history, after those of the frames done. __init__ has
// been evaluated when the object was made.
func (in *interp) entryMethods(methods []*FuncRef, self *Val, c *ClassRef, done []*Frame) []*Frame {
	var frames []*Frame
	var loader *Frame
	loads, computes := in.hooks(c)
	if i := slices.IndexFunc(done, func(f *Frame) bool { return f.Func.Def.Name == loads && !f.stale }); i >= 0 {
		loader = done[i]
	}
	first := func(fn *FuncRef) int {
		if fn.Def.Name == loads {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(methods, func(a, b *FuncRef) int { return first(a) - first(b) })
	for _, fn := range methods {
		if fn.Def.Name == "__init__" {
			continue
		}
		bound := in.bindMethod(fn, self, c).Ref.(*FuncRef)
		args := in.entryArgs(bound)
		if fn.Def.Name == computes && loader != nil && len(args) > 1 {
			if batch := in.batchOf(loader); batch != nil {
				args[1] = batch
			}
		}
		in.handOver(c, fn, args)
		f := in.asEntry(bound, args)
		frames = append(frames, f)
		if fn.Def.Name == loads {
			loader = f
		}
	}
	return frames
}

// hooks are the methods by which a trainer of a library asks a class for batches, and then
// hands each of them to another; "" where no ancestor is one that does so.
func (in *interp) hooks(c *ClassRef) (loads, computes string) {
	for _, a := range c.mro() {
		for _, b := range a.LibBases {
			if lib := in.table.Class(b); lib != nil && lib.Batches != "" {
				return lib.Batches, lib.LossMethod()
			}
		}
	}
	return "", ""
}

// batchOf is what a loop over the loader that a method returned binds; nil where that is not
// known.
func (in *interp) batchOf(f *Frame) *Val {
	if f.Result == nil || f.Result.Ref == nil || f.Result.Node == nil {
		return nil
	}
	batch := in.element(f, &state{noGrad: f.noGrad}, f.Result.Node, f.Result)
	if batch.Ref == nil && !batch.Q.Kind.Known() {
		return nil
	}
	return batch
}

// entryArgs are the parameters of a function that nobody calls.
func (in *interp) entryArgs(fn *FuncRef) []*Val {
	params := in.codeOf(fn).params.List
	out := make([]*Val, len(params))
	for i, p := range params {
		if i == 0 && fn.Self != nil {
			out[i] = fn.Self
			continue
		}
		out[i] = in.param(fn, p)
	}
	return out
}

// param is an unknown argument: its annotation, its default and its name are
// all there is. A default of a number is a setting that a caller may change.
func (in *interp) param(fn *FuncRef, p *ast.Param) *Val {
	if v := fn.options[p.Name]; v != nil {
		return v
	}
	v := in.newVal(Val{Q: domain.Unknown, Op: OpParam, Node: p})
	if q := in.named(p.Name); q != nil {
		v.Q = *q
	}
	switch p.Kind {
	case ast.VarArgs:
		v.Q, v.Ref = domain.Of(domain.Other), &SeqRef{Elem: in.unknown, owner: in}
		return v
	case ast.VarKwArgs:
		v.Q, v.Ref = domain.Of(domain.Other), fn.withOptions(in.openDict())
		return v
	}
	if p.Default != nil && fn.Closure != nil {
		if d := fn.Closure.Val(p.Default); d != nil && isNumber(d.Const) {
			v.Op, v.Const = OpConfig, d.Const
			switch {
			case v.Q.Kind == domain.UnknownKind:
				v.Q = d.Q
			case !v.Q.Shape.Known(): // what stands there where nobody says else
				v.Q.Shape = d.Q.Shape
			}
		}
	}
	if in.table.Settings(p.Name) && !namesTensors(p.Annotation) {
		v.Q.Grad = domain.Detached
	}
	if p.Annotation != nil {
		in.annotate(fn, v, p)
	}
	return in.observeParam(fn, p, v)
}

func isNumber(c any) bool {
	switch c.(type) {
	case int64, float64, bool:
		return true
	}
	return false
}

// annotate gives a parameter the structure of its annotated class.
func (in *interp) annotate(fn *FuncRef, v *Val, p *ast.Param) {
	if fn.Closure == nil {
		return
	}
	if in.isPlain(fn.Closure, p.Annotation) {
		v.Q.Grad = domain.Detached
	}
	t, optional := in.declared(fn.Closure, p.Annotation)
	if t == nil {
		return
	}
	if p.Default != nil {
		d := fn.Closure.Val(p.Default)
		optional = optional || d != nil && d.IsNone()
	}
	switch {
	case t.Ref == nil && t.Op != OpPhi:
		return
	case t.Ref == nil:
		v.Op, v.In = OpPhi, slices.Clip(t.In)
	case optional:
		v.Op, v.In = OpPhi, []*Val{t}
	}
	if optional {
		v.In = append(v.In, in.none())
	}
	v.Ref = t.Ref
	if _, lib := t.Ref.(*LibObject); !lib {
		v.Q = t.Q
	} else if v.Q.Kind == domain.UnknownKind {
		v.Q.Kind = t.Q.Kind
	}
}
