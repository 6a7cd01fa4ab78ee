package infer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// expr evaluates an expression and records its value.
func (in *interp) expr(f *Frame, s *state, e ast.Expr) *Val {
	in.res.Stats.Evaluated++
	in.deeper()
	v := in.eval(f, s, e)
	in.level--
	if f.Module.Record != nil {
		v = in.observe(f, s, e, v)
	}
	return f.record(e, v)
}

func (in *interp) eval(f *Frame, s *state, e ast.Expr) *Val {
	switch e := e.(type) {
	case *ast.Name:
		return in.name(f, s, e)
	case *ast.Attribute:
		return in.attribute(f, s, e)
	case *ast.Call:
		return in.call(f, s, e)
	case *ast.BinOp:
		x, y := in.expr(f, s, e.X), in.expr(f, s, e.Y)
		return in.binary(f, s, e, e.Op, x, y)
	case *ast.UnaryOp:
		return in.unary(f, s, e)
	case *ast.Subscript:
		return in.subscript(f, s, e)
	case *ast.Number:
		return in.literal(f, s, e, parseNumber(e.Text))
	case *ast.String:
		return in.literal(f, s, e, e.Value)
	case *ast.Constant:
		return in.keyword(f, s, e)
	case *ast.Compare:
		return in.compare(f, s, e)
	case *ast.BoolOp:
		return in.boolOp(f, s, e)
	case *ast.IfExp:
		return in.ifExp(f, s, e)
	case *ast.Tuple:
		return in.sequence(f, s, e, e.Elts, false)
	case *ast.List:
		return in.sequence(f, s, e, e.Elts, true)
	case *ast.Set:
		return in.sequence(f, s, e, e.Elts, true)
	case *ast.Dict:
		return in.dict(f, s, e)
	case *ast.Comp:
		return in.comprehension(f, s, e)
	case *ast.Lambda:
		return in.lambda(f, s, e)
	case *ast.NamedExpr:
		v := in.expr(f, s, e.X)
		in.assign(f, s, e.Target, v)
		return v
	case *ast.Starred:
		return in.expr(f, s, e.X)
	case *ast.Await:
		return in.expr(f, s, e.X)
	case *ast.Yield:
		return in.yield(f, s, e)
	case *ast.Slice:
		return in.slice(f, s, e)
	case *ast.FString:
		return in.val(f, s, e, OpDisplay, domain.Of(domain.Text), in.fstring(f, s, e)...)
	case *ast.FormattedValue:
		in.optional(f, s, e.Format)
		return in.expr(f, s, e.Value)
	}
	return in.opaque(f, s, e, OpUnknown)
}

// fstring evaluates what an f-string shows.
func (in *interp) fstring(f *Frame, s *state, e *ast.FString) (shown []*Val) {
	for _, p := range e.Parts {
		if _, ok := p.(*ast.FormattedValue); ok {
			shown = append(shown, in.expr(f, s, p))
		}
	}
	return shown
}

func (in *interp) literal(f *Frame, s *state, e ast.Expr, c any) *Val {
	if c == nil {
		return in.opaque(f, s, e, OpUnknown)
	}
	v := in.val(f, s, e, OpConst, domain.ConstValue(c))
	v.Const = c
	return v
}

func parseNumber(text string) any {
	text = strings.ReplaceAll(text, "_", "")
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		return i
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x
	}
	return nil
}

func (in *interp) keyword(f *Frame, s *state, e *ast.Constant) *Val {
	switch e.Kind {
	case ast.True:
		return in.literal(f, s, e, true)
	case ast.False:
		return in.literal(f, s, e, false)
	case ast.None:
		return in.literal(f, s, e, library.None{})
	}
	return in.val(f, s, e, OpConst, domain.Of(domain.Other))
}

// name loads a variable: local, enclosing functions, module, builtins.
func (in *interp) name(f *Frame, s *state, e *ast.Name) *Val {
	slot := f.code.slotOf(e)
	if v := s.get(slot); v != nil {
		return v
	}
	if slot >= 0 && f.code.places[slot].local {
		if f.missed == nil {
			f.missed = map[int]bool{}
		}
		f.missed[slot] = true
		if f.Func == nil { // a module's name may still be bound by a star import or exec
			return in.builtin(f, s, e)
		}
		return in.opaque(f, s, e, OpUnknown)
	}
	for c := f.outer(); c != nil; c = c.outer() {
		if c.class != nil { // a class body is no scope for its methods
			continue
		}
		if v := c.lookupFinal(e.Ident); v != nil {
			if c.running() && v.varies() {
				f.noteRead(read{frame: c, name: e.Ident, val: v})
			}
			return v
		}
	}
	return in.builtin(f, s, e)
}

