package query

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// copying are views as far as numbers go that do not share memory.
var copying = []string{
	"clone", "copy", "to", "float", "double", "half", "tensor", "array", "astype", "repeat", "repeat_interleave", "cpu", "cuda", "contiguous",
	"tolist", "flatten", "type_as", "from_numpy", "asarray", "as_tensor",
}

// Memory follows a value back through views and rows, which share its memory; a
// copy does not.
func Memory(v *infer.Val) *infer.Val {
	for range maxSteps {
		from := infer.Through(v)
		if v.Op == infer.OpIterate || v.Op == infer.OpItem {
			from = v.In[0]
		}
		if from == nil || from.Ref != nil || v.IsOp(copying...) || IsNumber(v) {
			break
		}
		v = from
	}
	return v
}

// Writes reports whether u changes the memory of its first input: x[i] = y, x += y on an array, or a method as x.add_(y).
func Writes(u *infer.Val) bool {
	if len(u.In) == 0 || u.In[0] == nil || u.In[0].Ref != nil {
		return false
	}
	if u.Op == infer.OpStore {
		return true
	}
	if _, operator := u.Node.(*ast.AugAssign); operator {
		return u.In[0].Lib != infer.LibUnknown && !IsNumber(u.In[0])
	}
	return u.Fn != nil && u.Fn.InPlace && !u.IsOp(infer.OpRequiresGrad, "detach", "share_memory", "resize")
}

// InPlace reports whether u writes into its first input.
func InPlace(u *infer.Val) bool {
	if len(u.In) < 2 {
		return false
	}
	switch n := u.Node.(type) {
	case *ast.AugAssign:
		return true
	case *ast.Call:
		at, ok := n.Fun.(*ast.Attribute)
		return ok && strings.HasSuffix(at.Attr, "_") && !strings.HasSuffix(at.Attr, "__")
	}
	return false
}
