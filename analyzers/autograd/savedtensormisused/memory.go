package savedtensormisused

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// keptFrom follows a value back to the origin of its memory: through views, in-place changes
// and saved tensors, to a value of forward or a parameter. saved means that
// save_for_backward is on the way, so it is a tensor.
func keptFrom(v *infer.Val) (from *infer.Val, saved bool) {
	for range 64 {
		from = query.Memory(v)
		if (from.Op == infer.OpSaved || changesMemory(from)) && len(from.In) > 0 && from.In[0] != nil {
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

// changesMemory reports whether computing u writes into its first input.
func changesMemory(u *infer.Val) bool {
	if len(u.In) == 0 || u.In[0] == nil || u.IsOp("requires_grad", "detach", "share_memory", "resize") {
		return false
	}
	if u.Op == infer.OpStore {
		return true
	}
	if _, operator := u.Node.(*ast.AugAssign); operator {
		return true
	}
	return u.Fn != nil && u.Fn.InPlace
}
