package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// maxYielded bounds the values that are put together to one.
const maxYielded = 64

// YieldedBy are the networks and layers of which s is the output as it is: one output, or several
// put together, as over the steps of an episode. An output that is one of several of a network counts as that
// of the layer that computed it.
func (s Seen) YieldedBy() []infer.Ref {
	var out []infer.Ref
	seen := map[*infer.Val]bool{}
	for list := []Seen{s}; len(list) > 0 && len(seen) < maxYielded; list = list[1:] {
		x := list[0]
		if !x.Known() || seen[x.Val] {
			continue
		}
		seen[x.Val] = true
		if net := x.calledModule(); net != nil && !IsContainer(x.Val) && !slices.Contains(out, net) {
			out = append(out, net)
		}
		next := x.through()
		switch {
		case next.Known() && next.Val != x.Val:
			list = append(list, next)
		case IsContainer(x.Val), x.IsOp(infer.OpPhi, "cat", "concat", "concatenate", "stack", "hstack", "vstack"):
			list = append(list, x.Flows()...)
		}
	}
	return out
}

// calledModule is the network or layer that was called to yield s, or nil.
func (s Seen) calledModule() infer.Ref {
	call, ok := s.Node.(*ast.Call)
	var net *infer.Val
	switch {
	case !ok || len(s.In) < 2:
	case strings.HasSuffix(s.Op, ".__call__"):
		net = s.In[len(s.In)-1]
	case s.Op == infer.OpCall && len(s.In) == 2+len(call.Args)+len(call.Keywords): // what was called stands before the arguments
		net = s.In[1]
	case s.Unfollowed() && len(s.In) == 1+len(call.Args)+len(call.Keywords): // of a class that is not known
		net = s.In[0]
	}
	if net.Is(domain.Module) && infer.IsObject(net.Ref) {
		return net.Ref
	}
	return nil
}
