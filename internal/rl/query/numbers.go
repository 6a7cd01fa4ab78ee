package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// maxNumbers bounds the numbers that one value may be.
const maxNumbers = 16

// Numbers returns what a number may be by the constants and defaults that the program shows: one, or one a
// branch and a call. ok is false where one of them is not known. Arithmetic is done anew, since what
// inference folded is what it comes to at the first call.
func (s Seen) Numbers() (list []float64, ok bool) { return s.numbers(8) }

func (s Seen) numbers(depth int) ([]float64, bool) {
	if !s.Known() || depth == 0 {
		return nil, false
	}
	if callers := s.Callers(); len(callers) != 1 || callers[0].Val != s.Val {
		return union(callers, depth)
	}
	op := infer.BaseOp(s.Op)
	if bin, is := s.Node.(*ast.BinOp); is && len(s.In) == 2 && s.In[0] != nil && s.In[1] != nil {
		if s.Op == infer.OpConfig || s.Const != nil {
			op = operatorOps[bin.Op]
		}
		if x, ok := s.Input(0).numbers(depth - 1); ok {
			if y, ok := s.Input(1).numbers(depth - 1); ok {
				return combine(op, x, y)
			}
		}
		return nil, false
	}
	if x, ok := s.Float(); ok {
		return []float64{x}, true
	}
	if s.Op == infer.OpPhi {
		var parts []Seen
		for _, in := range s.In {
			if in != nil && !in.IsNone() {
				parts = append(parts, s.Of(in))
			}
		}
		return union(parts, depth)
	}
	if next := s.through(); next.Known() && next.Val != s.Val {
		return next.numbers(depth - 1)
	}
	return nil, false
}

// operatorOps are the operations that operators stand for, as far as Numbers does them.
var operatorOps = map[ast.Operator]string{ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}

func union(parts []Seen, depth int) (out []float64, ok bool) {
	for _, p := range parts {
		list, ok := p.numbers(depth - 1)
		if !ok || len(out)+len(list) > maxNumbers {
			return nil, false
		}
		out = append(out, list...)
	}
	return out, len(out) > 0
}

// combine does an operation on each pair of numbers.
func combine(op string, xs, ys []float64) (out []float64, ok bool) {
	if len(xs)*len(ys) > maxNumbers {
		return nil, false
	}
	for _, x := range xs {
		for _, y := range ys {
			switch {
			case op == "add":
				out = append(out, x+y)
			case op == "sub":
				out = append(out, x-y)
			case op == "mul":
				out = append(out, x*y)
			case op == "div" && y != 0:
				out = append(out, x/y)
			default:
				return nil, false
			}
		}
	}
	return out, true
}
