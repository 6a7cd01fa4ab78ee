package infer

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Algebraic identities: quantities that no single row of the tables can see,
// because they depend on two inputs being computed from the same value.

// identify sharpens a value where the graph shows a known formula.
func (in *interp) identify(v *Val) {
	switch v.Op {
	case "sub", "torch.sub", "torch.subtract", "numpy.subtract":
		in.identifySub(v)
	case "div", "torch.div", "torch.divide", "torch.true_divide", "numpy.divide", "numpy.true_divide":
		in.identifyDiv(v)
	}
}

// identifySub: x - logsumexp(x) is log_softmax(x); x - mean(x) is centred.
func (in *interp) identifySub(v *Val) {
	if len(v.In) < 2 {
		return
	}
	x, y := Strip(v.In[0]), Strip(v.In[1])
	if y == nil || len(y.In) == 0 {
		return
	}
	if isOp(y, "logsumexp") && SameSource(y.In[0], x) {
		v.Q.Kind, v.Q.Evidence = domain.LogProb, domain.Derived
		v.Q.Range = domain.Between(domain.NegInf, domain.Zero)
		return
	}
	if isOp(y, "max", "amax") && SameSource(y.In[0], x) {
		v.Q.Kind = x.Q.Kind // the usual shift before exp
		v.Q.Range = domain.Between(domain.NegInf, domain.Zero)
	}
}

// identifyDiv: exp(x) / sum(exp(x)) and w / w.sum() are probabilities where w
// is not negative.
func (in *interp) identifyDiv(v *Val) {
	if len(v.In) < 2 {
		return
	}
	x, y := Strip(v.In[0]), Strip(v.In[1])
	if y == nil || !isOp(y, "sum") || len(y.In) == 0 || !SameSource(y.In[0], x) {
		return
	}
	if x.Q.Range.NonNegative() {
		v.Q.Kind, v.Q.Evidence = domain.Prob, domain.Derived
		v.Q.Range = domain.Between(domain.Zero, domain.One)
	}
}
