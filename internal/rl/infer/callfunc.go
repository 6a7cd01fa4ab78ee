package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// callFunc evaluates a function of the program on the caller's arguments.
func (in *interp) callFunc(f *Frame, s *state, n ast.Node, fn *FuncRef, a callArgs) *Val {
	c := in.codeOf(fn)
	args := in.bindParams(f, s, n, fn, c, a)
	noGrad := fn.grad.off(s.noGrad)
	hit := in.memo(fn, c, args, noGrad)
	if hit != nil && hit.Call != nil && hit.Call.Node != n && makesOptimizer(hit, hit.Result, maxNesting) && in.mayEnter(f, fn, c) {
		hit = nil // each call makes another one, which steps by itself
	}
	if hit != nil {
		in.res.Stats.Memoised++
		hit.LastCall = in.res.Stats.Evaluated
		f.inheritReads(hit)
		in.storesAgain(f, hit)
		in.takeWritten(f, s, hit)
		return in.returned(f, s, n, hit, args, a)
	}
	call := in.unfollowed(f, s, n, a.all()...)
	if !in.mayEnter(f, fn, c) {
		if r := in.resultSoFar(fn, args); r != nil {
			return in.val(f, s, n, OpCall, r.Q, a.after(r)...)
		}
		return call
	}
	g := in.enterWith(fn, c, call, args, f, noGrad)
	f.inheritReads(g)
	f.inheritStores(g)
	in.takeWritten(f, s, g)
	return in.returned(f, s, n, g, args, a)
}

// mayEnter checks the bounds of the evaluation for a call in f.
func (in *interp) mayEnter(f *Frame, fn *FuncRef, c *code) bool {
	for _, g := range in.stack {
		if g.code == c && g.Func.Closure == fn.Closure { // else a decorator's, around another function
			in.res.Stats.DepthHits++
			return false
		}
	}
	switch {
	case len(in.stack) > maxDepth, in.cfg.Test && fn.Module != in.cfg.Module && in.abroad() >= testedDepth:
		in.res.Stats.DepthHits++
	case c.contexts(fn) >= in.contexts(f, fn, c):
		in.res.Stats.ContextHits++
	case in.spent():
		in.res.Stats.WorkHits++
	default:
		return in.ctx.Err() == nil
	}
	return false
}

// abroad is how many of the calls that are being evaluated are of functions of other modules.
func (in *interp) abroad() int {
	n := 0
	for _, f := range in.stack {
		if f.Func != nil && f.Module != in.cfg.Module {
			n++
		}
	}
	return n
}

// contexts is how many frames a function has. What a decorator returns is one for
// each function that is decorated, though all are written in one place.
func (c *code) contexts(fn *FuncRef) int {
	n := 0
	for _, g := range c.memo {
		if g.Func.Closure == fn.Closure {
			n++
		}
	}
	return n
}

// contexts is how many frames a function may have when f calls it. Those of imported modules are
// evaluated again by everyone who imports them, so the large ones get few. Some are kept for the
// calls in the module itself, which come after those that imported functions make among each other.
func (in *interp) contexts(f *Frame, fn *FuncRef, c *code) int {
	if fn.Module == in.cfg.Module {
		return maxContexts
	}
	if in.cfg.Test {
		return min(maxContexts, max(1, testedNodes/max(c.size, 1)))
	}
	n := max(minContexts, importedNodes/max(c.size, 1))
	if f.Module == in.cfg.Module {
		n *= 2
	}
	return min(maxContexts, n)
}

// memo finds the frame of an equal calling context. Lists hold what they held then; a function that was evaluated often is not
// evaluated anew because one grew, as it does in each round of a loop.
func (in *interp) memo(fn *FuncRef, c *code, args []*Val, noGrad bool) *Frame {
	var grown *Frame
	for _, g := range c.memo {
		if g.noGrad == noGrad && g.Func.Closure == fn.Closure && g.Result != nil && in.sameAll(g.Params, args) && sameSettings(g.Params, args) && in.fresh(g) {
			if sameGrown(g, args) {
				return g
			}
			grown = g
		}
	}
	if len(c.memo) < maxGrown {
		return nil
	}
	return grown
}

// sameSettings reports whether the same arguments are settings: the evaluation of a function that nobody had called holds each number that
// a default says for what a caller may change, and takes both branches of a condition on it. A call that leaves it out takes one.
func sameSettings(params, args []*Val) bool {
	for i, p := range params {
		if p != nil && args[i] != nil && (p.Op == OpConfig) != (args[i].Op == OpConfig) {
			return false
		}
	}
	return true
}

// maxGrown is the number of frames of one function beyond which it does not matter what lists hold by now.
const maxGrown = 4

// grownAll is how often each argument that is a list came to hold something else.
func grownAll(args []*Val) []int {
	var out []int
	for i, v := range args {
		if n := grownOf(v); n > 0 {
			if out == nil {
				out = make([]int, len(args))
			}
			out[i] = n
		}
	}
	return out
}

