package pass

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
	return v.Ref == nil && v.Op != infer.OpCall && v.Op != infer.OpItem && (v.IsOp(elementwise...) || v.IsOp("matmul", "mm", "bmm", "where", "masked_fill", "sum", "mean"))
}

// HasSetupContext reports whether a Function keeps what backward needs in a method of its
// own, so that forward has no ctx.
func HasSetupContext(fn *infer.Function) bool { return fn.Class.Lookup("setup_context") != nil }

// KeptFrom follows a value back to where its memory comes from: through views, in-place
// changes, and what was saved, to a value of forward or a parameter. saved says that
// save_for_backward is on the way, so that it is a tensor.
func KeptFrom(v *infer.Val) (from *infer.Val, saved bool) {
	for range maxSteps {
		from = Memory(v)
		if (from.Op == infer.OpSaved || ChangesMemory(from)) && len(from.In) > 0 && from.In[0] != nil {
			saved = saved || from.Op == infer.OpSaved
			from = from.In[0]
		}
		if from == v {
			break
		}
		v = from
	}
	return v, saved
}

// ChangesMemory reports whether computing u writes into its first input, under whatever
// names that goes.
func ChangesMemory(u *infer.Val) bool {
	if len(u.In) == 0 || u.In[0] == nil || u.IsOp("requires_grad", "detach", "share_memory", "resize") {
		return false
	}
	if u.Op == infer.OpStore {
		return true
	}
	switch n := u.Node.(type) {
	case *ast.AugAssign:
		return true
	case *ast.Call:
		at, ok := n.Fun.(*ast.Attribute)
		return ok && len(at.Attr) > 1 && at.Attr[len(at.Attr)-1] == '_' && at.Attr[len(at.Attr)-2] != '_' && u.Fn != nil
	}
	return false
}