// outer is the frame in which the body of f was defined.
func (f *Frame) outer() *Frame {
	if f.Func == nil {
		return f.parent
	}
	return f.Func.Closure
}

func (in *interp) builtin(f *Frame, s *state, e *ast.Name) *Val {
	if v := in.builtins[e.Ident]; v != nil {
		return v
	}
	if builtins[e.Ident] {
		v := in.lib("builtins." + e.Ident)
		in.builtins[e.Ident] = v
		return v
	}
	v := in.opaque(f, s, e, OpUnknown)
	if q := in.named(e.Ident); q != nil {
		v.Q = *q
	}
	return v
}

// named returns what a variable or attribute of that name usually holds, nil for
// most names. Programs say the same names again and again.
func (in *interp) named(name string) *domain.Value {
	q, ok := in.names[name]
	if !ok {
		if v, says := in.table.Name(name); says {
			q = &v
		}
		in.names[name] = q
	}
	return q
}

func (in *interp) boolOp(f *Frame, s *state, e *ast.BoolOp) *Val {
	var out *Val
	inner := s.clone()
	for i, x := range e.Values {
		v := in.expr(f, inner, x)
		in.assume(f, inner, x, v, !e.Or)
		t, known := Truth(v)
		// "x or default" yields x only where it is true, "a and b" yields a
		// only where it is false: a falsy constant never is the result.
		if known && t != e.Or && i < len(e.Values)-1 {
			continue
		}
		one := out
		if out = in.join(one, v); out.Op == OpPhi && out != one && out != v {
			out.Node, out.Frame, out.Guard = e, f, s.guard
		}
		if known && t == e.Or && v.Op != OpConfig {
			break // "False and x" asks no more
		}
	}
	return out
}

func (in *interp) ifExp(f *Frame, s *state, e *ast.IfExp) *Val {
	c := in.expr(f, s, e.Cond)
	a, b := s.clone(), s.clone()
	in.assume(f, a, e.Cond, c, true)
	in.assume(f, b, e.Cond, c, false)
	x, y := in.expr(f, a, e.Then), in.expr(f, b, e.Else)
	if t, known := Truth(c); known && c.Op != OpConfig {
		if t {
			return x
		}
		return y
	}
	var v *Val
	in.by(c, func() { v = in.join(x, y) })
	if v.Op == OpPhi && v != x && v != y {
		v.Node, v.Frame, v.Guard = e, f, s.guard
	}
	return v
}

func (in *interp) compare(f *Frame, s *state, e *ast.Compare) *Val {
	inputs := make([]*Val, 1, 1+len(e.Ys))
	inputs[0] = in.expr(f, s, e.X)
	for _, y := range e.Ys {
		inputs = append(inputs, in.expr(f, s, y))
	}
	op := compareOps[e.Ops[0]]
	v := in.val(f, s, e, op, domain.Of(domain.Other), inputs...)
	v.Q.Grad = domain.Detached
	for _, x := range inputs {
		v.Lib = max(v.Lib, x.Lib)
	}
	if fn := in.table.Operator(op); fn != nil && len(inputs) == 2 {
		v.Fn = fn
		v.Q = in.operate(fn, (*Val).operand, inputs...)
	}
	switch {
	case len(e.Ops) != 1:
	case e.Ops[0] == ast.In || e.Ops[0] == ast.NotIn:
		v.Const = foldMembership(e, inputs[0], inputs[1])
	default:
		v.Const = foldCompare(e.Ops[0], inputs[0], inputs[1])
	}
	return v
}

var compareOps = map[ast.CompareOperator]string{
	ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
	ast.Is: "is", ast.IsNot: "isnot", ast.In: "in", ast.NotIn: "notin",
}

// foldCompare decides comparisons of literals; configuration is never decided.
func foldCompare(op ast.CompareOperator, x, y *Val) any {
	if x.Op == OpConfig || y.Op == OpConfig {
		return nil
	}
	switch op {
	case ast.Is, ast.Eq:
		if x.IsNone() && y.IsNone() {
			return true
		}
		if y.IsNone() && x.neverNone(noneReach) {
			return false
		}
	case ast.IsNot, ast.NotEq:
		if x.IsNone() && y.IsNone() {
			return false
		}
		if y.IsNone() && x.neverNone(noneReach) {
			return true
		}
	}
	if a, ok := x.Str(); ok {
		if b, ok := y.Str(); ok {
			switch op {
			case ast.Eq:
				return a == b
			case ast.NotEq:
				return a != b
			}
		}
	}
	if a, ok := x.Const.(bool); ok {
		if b, ok := y.Const.(bool); ok {
			switch op {
			case ast.Eq, ast.Is:
				return a == b
			case ast.NotEq, ast.IsNot:
				return a != b
			}
		}
	}
	return nil
}

