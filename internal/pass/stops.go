package pass

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// stopsIn reports whether Python stops in a frame, before a mistake that it comes to only through it changes a weight.
func stopsIn(f *infer.Frame) bool { return readsUnbound(f) || takesOneApart(f) }

// takesOneApart reports whether a frame takes what a function of the program returns apart into several names, and that is one tensor always:
// as many rows as there are names would be chance.
func takesOneApart(f *infer.Frame) bool {
	for as := range query.In[*ast.Assign](f) {
		names, several := as.Targets[0].(*ast.Tuple)
		call, isCall := as.Value.(*ast.Call)
		if !several || !isCall {
			continue
		}
		v := f.Val(call)
		if _, own := infer.RefOf(f.Val(call.Fun)).(*infer.FuncRef); !own || v == nil || v.Ref != nil || !v.Q.Shape.Known() || v.Q.Shape.Rank == 0 {
			continue
		}
		if rows := v.Q.Shape.Dims[0].N; int(rows) != len(names.Elts) && !slices.ContainsFunc(names.Elts, isStarred) {
			return true
		}
	}
	return false
}