// sameGrown reports whether the lists among the arguments, and those that the body read, hold what they held.
func sameGrown(g *Frame, args []*Val) bool {
	for i, v := range args {
		was := 0
		if g.handed != nil {
			was = g.handed[i]
		}
		if grownOf(v) != was {
			return false
		}
	}
	return !slices.ContainsFunc(g.reads, func(r read) bool { return grownOf(r.val) != r.grown })
}

func (in *interp) sameAll(a, b []*Val) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (a[i] == nil || b[i] == nil || !in.same(a[i], b[i])) {
			return false
		}
	}
	return true
}

// enter evaluates a function's body in a new frame.
func (in *interp) enter(fn *FuncRef, call *Val, args []*Val, caller *Frame) *Frame {
	return in.enterWith(fn, in.codeOf(fn), call, args, caller, fn.grad.off(false))
}

func (in *interp) enterWith(fn *FuncRef, c *code, call *Val, args []*Val, caller *Frame, noGrad bool) *Frame {
	c.visited = true
	if call == nil {
		in.forgetStores() // nobody knows what was called before
	}
	f := in.newFrame(fn.Module, c)
	f.Func, f.Call, f.Caller, f.Params = fn, call, caller, args
	f.Entry, f.noGrad, f.handed = call == nil, noGrad, grownAll(args)
	c.memo = append(c.memo, f)
	s := &state{noGrad: noGrad || f.Entry && turnsGradientsOn(c.body)}
	for i := range c.params.List {
		if i < len(args) && args[i] != nil {
			s.set(c.paramSlots[i], args[i])
		}
	}
	in.push(f)
	f.cur = s
	if fn.Lambda != nil {
		f.returns = append(f.returns, in.expr(f, s, fn.Lambda.Body))
	} else {
		in.block(f, s, c.body)
	}
	in.pop()
	f.final = s.env
	if !s.dead {
		in.leave(f, s)
	}
	in.forgetOverwritten(f)
	in.finish(f, s)
	return f
}

// finish computes what the call returns.
func (in *interp) finish(f *Frame, s *state) {
	for _, v := range f.returns {
		f.Result = in.join(f.Result, v)
	}
	switch {
	case isStub(f.Func):
		f.Result = in.unknown // what a subclass says in its place is not known
	case !s.dead && f.Func.Lambda == nil:
		f.Result = in.join(f.Result, in.none())
	}
	if f.code.isGen {
		y := in.newVal(Val{Q: domain.Of(domain.Other), Op: OpDisplay, In: []*Val{f.yields}})
		if f.yields == nil {
			y.In = nil
		}
		y.Ref = &SeqRef{Elem: f.yields, Once: true, owner: in}
		if f.Call != nil {
			y.Node, y.Frame = f.Call.Node, f.Caller
		}
		f.Result = y
	}
	if f.Result == nil { // every path raises
		f.Result = in.unknown
	}
	if f.Func.Def != nil && f.Func.Def.Returns != nil && f.Func.Closure != nil && isUnknown(f.Result) {
		if f.Result.Q.Grad == domain.GradUnknown && in.isPlain(f.Func.Closure, f.Func.Def.Returns) {
			v := *f.Result
			v.Q.Grad = domain.Detached
			f.Result = in.newVal(v)
		}
		if t, optional := in.declared(f.Func.Closure, f.Func.Def.Returns); !optional {
			f.Result = in.as(f.Result, t)
		}
	}
}

