// Package numeric computes what a value of the graph would be for given inputs.
//
// Purpose: to compare the backward of a custom autograd.Function with the
// derivative of its forward without running any Python. Input: a value graph
// (package infer) and tensors for its parameters. Output: a tensor, or nothing
// where the graph holds an operation that is not in the closed list of
// elementwise and linear ones below: the package computes or declines, it
// never approximates.
package numeric

import (
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// Env gives tensors to the leaves of a graph.
type Env struct {
	// Leaf returns the tensor of a value that has one of its own; nil to compute it.
	Leaf func(*infer.Val) *Tensor

	memo map[*infer.Val]*Tensor
	// Kinked is set when a comparison or a maximum was decided near equality:
	// the function may not be differentiable at this point.
	Kinked bool
}

// maxNodes bounds one evaluation.
const maxNodes = 5000

// kinkWidth is how near to a kink a point may be; finite differences step far less.
const kinkWidth = 1e-3

// Eval computes v; ok is false where that is not possible.
func (e *Env) Eval(v *infer.Val) (t *Tensor, ok bool) {
	if e.memo == nil {
		e.memo = map[*infer.Val]*Tensor{}
	}
	t = e.eval(v)
	return t, t != nil
}

func (e *Env) eval(v *infer.Val) *Tensor {
	if v == nil || len(e.memo) > maxNodes {
		return nil
	}
	if t, seen := e.memo[v]; seen {
		return t
	}
	e.memo[v] = nil // a cycle declines
	t := e.compute(v)
	e.memo[v] = t
	return t
}

func (e *Env) compute(v *infer.Val) *Tensor {
	if t := e.Leaf(v); t != nil {
		return t
	}
	if x, ok := v.Float(); ok && v.Op != infer.OpConfig {
		return Scalar(x)
	}
	if b, ok := v.Const.(bool); ok {
		if b {
			return Scalar(1)
		}
		return Scalar(0)
	}
	switch v.Op {
	case infer.OpNarrow, infer.OpCall, infer.OpSaved:
		if v.Unfollowed() {
			return nil
		}
		return e.in(v, 0)
	case infer.OpPhi:
		return e.onlyTensor(v)
	case infer.OpStore:
		return e.store(v)
	}
	if infer.Strip(v) != v {
		return e.view(v)
	}
	return e.operation(v)
}

func (e *Env) in(v *infer.Val, i int) *Tensor {
	if i >= len(v.In) {
		return nil
	}
	return e.eval(v.In[i])
}

// onlyTensor evaluates a join of which all but one input are None, as
// "grad = None; if ctx.needs_input_grad[0]: grad = ..." makes it.
func (e *Env) onlyTensor(v *infer.Val) *Tensor {
	var only *infer.Val
	for _, x := range v.In {
		if x.IsNone() {
			continue
		}
		if only != nil {
			return nil
		}
		only = x
	}
	return e.eval(only)
}

// store is x[mask] = y.
func (e *Env) store(v *infer.Val) *Tensor {
	if len(v.In) < 3 {
		return nil
	}
	base, y, mask := e.in(v, 0), e.in(v, 1), e.in(v, 2)
	if base == nil || y == nil || mask == nil {
		return nil
	}
	return where(mask, y, base)
}

// view evaluates what leaves the numbers as they are, and declines where it
// moves them about.
func (e *Env) view(v *infer.Val) *Tensor {
	x := e.in(v, 0)
	switch infer.BaseOp(v.Op) {
	case "clone", "detach", "contiguous", "to", "float", "double", "half", "data", "type_as", "requires_grad", "cpu", "cuda", "copy":
		return x
	case "t", "T", "transpose":
		if x == nil {
			return nil
		}
		return transpose(x)
	case "view_as", "expand_as":
		if y := e.in(v, 1); x != nil && y != nil {
			return likeOther(x, y)
		}
	case "unsqueeze":
		if x != nil {
			return unsqueeze(v, x)
		}
	}
	return nil
}

func where(cond, a, b *Tensor) *Tensor {
	dims, ok := broadcast(cond.Dims, a.Dims)
	if !ok {
		return nil
	}
	if dims, ok = broadcast(dims, b.Dims); !ok {
		return nil
	}
	c, x, y := cond.expand(dims), a.expand(dims), b.expand(dims)
	out := New(dims...)
	for i := range out.Data {
		out.Data[i] = y.Data[i]
		if c.Data[i] != 0 {
			out.Data[i] = x.Data[i]
		}
	}
	return out
}

func (e *Env) operation(v *infer.Val) *Tensor {
	op := infer.BaseOp(v.Op)
	if f := unary[op]; f != nil {
		if x := e.in(v, 0); x != nil {
			return x.apply(f)
		}
		return nil
	}
	if f := binary[op]; f != nil {
		return e.zip(v, f)
	}
	if f := comparisons[op]; f != nil {
		return e.zip(v, func(x, y float64) float64 {
			e.near(x, y)
			if f(x, y) {
				return 1
			}
			return 0
		})
	}
	return e.other(v, op)
}

func (e *Env) zip(v *infer.Val, f func(x, y float64) float64) *Tensor {
	x, y := e.in(v, 0), e.in(v, 1)
	if x == nil || y == nil {
		return nil
	}
	return zip(x, y, f)
}

// near notes that a decision between x and y was close.
func (e *Env) near(x, y float64) {
	if math.Abs(x-y) < kinkWidth {
		e.Kinked = true
	}
}

func (e *Env) other(v *infer.Val, op string) *Tensor {
	if op == "size" {
		return e.length(v)
	}
	x := e.in(v, 0)
	if x == nil {
		return nil
	}
	switch op {
	case "abs", "sign", "relu":
		return e.atZero(x, op)
	case "matmul", "mm":
		if y := e.in(v, 1); y != nil {
			return matmul(x, y)
		}
	case "maximum", "minimum":
		return e.extreme(v, op == "maximum")
	case "clamp", "clip":
		return e.clamp(v, x)
	case "where":
		if a, b := e.in(v, 1), e.in(v, 2); a != nil && b != nil {
			return where(x, a, b)
		}
	case "sum", "mean":
		return e.reduce(v, x, op == "mean")
	case "softmax", "log_softmax", "logsumexp":
		return normal(v, x, op)
	case "softplus":
		if given(v) == 1 {
			return x.apply(softplus)
		}
	case "elu":
		return e.activation(v, x)
	case "amax":
		return e.peak(v, x)
	case "clamp_min", "clamp_max":
		return e.oneBound(v, x, op)
	case "masked_fill":
		if mask, value := e.in(v, 1), e.in(v, 2); mask != nil && value != nil {
			return where(mask, value, x)
		}
	case "dim", "ndim", "ndimension":
		return Scalar(float64(len(x.Dims)))
	case "numel":
		return Scalar(float64(len(x.Data)))
	}
	return nil
}

// length is len(x.shape) or len(x).
func (e *Env) length(v *infer.Val) *Tensor {
	call, ok := v.Node.(*ast.Call)
	if !ok || len(v.In) != 1 || v.In[0] == nil {
		return nil
	}
	if name, ok := call.Fun.(*ast.Name); !ok || name.Ident != "len" {
		return nil
	}
	of := v.In[0]
	if of.IsOp("shape", "size") && len(of.In) == 1 {
		if x := e.in(of, 0); x != nil {
			return Scalar(float64(len(x.Dims)))
		}
		return nil
	}
	if x := e.eval(of); x != nil && len(x.Dims) > 0 {
		return Scalar(float64(x.Dims[0]))
	}
	return nil
}

func (e *Env) atZero(x *Tensor, op string) *Tensor {
	return x.apply(func(x float64) float64 {
		e.near(x, 0)
		switch {
		case op == "relu":
			return math.Max(x, 0)
		case op == "abs":
			return math.Abs(x)
		case x == 0:
			return 0
		}
		return math.Copysign(1, x)
	})
}

func (e *Env) extreme(v *infer.Val, larger bool) *Tensor {
	return e.zip(v, func(x, y float64) float64 {
		e.near(x, y)
		if larger {
			return math.Max(x, y)
		}
		return math.Min(x, y)
	})
}

func (e *Env) clamp(v *infer.Val, x *Tensor) *Tensor {
	lo, hi := bound(v, "lo", "min"), bound(v, "hi", "max")
	for i, b := range []*infer.Val{lo, hi} {
		if b == nil || b.IsNone() {
			continue
		}
		y := e.eval(b)
		if y == nil {
			return nil
		}
		x = zip(x, y, func(x, y float64) float64 {
			e.near(x, y)
			if i == 0 {
				return math.Max(x, y)
			}
			return math.Min(x, y)
		})
		if x == nil {
			return nil
		}
	}
	return x
}

func bound(v *infer.Val, names ...string) *infer.Val {
	for _, n := range names {
		if b := v.Arg(n); b != nil {
			return b
		}
	}
	return nil
}

// reduce is a sum or mean over everything or known dimensions.
func (e *Env) reduce(v *infer.Val, x *Tensor, mean bool) *Tensor {
	dim := v.Arg("dim")
	keep, known := keepdim(v)
	if !known {
		return nil
	}
	out := x.sumAll()
	if _, none := constOf(dim).(library.None); dim != nil && !none {
		dims, ok := e.dims(dim)
		if !ok || len(dims) == 0 {
			return nil
		}
		for i := range dims {
			if dims[i] < 0 {
				dims[i] += len(x.Dims)
			}
		}
		slices.Sort(dims)
		out = x
		for _, d := range slices.Backward(slices.Compact(dims)) { // the last first: the others keep their places
			if out = out.sumDim(d, keep); out == nil {
				return nil
			}
		}
	}
	if mean {
		count := float64(len(x.Data) / max(1, len(out.Data)))
		return out.apply(func(s float64) float64 { return s / count })
	}
	return out
}

// dims are the dimensions that an argument names: a number, numbers, or tuple(range(...)).
func (e *Env) dims(v *infer.Val) (dims []int, ok bool) {
	if d, ok := v.Int(); ok {
		return []int{int(d)}, true
	}
	if seq, ok := v.Ref.(*infer.SeqRef); ok && len(seq.Elems) > 0 {
		for _, x := range seq.Elems {
			d, ok := x.Int()
			if !ok {
				return nil, false
			}
			dims = append(dims, int(d))
		}
		return dims, true
	}
	bounds, ok := e.rangeOf(v)
	if !ok || len(bounds) == 0 || len(bounds) > 2 {
		return nil, false
	}
	if len(bounds) == 1 {
		bounds = []int{0, bounds[0]}
	}
	for d := bounds[0]; d < bounds[1] && len(dims) < maxDims; d++ {
		dims = append(dims, d)
	}
	return dims, true
}

// maxDims bounds the dimensions of one reduction.
const maxDims = 16

// rangeOf returns the arguments of the range of which a tuple or list is made, or of a range.
func (e *Env) rangeOf(v *infer.Val) (bounds []int, ok bool) {
	for {
		call, isCall := v.Node.(*ast.Call)
		if !isCall || v.Frame == nil || len(call.Keywords) > 0 {
			return nil, false
		}
		name, _ := call.Fun.(*ast.Name)
		switch {
		case name == nil:
			return nil, false
		case name.Ident == "range":
			for _, a := range call.Args {
				t := e.eval(v.Frame.Val(a))
				if t == nil || len(t.Data) != 1 {
					return nil, false
				}
				bounds = append(bounds, int(t.Data[0]))
			}
			return bounds, true
		case name.Ident != "tuple" && name.Ident != "list" || len(call.Args) != 1:
			return nil, false
		}
		inner := v.Frame.Val(call.Args[0])
		if inner == nil || inner == v {
			return nil, false
		}
		v = inner
	}
}

func constOf(v *infer.Val) any {
	if v == nil {
		return nil
	}
	return v.Const
}
