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

// identifySub: x - logsumexp(x) is log_softmax(x), and so is what is picked from x
// less the same; x - max(x) is x.
func (in *interp) identifySub(v *Val) {
	if len(v.In) < 2 {
		return
	}
	x, y := Strip(v.In[0]), Strip(v.In[1])
	if y == nil || len(y.In) == 0 {
		return
	}
	if of := normalised(y); of != nil && (SameSource(of, x) || SameSource(of, pickedFrom(x))) {
		v.Q.Kind, v.Q.Evidence = domain.LogProb, domain.Derived
		v.Q.Range = domain.Between(domain.NegInf, domain.Zero)
		return
	}
	if z := logSumExp(x); z != nil && isExpected(y, z) {
		v.Q.Kind, v.Q.Evidence = domain.Entropy, domain.Derived
		return
	}
	if isOp(y, "max", "amax") && SameSource(y.In[0], x) {
		v.Q.Kind = x.Q.Kind // the usual shift before exp
		v.Q.Range = domain.Between(domain.NegInf, domain.Zero)
		return
	}
	if x.Is(domain.LogProb) && v.Q.Kind == domain.UnknownKind && isLogJacobian(y, 6) {
		v.Q.Kind, v.Q.Evidence = domain.LogProb, x.Q.Evidence
	}
}

// isLogJacobian reports whether v is a logarithm of what is no probability, as log(1 - a^2) or 2 (log 2 - u - softplus(-2 u)): what
// the log-density of u is less by that is the log-density of a = tanh(u) (Haarnoja et al. 2018, appendix C).
func isLogJacobian(v *Val, depth int) bool {
	v = Strip(v)
	switch {
	case v == nil || depth == 0 || v.Q.Kind != domain.UnknownKind || len(v.In) == 0:
		return false
	case isOp(v, "log", "log1p", "log_abs_det_jacobian"):
		return true
	case isOp(v, "sum"):
		return isLogJacobian(v.In[0], depth-1)
	case isOp(v, "mul") && len(v.In) > 1:
		return isConstant(v.In[0]) && isLogJacobian(v.In[1], depth-1) || isConstant(v.In[1]) && isLogJacobian(v.In[0], depth-1)
	case isOp(v, "sub") && len(v.In) > 1:
		return isOp(Strip(v.In[1]), "softplus")
	}
	return false
}

func isConstant(v *Val) bool {
	_, ok := v.Float()
	return ok
}

// isExpected reports whether v is the mean of logits z under their own distribution,
// sum(softmax(z) * z): what logsumexp(z) is larger by is the entropy.
func isExpected(v, z *Val) bool {
	if !isOp(v, "sum") || len(v.In) == 0 {
		return false
	}
	product := Strip(v.In[0])
	if !isOp(product, "mul") || len(product.In) < 2 {
		return false
	}
	for i := range 2 {
		p := Strip(product.In[i])
		if SameSource(product.In[1-i], z) && isOp(p, "softmax") && len(p.In) > 0 && SameSource(p.In[0], z) {
			return true
		}
	}
	return false
}

// identifyNeg: the negative of a cross entropy that is not reduced is the log-probability of
// each target.
func (in *interp) identifyNeg(v *Val) {
	x := Strip(v.In[0])
	if x == nil || x.Fn == nil || !isOp(x, "cross_entropy", "nll_loss", "cross_entropy_loss", "npu_cross_entropy_loss") {
		return
	}
	if isOp(x, "cross_entropy_loss") { // of flash_attn: it never reduces
		v.Q.Kind, v.Q.Evidence = domain.LogProb, domain.Derived
		v.Q.Range = domain.Between(domain.NegInf, domain.Zero)
		return
	}
	if r := x.Arg("reduction"); r != nil && r.Const == "none" && x.Arg("weight") == nil && x.Arg("label_smoothing") == nil {
		v.Q.Kind, v.Q.Evidence = domain.LogProb, domain.Derived
		v.Q.Range = domain.Between(domain.NegInf, domain.Zero)
	}
}

// logSumExp returns the x of which v is logsumexp(x), or log(sum(exp(x))); nil
// for anything else.
func logSumExp(v *Val) *Val {
	if isOp(v, "logsumexp") && len(v.In) > 0 {
		return v.In[0]
	}
	for _, op := range []string{"log", "sum", "exp"} {
		if v = Strip(v); !isOp(v, op) || len(v.In) == 0 {
			return nil
		}
		v = v.In[0]
	}
	return v
}

// normalised returns the x of which v is logsumexp(x), row by row too:
// stack([logsumexp(row) for row in x]). It returns nil for anything else.
func normalised(v *Val) *Val {
	v = Strip(v)
	if of := logSumExp(v); of != nil {
		return of
	}
	if !isOp(v, "stack", "cat", "concatenate") || len(v.In) == 0 || v.In[0] == nil {
		return nil
	}
	rows, ok := v.In[0].Ref.(*SeqRef)
	if !ok || rows.Elem == nil {
		return nil
	}
	row := Strip(rows.Elem)
	if !isOp(row, "logsumexp") || len(row.In) == 0 {
		return nil
	}
	if of := Strip(row.In[0]); of != nil && of.Op == OpIterate {
		return of.In[0]
	}
	return nil
}

// pickedFrom returns the x from which v takes elements by index, or nil.
func pickedFrom(v *Val) *Val {
	if v = Strip(v); v == nil || len(v.In) == 0 {
		return nil
	}
	if v.Op == OpItem || isOp(v, "gather", "take_along_dim", "take_along_axis", "index_select") {
		return v.In[0]
	}
	return nil
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
