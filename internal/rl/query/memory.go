package query

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

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

// WritesInPlace reports whether u changes its first input, under whatever names
// that goes.
func (g *Graph) WritesInPlace(u *infer.Val) bool {
	return u.Op == infer.OpStore && len(u.In) > 1 || InPlace(u)
}

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
