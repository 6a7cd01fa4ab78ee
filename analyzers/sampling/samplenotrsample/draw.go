package samplenotrsample

import (
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// actions returns the draws without a gradient that go into a critic's value, as it
// is computed on the spot: no gradient flows through what was stored, weighted or computed
// from rewards.
func actions(value *infer.Val) []*infer.Val {
	var out []*infer.Val
	network := false
	infer.Walk(value, 600, func(v *infer.Val) bool {
		switch {
		case v.IsOp("log_prob", "detach", "entropy", "exp", infer.OpStore), v.Is(domain.LogProb | domain.Distribution | query.Scored | domain.Ratio):
			return false
		case v.IsOp("sample") && len(v.In) > 0 && reparameterised(v.In[0], 8):
			out = append(out, v)
			return false
		}
		network = network || strings.HasPrefix(v.Op, "torch.nn.") && strings.HasSuffix(v.Op, ".__call__")
		return true
	})
	if !network {
		return nil
	}
	return out
}

// discrete are distributions without rsample.
var discrete = []string{"Categorical", "OneHotCategorical", "Bernoulli", "Multinomial", "Poisson", "Binomial", "Geometric", "NegativeBinomial", "MixtureSameFamily", "VonMises"}

// reparameterised reports whether gradients could flow through a draw from d into
// what its parameters were computed from. There is no d where a method is called on the
// class itself.
func reparameterised(d *infer.Val, depth int) bool {
	if d == nil {
		return false
	}
	o, ok := d.Ref.(*infer.LibObject)
	if !ok || !strings.HasPrefix(o.Name, "torch.distributions.") || d.Q.Grad == domain.Detached || d.IsOp(discrete...) {
		return false
	}
	if d.IsOp("Independent", "TransformedDistribution", "ExpandedDistribution") {
		return depth > 0 && len(d.In) > 0 && reparameterised(d.In[0], depth-1)
	}
	return true
}