// foldMembership decides whether a literal text is among those that the comparison lists, as in
// kind in ("k1", "kl"); nil where that is not known.
func foldMembership(e *ast.Compare, x, y *Val) any {
	text, ok := x.Str()
	r, listed := y.Ref.(*SeqRef)
	if !ok || x.Op == OpConfig || !listed || y.Node != e.Ys[0] || r.Elem != nil {
		return nil
	}
	among := false
	for _, v := range r.Elems {
		one, ok := v.Str()
		if !ok || v.Op == OpConfig {
			return nil
		}
		among = among || one == text
	}
	return among == (e.Ops[0] == ast.In)
}

// noneReach bounds how far an element is followed back to the array that it is of.
const noneReach = 8

// neverNone reports whether v is surely something else than None: an object that is known, or an array that torch computed, or was
// asked for a view or an element of. A gradient is None before the first backward pass.
func (v *Val) neverNone(depth int) bool {
	switch {
	case v == nil || depth == 0 || v.IsNone():
		return false
	case v.Ref != nil:
		return !mayBeNone(v)
	case v.Op == OpItem: // of an array: a list or a dict may hold None
		return v.In[0] != nil && v.In[0].Ref == nil && v.In[0].neverNone(depth-1)
	case v.returnsFirst():
		return v.In[0].neverNone(depth - 1)
	}
	return v.Fn != nil && (isOp(v, "add", "sub", "mul", "div", "neg") || LibOfName(v.Fn.Name) == LibTorch && v.Lib == LibTorch && !isOp(v, "grad", "grad_fn"))
}

// mayBeNone reports whether a join of v has None among what it joins.
func mayBeNone(v *Val) bool {
	return v.Op == OpPhi && slices.ContainsFunc(v.In, func(x *Val) bool { return x != nil && x.IsNone() })
}

func (in *interp) sequence(f *Frame, s *state, e ast.Expr, elts []ast.Expr, list bool) *Val {
	vals := make([]*Val, 0, len(elts))
	star := false
	for _, x := range elts {
		v := in.expr(f, s, x)
		if _, ok := x.(*ast.Starred); ok {
			if r, ok := v.Ref.(*SeqRef); ok && r.Elems != nil {
				vals = append(vals, r.Elems...)
				continue
			}
			star = true
			v = in.element(f, s, x, v)
		}
		vals = append(vals, v)
	}
	r := &SeqRef{List: list, Elems: vals, owner: in}
	switch {
	case len(elts) == 0 && list:
		// An accumulator: the loop that fills it must find the same object.
		r = in.listAt(f, e)
		r.tail = newTail(f, s, nil)
	case star || len(vals) > maxElems:
		in.blur(r)
	case list:
		r.tail = newTail(f, s, vals)
	}
	v := in.val(f, s, e, OpDisplay, domain.Of(domain.Other), vals...)
	v.Ref = r
	return v
}

func (in *interp) dict(f *Frame, s *state, e *ast.Dict) *Val {
	r := in.dictAt(f, e)
	var inputs []*Val
	for i, k := range e.Keys {
		v := in.expr(f, s, e.Values[i])
		inputs = append(inputs, v)
		if k == nil {
			in.update(r, v)
			continue
		}
		in.setField(r, in.expr(f, s, k), v)
	}
	v := in.val(f, s, e, OpDisplay, domain.Of(domain.Other), inputs...)
	v.Ref = r
	return v
}

func (in *interp) lambda(f *Frame, s *state, e *ast.Lambda) *Val {
	fn := heapAt(f, e, func() *FuncRef {
		fn := &FuncRef{Module: f.Module, Lambda: e, Closure: f, owner: in}
		in.lambdas = append(in.lambdas, fn)
		return fn
	})
	in.defaults(f, s, e.Params)
	v := in.val(f, s, e, OpFunction, domain.Of(domain.Other))
	v.Ref = fn
	return v
}

func (in *interp) yield(f *Frame, s *state, e *ast.Yield) *Val {
	v := in.none()
	if e.X != nil {
		v = in.expr(f, s, e.X)
		if e.From {
			v = in.element(f, s, e, v)
		}
	}
	f.yields = in.join(f.yields, v)
	return in.opaque(f, s, e, OpUnknown)
}
