package query

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Activated is the output of an activation of what a linear layer computed.
type Activated struct {
	Seen
	// By is the activation's module if it has one, else the output.
	By *infer.Val
}

// Heads returns, for each branch, the output of an activation by which s was computed directly from a linear layer. It returns
// none where s may be computed without one: often a condition tells the last of several layers, which gets no activation. The
// activations are named by their operations.
func Heads(s Seen, activations ...string) (out []Activated) {
	for root := range s.EachRoot {
		by := head(root.Val, activations)
		if by == nil {
			return nil
		}
		out = append(out, Activated{root, by})
	}
	return out
}

// head returns the activation by which v was computed directly from a linear layer, as its module if it has one, else v;
// nil where v is not made like that.
func head(v *infer.Val, activations []string) *infer.Val {
	if !v.IsOp(activations...) || len(v.In) == 0 || v.In[0] == nil || !mayBeLinear(infer.Strip(v.In[0])) {
		return nil
	}
	if last := v.In[len(v.In)-1]; last != nil && last.Is(domain.Module) && last.Node != nil {
		return last
	}
	return v
}

// mayBeLinear reports whether v is computed by a linear layer, or by one of several heads that a setting
// chooses from, all of which yield raw scores and one of which is a linear layer.
func mayBeLinear(v *infer.Val) bool {
	if v.Op != infer.OpPhi {
		return isLinearLayer(v)
	}
	linear := false
	for _, x := range v.In {
		x = infer.Strip(x)
		if x == nil || !isLinearLayer(x) && !x.Is(domain.Raw) {
			return false
		}
		linear = linear || isLinearLayer(x)
	}
	return linear
}

// isLinearLayer reports whether a linear layer computed v.
func isLinearLayer(v *infer.Val) bool {
	return v.IsOp("linear") || v.Op == "torch.nn.Linear.__call__" || v.Op == "torch.nn.LazyLinear.__call__"
}
