package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// copying are views as far as numbers go that do not share memory.
var copying = []string{
	"clone", "copy", "to", "float", "double", "half", "tensor", "array", "astype", "repeat", "tile", "repeat_interleave", "cpu", "cuda", "contiguous",
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

// sharing are the functions whose result is another name, or a view, of the memory of their first input.
var sharing = []string{"from_numpy", "detach", "unsqueeze", "squeeze", "view", "numpy", "data", "T", "transpose", "permute"}

// made are the functions that allocate an array.
var made = []string{"zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "array", "tensor", "arange", "linspace", "rand", "randn", "uniform", "normal"}

// Objects returns the arrays whose memory a value may be, each as what allocated it: through names, attributes, calls, views and writes. known is
// false where it may be another one, too.
func Objects(v *infer.Val) (out []*infer.Val, known bool) {
	_, out, known = sources(v)
	return out, known
}

// MayBeView reports whether v is, perhaps, x: under another name, as a view, or after writes.
func MayBeView(v, x *infer.Val) bool {
	seen, _, known := sources(v)
	return known && seen[x]
}

// sources are the values whose memory v shares, and those among them that allocated it.
func sources(v *infer.Val) (seen map[*infer.Val]bool, out []*infer.Val, known bool) {
	seen = map[*infer.Val]bool{}
	for work := []*infer.Val{v}; len(work) > 0; work = work[1:] {
		v := work[0]
		switch {
		case v == nil || v.Ref != nil || len(seen) > maxSteps:
			return nil, nil, false
		case seen[v]:
			continue
		}
		seen[v] = true
		switch {
		case v.Op == infer.OpPhi:
			work = append(work, v.In...)
		case len(v.In) > 0 && IsSameMemory(v, v.In[0]):
			work = append(work, v.In[0])
		case v.Fn != nil && v.IsOp(made...):
			out = append(out, v)
		default:
			return nil, nil, false
		}
	}
	return seen, out, len(out) > 0
}

// IsSameMemory reports whether v is its input x, perhaps, under another name, as a view, or after a write.
func IsSameMemory(v, x *infer.Val) bool {
	if v.Op == infer.OpPhi {
		return slices.Contains(v.In, x)
	}
	return len(v.In) > 0 && v.In[0] == x && (Writes(v) || v.Op == infer.OpNarrow || v.IsOp(sharing...) || v.Op == infer.OpCall && infer.Through(v) != nil)
}
