package infer

import (
	"math"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

var binaryOps = [...]string{
	ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.MatMult: "matmul", ast.Div: "div", ast.Mod: "mod",
	ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitOr: "bitor", ast.BitXor: "bitxor",
	ast.BitAnd: "bitand", ast.FloorDiv: "floordiv",
}

// binary evaluates x op y.
func (in *interp) binary(f *Frame, s *state, n ast.Node, op ast.Operator, x, y *Val) *Val {
	name := binaryOps[op]
	if v := in.seqOp(f, s, n, op, x, y); v != nil {
		return v
	}
	v := in.val(f, s, n, name, domain.Unknown, x, y)
	v.Lib = max(x.Lib, y.Lib)
	if fn := in.table.Operator(name); fn != nil {
		v.Fn = fn
		operand := in.operandOf
		if op == ast.Add {
			operand = in.summand
		}
		v.Q = in.operate(fn, operand, x, y)
	}
	if op == ast.Add && (x.Is(domain.Text) || y.Is(domain.Text)) || op == ast.Mod && x.Is(domain.Text) {
		v.Q = domain.Of(domain.Text)
	}
	if op == ast.FloorDiv && x.Q.Grad == domain.Detached && y.Q.Grad == domain.Detached {
		v.Q.Grad = domain.Detached // of others it depends on the version of torch
	}
	if c := fold(op, x, y); c != nil {
		v.Q = domain.ConstValue(c)
		v.Const = c
		if x.Op == OpConfig || y.Op == OpConfig {
			v.Op = OpConfig // still a setting: arithmetic does not make it a fact
		}
	}
	if op == ast.Mult && (isZero(x) || isZero(y)) {
		// The first round of a recursion, as in gamma * lam * last_gae: it must
		// not decide what the sum is.
		shape := v.Q.Shape
		v.Const, v.Q = int64(0), domain.ConstValue(int64(0))
		v.Q.Shape = shape
	}
	in.identify(v)
	in.gradOf(s, v)
	return v
}

// summand is operandOf of what is added. Zeros that a sum starts from are a number: the
// sum is what is added to them.
func (in *interp) summand(v *Val) library.Operand {
	o := in.operandOf(v)
	if v.Q.Kind == domain.UnknownKind && v.Ref == nil && v.Q.Grad != domain.Attached {
		if z := Strip(v); z.Fn != nil && z.IsOp("zeros", "zeros_like", "new_zeros") {
			o.V.Kind = domain.Number
		}
	}
	return o
}

// isZero reports whether v is the number 0, and no setting.
func isZero(v *Val) bool {
	c, ok := v.Float()
	return ok && c == 0 && v.Op != OpConfig
}

// seqOp handles list and string arithmetic: [x] * n, a + b.
func (in *interp) seqOp(f *Frame, s *state, n ast.Node, op ast.Operator, x, y *Val) *Val {
	l, ok := x.Ref.(*SeqRef)
	if !ok {
		return nil
	}
	var r *SeqRef
	switch op {
	case ast.Mult:
		r = &SeqRef{Elem: in.seqElem(l), List: l.List, owner: in}
	case ast.Add:
		m, ok := y.Ref.(*SeqRef)
		if !ok {
			return nil
		}
		r = &SeqRef{List: l.List, owner: in}
		if l.Elems != nil && m.Elems != nil && len(l.Elems)+len(m.Elems) <= maxElems {
			r.Elems = append(append(r.Elems, l.Elems...), m.Elems...)
			r.tail = newTail(f, s, r.Elems)
		} else {
			r.Elem = in.join(in.seqElem(l), in.seqElem(m))
			if m.Elems != nil {
				r.tail = newTail(f, s, m.Elems)
			}
		}
	default:
		return nil
	}
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), x, y)
	v.Ref = r
	return v
}

// fold computes arithmetic of numbers.
func fold(op ast.Operator, x, y *Val) any {
	if a, ok := x.Int(); ok {
		if b, ok := y.Int(); ok {
			return foldInt(op, a, b)
		}
	}
	a, ok1 := x.Float()
	b, ok2 := y.Float()
	if !ok1 || !ok2 {
		return nil
	}
	switch op {
	case ast.Add:
		return a + b
	case ast.Sub:
		return a - b
	case ast.Mult:
		return a * b
	case ast.Div:
		if b != 0 {
			return a / b
		}
	case ast.Pow:
		if p := math.Pow(a, b); !math.IsNaN(p) && !math.IsInf(p, 0) {
			return p
		}
	}
	return nil
}

