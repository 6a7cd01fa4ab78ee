package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Custom autograd Functions: what backward returns, and what forward kept for it.

// GradReturn is a return of a backward.
type GradReturn struct {
	Stmt *ast.Return
	// Grads are what it returns, one an input of forward; nil where their number is not
	// known.
	Grads []*infer.Val
}

// GradReturns returns the returns of a Function's backward that are reached.
func GradReturns(fn *infer.Function) []GradReturn {
	var out []GradReturn
	for _, st := range fn.Backward.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FunctionDef, *ast.Lambda, *ast.ClassDef:
				return false
			case *ast.Return:
				if n.X != nil && fn.Backward.Val(n.X) != nil {
					out = append(out, GradReturn{n, gradsOf(fn, fn.Backward.Val(n.X))})
				}
			}
			return true
		})
	}
	return out
}

// gradsOf takes apart what backward returns.
func gradsOf(fn *infer.Function, v *infer.Val) []*infer.Val {
	if seq, ok := v.Ref.(*infer.SeqRef); ok {
		return seq.Elems
	}
	if v.IsNone() || slices.Contains(fn.GradOutputs, infer.Strip(v)) || isArithmetic(v) {
		return []*infer.Val{v}
	}
	return nil
}

// isArithmetic reports whether v is one tensor: something that yields several has
// another name.
func isArithmetic(v *infer.Val) bool {
	return v.Ref == nil && v.Op != infer.OpCall && v.Op != infer.OpItem && (IsElementwise(v) || v.IsOp("matmul", "mm", "bmm", "where", "masked_fill", "sum", "mean"))
}

// HasSetupContext reports whether a Function keeps what backward needs in a method of its
// own, so that forward has no ctx.
func HasSetupContext(fn *infer.Function) bool { return fn.Class.Lookup("setup_context") != nil }

// Unrecorded reports whether autograd records nothing of what a frame computes, since it runs
// within the forward or backward of custom Functions only: in one, or called from there alone.
func Unrecorded(f *infer.Frame) bool {
	seen := map[*infer.Frame]bool{f: true}
	for queue := []*infer.Frame{f}; len(queue) > 0; queue = queue[1:] {
		f := queue[0]
		if isHalf(f) {
			continue
		}
		called := false
		for s := range f.Sites {
			called = true
			if !seen[s.Caller] {
				seen[s.Caller] = true
				queue = append(queue, s.Caller)
			}
		}
		if !called {
			return false
		}
	}
	return true
}

// isHalf reports whether a frame evaluates one of the methods of a Function that torch calls.
func isHalf(f *infer.Frame) bool {
	return f.Func != nil && f.Func.Class != nil && f.Func.Class.IsAutogradFunction() && slices.Contains([]string{"forward", "backward", "setup_context"}, f.Func.Name())
}
