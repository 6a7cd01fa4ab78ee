package targetcopiesitself

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// snapshots reports weights that were to be kept for later and were not copied: what state_dict() returns holds the parameters themselves, which
// the steps behind it change. To load them restores nothing.
func snapshots(p *pass.Pass) {
	for _, load := range p.Graph.Values.Made("load_state_dict") {
		if len(load.In) < 2 || load.In[0] == nil || load.In[0].Ref == nil || !load.In[0].Is(domain.Module) {
			continue // a schedule yields numbers, and what the program wrote itself what it likes
		}
		taken, ok := uncopied(load.In[1])
		if !ok {
			continue
		}
		isOwn := func(v *infer.Val) bool {
			return v.In[0].Ref == load.In[0].Ref && spelt(v) == spelt(load) && !load.Node.Span().Covers(v.Node.Span())
		}
		if slices.ContainsFunc(taken, func(v *infer.Val) bool { return !isOwn(v) || !isOnlyKept(p, v) }) {
			continue
		}
		f := pass.At(taken[0])
		f.Evidence, f.Message = domain.Derived, "the weights that are kept here are the network's own, and change with it"
		f.Why = "`state_dict()` returns the parameters themselves: when they are loaded, the network gets what it has, and nothing is restored"
		f.Help, f.Related = "copy them: `copy.deepcopy("+spelt(taken[0])+".state_dict())`", p.There(query.PlaceOf(load), "they are loaded here")
		p.Report(f)
	}
}

// uncopied are the calls of state_dict() whose dict, or a dict of the same tensors, a value is; ok is false where it may be anything else but None.
func uncopied(v *infer.Val) (out []*infer.Val, ok bool) {
	seen := map[*infer.Val]bool{}
	for work := []*infer.Val{v}; len(work) > 0; work = work[1:] {
		switch v := work[0]; {
		case v == nil || len(seen) > maxSources:
			return nil, false
		case v.IsNone() || seen[v]:
		case v.Op == infer.OpPhi:
			work = append(work, v.In...)
		case v.IsOp("state_dict") && len(v.In) > 0 && v.In[0] != nil && v.In[0].Ref != nil:
			out = append(out, v)
		case hands(v) && len(v.In) > 0:
			work = append(work, v.In[0])
		default:
			return nil, false
		}
		seen[work[0]] = true
	}
	return out, len(out) > 0
}

// hands reports whether a value is the dict that it was made of, or another one of the same tensors.
func hands(v *infer.Val) bool {
	_, isCall := v.Node.(*ast.Call)
	return v.Op == infer.OpPhi || v.Op == infer.OpNarrow || v.Op == "call.copy" || v.Op == "copy.copy" || v.Op == infer.OpDisplay && isCall && len(v.In) == 1
}

// isOnlyKept reports whether all that the program does with a state dict is to keep it, to ask whether it is there, and to load or save it:
// whoever replaces an entry loads something else.
func isOnlyKept(p *pass.Pass, dict *infer.Val) bool {
	seen := map[*infer.Val]bool{}
	for work := []*infer.Val{dict}; len(work) > 0; work = work[1:] {
		for _, u := range p.Graph.UsesOf(work[0]) {
			switch {
			case seen[u]:
			case hands(u) && len(seen) < maxSources:
				seen[u] = true
				work = append(work, u)
			case !u.IsOp("load_state_dict", "save", "is", "isnot"):
				return false
			}
		}
	}
	return true
}

// maxSources bounds the values that weights may be.
const maxSources = 32

// spelt is the receiver of a method's call, as the program writes it; "" for what is no call of a method.
func spelt(v *infer.Val) string {
	if call, ok := v.Node.(*ast.Call); ok {
		if at, ok := call.Fun.(*ast.Attribute); ok && v.Frame.Module.AST != nil {
			return v.Frame.Module.AST.Source(at.X)
		}
	}
	return ""
}