func foldInt(op ast.Operator, a, b int64) any {
	switch op {
	case ast.Add:
		return a + b
	case ast.Sub:
		return a - b
	case ast.Mult:
		return a * b
	case ast.Div:
		if b != 0 {
			return float64(a) / float64(b)
		}
	case ast.FloorDiv:
		if b > 0 && a >= 0 {
			return a / b
		}
	case ast.Mod:
		if b > 0 && a >= 0 {
			return a % b
		}
	case ast.Pow:
		if p := math.Pow(float64(a), float64(b)); b >= 0 && math.Abs(p) < 1<<53 {
			return int64(p)
		}
		return math.Pow(float64(a), float64(b))
	}
	return nil
}

var unaryOps = [...]string{ast.UAdd: "pos", ast.USub: "neg", ast.Invert: "invert", ast.Not: "not"}

func (in *interp) unary(f *Frame, s *state, e *ast.UnaryOp) *Val {
	x := in.expr(f, s, e.X)
	if e.Op == ast.UAdd {
		return x
	}
	name := unaryOps[e.Op]
	v := in.val(f, s, e, name, domain.Unknown, x)
	v.Lib = x.Lib
	if fn := in.table.Operator(name); fn != nil {
		v.Fn = fn
		v.Q = in.operate(fn, in.operandOf, x)
	}
	switch e.Op {
	case ast.USub:
		in.identifyNeg(v)
		if c := negate(x.Const); c != nil {
			v.Const, v.Q = c, domain.ConstValue(c)
			if x.Op == OpConfig {
				v.Op = OpConfig
			}
		}
	case ast.Not:
		if t, known := Truth(x); known && x.Op != OpConfig {
			v.Const = !t
		}
	}
	in.gradOf(s, v)
	return v
}

func negate(c any) any {
	switch c := c.(type) {
	case int64:
		return -c
	case float64:
		return -c
	}
	return nil
}

// gradOf marks a value as detached where gradients are off.
func (in *interp) gradOf(s *state, v *Val) {
	if s.noGrad {
		v.Q.Grad = domain.Detached
	}
}

// operandOf is what a library row may know of an argument. A list of tensors
// stands for its elements, also where they are lists themselves; a list of integers
// for a shape.
func (in *interp) operandOf(v *Val) library.Operand { return in.nestedOperand(v, maxNesting) }

// maxNesting bounds how deep lists of lists are looked into: they can hold
// themselves.
const maxNesting = 4

func (in *interp) nestedOperand(v *Val, depth int) library.Operand {
	if v == nil {
		return library.Operand{}
	}
	r, ok := v.Ref.(*SeqRef)
	if !ok {
		return v.operand()
	}
	o := library.Operand{V: domain.Unknown, List: true}
	if e := in.seqElem(r); e != nil {
		o.V = e.Q
		if _, list := e.Ref.(*SeqRef); list && depth > 0 {
			inner := in.nestedOperand(e, depth-1)
			o.V = inner.V
			o.V.Shape = inner.DisplayShape()
		}
	}
	for _, e := range r.Elems {
		x := e.operand()
		if _, list := e.Ref.(*SeqRef); list && depth > 0 { // a row of a list of lists
			inner := in.nestedOperand(e, depth-1)
			x.V.Shape = inner.DisplayShape()
		}
		o.Elems = append(o.Elems, x)
	}
	if ints := intElems(r); ints != nil {
		o.Const = ints
	}
	return o
}

// intElems returns the constant elements of a shape; -1 stands for an unknown one.
func intElems(r *SeqRef) []int64 {
	if len(r.Elems) == 0 {
		return nil
	}
	out := make([]int64, len(r.Elems))
	for i, e := range r.Elems {
		c, ok := e.Int()
		if !ok {
			if !e.Is(domain.Number | domain.Count | domain.Coef) {
				return nil
			}
			c = -1
		}
		out[i] = c
	}
	return out
}

// operate applies the row of an operator to operands of values.
func (in *interp) operate(fn *library.Func, operand func(*Val) library.Operand, vals ...*Val) domain.Value {
	defer in.scratch.Release(in.scratch.Mark())
	pos := in.scratch.Take(len(vals))
	for i, v := range vals {
		pos[i] = operand(v)
	}
	return fn.Apply(fn.BindIn(&in.scratch, pos, nil))
}