// isStub reports whether a method says nothing but that it is there: subclasses override it.
func isStub(fn *FuncRef) bool {
	if fn.Def == nil || fn.Class == nil {
		return false
	}
	for _, st := range fn.Def.Body {
		switch st := st.(type) {
		case *ast.Pass, *ast.Raise:
		case *ast.ExprStmt:
			if _, doc := st.X.(*ast.String); !doc && !isDots(st.X) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func isDots(e ast.Expr) bool {
	c, ok := e.(*ast.Constant)
	return ok && c.Kind == ast.Ellipsis
}

// returned is the value of the call. Where another caller's frame answers, the
// arguments are added, so that what reaches the result can still be told.
func (in *interp) returned(f *Frame, s *state, n ast.Node, g *Frame, args []*Val, a callArgs) *Val {
	v := g.Result
	if v == nil {
		return in.unfollowed(f, s, n, a.all()...)
	}
	identical := len(g.Params) == len(args)
	for i := range args {
		identical = identical && g.Params[i] == args[i]
	}
	site := in.answered(g, f, n, args, s.guard)
	own := f == g.Caller && g.Call != nil && n == g.Call.Node
	if identical && (own || !makesNetwork(g, v, 2)) {
		return v
	}
	return in.eachOf(v, maxNesting, func(v *Val) *Val { return in.rewrap(f, s, n, v, a, site, 2) })
}

// makesNetwork reports whether a result is a network that was made for the call,
// or holds one: another call makes another.
func makesNetwork(g *Frame, v *Val, depth int) bool {
	if v == nil || depth < 0 {
		return false
	}
	if isNetwork(v.Ref) {
		return v.Is(domain.Module) && v.Frame != nil && (v.Frame == g || v.Frame.CalledFrom(g))
	}
	return slices.ContainsFunc(elements(v), func(e *Val) bool { return makesNetwork(g, e, depth-1) })
}

// makesOptimizer reports whether a result is an optimizer that was made for the call, or an object with one, or holds such.
func makesOptimizer(g *Frame, v *Val, depth int) bool {
	if v == nil || depth < 0 {
		return false
	}
	if made := v.Frame != nil && (v.Frame == g || v.Frame.CalledFrom(g)); made {
		if v.Is(domain.Optimizer) {
			return true
		}
		if o, ok := v.Ref.(*Instance); ok {
			for _, x := range o.Attrs {
				if x != nil && x.Is(domain.Optimizer) {
					return true
				}
			}
			return false
		}
	}
	return slices.ContainsFunc(elements(v), func(e *Val) bool { return makesOptimizer(g, e, depth-1) })
}

// elements are the values in a container.
func elements(v *Val) []*Val {
	switch r := v.Ref.(type) {
	case *SeqRef:
		return append(slices.Clone(r.Elems), r.Elem)
	case *DictRef:
		return append(inOrder(r), r.Elem)
	}
	return nil
}

// rewrap copies a result, and the elements of a tuple, with the arguments of
// this call as further inputs.
func (in *interp) rewrap(f *Frame, s *state, n ast.Node, v *Val, a callArgs, site *Site, depth int) *Val {
	if v == nil {
		return nil
	}
	w := *v
	w.Op, w.Fn, w.asked = OpCall, nil, false
	w.In = a.after(v)
	w.Node, w.Frame, w.Guard = n, f, s.guard
	if makesNetwork(site.Callee, v, 0) {
		w.Ref = in.anew(f, n, v.Ref)
	}
	if depth > 0 {
		switch r := v.Ref.(type) {
		case *SeqRef:
			c := &SeqRef{Elem: r.Elem, Names: r.Names, List: r.List, owner: in}
			for _, e := range r.Elems {
				c.Elems = append(c.Elems, in.rewrap(f, s, n, e, a, site, depth-1))
			}
			w.Ref = c
		case *DictRef:
			w.Ref = in.each(r, func(e *Val) *Val { return in.rewrap(f, s, n, e, a, site, depth-1) })
		}
	}
	out := in.newVal(w)
	in.res.sites[out] = site
	return out
}

// bindParams binds arguments to parameters in the order of the signature.
func (in *interp) bindParams(f *Frame, s *state, n ast.Node, fn *FuncRef, c *code, a callArgs) []*Val {
	params := c.params.List
	out := make([]*Val, len(params))
	pos := a.pos
	if fn.Self != nil {
		pos = append([]*Val{fn.Self}, pos...)
	}
	byName := 0 // the first parameter that takes no positional argument
	for i, p := range params {
		switch p.Kind {
		case ast.PosOnly, ast.PosOrKw:
			if len(pos) > 0 {
				out[i], pos = pos[0], pos[1:]
				byName = i + 1
			} else {
				out[i] = a.get(p.Name)
			}
		case ast.KwOnly:
			out[i] = a.get(p.Name)
		case ast.VarArgs:
			out[i] = in.restArgs(f, s, n, pos)
			pos = nil
		case ast.VarKwArgs:
			out[i] = in.restKeywords(f, s, n, a, fn, params[byName:i])
		}
		switch {
		case out[i] == nil:
			out[i] = in.defaultArg(fn, p, a.open)
		case p.Annotation != nil && p.Kind != ast.VarArgs && p.Kind != ast.VarKwArgs && isUnknown(out[i]) && fn.Closure != nil:
			out[i] = in.declaredArg(fn, p, out[i])
		}
	}
	return out
}

// declaredArg is an argument that is not followed, with what the parameter's annotation says.
func (in *interp) declaredArg(fn *FuncRef, p *ast.Param, v *Val) *Val {
	if t, optional := in.declared(fn.Closure, p.Annotation); t != nil && !optional {
		return in.as(v, t)
	}
	return v
}

func (in *interp) restArgs(f *Frame, s *state, n ast.Node, pos []*Val) *Val {
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), pos...)
	v.Ref = &SeqRef{Elems: append([]*Val{}, pos...), owner: in}
	return v
}

// restKeywords is what **kwargs takes: the keywords that are not bound to the named
// parameters.
func (in *interp) restKeywords(f *Frame, s *state, n ast.Node, a callArgs, fn *FuncRef, named []*ast.Param) *Val {
	d := in.newDict()
	d.Open = a.open
	for _, k := range a.kw {
		bound := func(p *ast.Param) bool { return p.Name == k.name && p.Kind != ast.VarArgs }
		if !slices.ContainsFunc(named, bound) {
			d.set(k.name, k.val)
		}
	}
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other))
	v.Ref = fn.withOptions(d)
	return v
}

// defaultArg is a parameter for which no argument was seen.
func (in *interp) defaultArg(fn *FuncRef, p *ast.Param, open bool) *Val {
	if p.Default != nil && !open && fn.Closure != nil {
		if v := fn.Closure.Val(p.Default); v != nil {
			return v
		}
	}
	return in.param(fn, p)
}
