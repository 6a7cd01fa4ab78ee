package pass

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// LossTerms takes a loss apart into what it is the weighted sum or mean of. The
// sign of a term says whether minimising the loss makes it smaller (+1) or larger
// (-1); 0 where the sign of a weight is not known. What is detached is left out.
func LossTerms(s Seen) []Term {
	var out []Term
	lossTerms(s, 1, 12, &out)
	return out
}

func lossTerms(s Seen, sign, depth int, out *[]Term) {
	if s.Cut().Known() {
		return // a constant, as far as gradients go
	}
	s = s.Strip()
	if !s.Known() || len(*out) > 64 {
		return
	}
	each := func(sign int, parts ...Seen) {
		for _, x := range parts {
			lossTerms(x, sign, depth-1, out)
		}
	}
	switch {
	case depth == 0:
	case s.IsOp("neg"):
		each(-sign, s.Input(0))
		return
	case s.IsOp("add") && len(s.In) > 1:
		each(sign, s.Input(0), s.Input(1))
		return
	case s.IsOp("sub") && len(s.In) > 1 && !s.Is(domain.LogRatio|domain.Advantage|domain.TDError|domain.LogProb):
		each(sign, s.Input(0))
		each(-sign, s.Input(1))
		return
	case s.IsOp("mean", "nanmean", "sum", "nansum") && len(s.In) > 0:
		lossList(s, sign, depth, out)
		return
	case s.IsOp("mul", "div") && len(s.In) > 1:
		if x, weight, ok := scaled(s); ok {
			each(sign*weight, x)
			return
		}
	case s.Op == infer.OpPhi:
		for _, x := range s.In {
			if x != nil && x.Op != infer.OpConst {
				each(sign, s.Of(x))
			}
		}
		return
	}
	*out = append(*out, Term{s, sign})
}

// lossList takes a reduction apart: of a value, or of a list of values.
func lossList(s Seen, sign, depth int, out *[]Term) {
	x := s.Input(0)
	if x.Strip().IsOp("stack") {
		x = x.Strip().Input(0)
	}
	seq, ok := x.ref().(*infer.SeqRef)
	if !ok {
		lossTerms(x, sign, depth-1, out)
		return
	}
	for _, e := range append([]*infer.Val{seq.Elem}, seq.Elems...) {
		if e != nil {
			lossTerms(x.Of(e), sign, depth-1, out)
		}
	}
}

// scaled reads a product or quotient as a weight and what is weighted: a number, a
// setting, a mask or a size. weight is the sign of it, 0 where it is not known.
func scaled(s Seen) (x Seen, weight int, ok bool) {
	a, b := s.Input(0), s.Input(1)
	if w, ok := weightSign(b); ok {
		return a, w, true
	}
	if s.IsOp("mul") {
		if w, ok := weightSign(a); ok {
			return b, w, true
		}
	}
	return Seen{}, 0, false
}

// weightSign returns the sign of what only scales; ok is false for anything else.
func weightSign(s Seen) (sign int, ok bool) {
	if !s.Known() {
		return 0, false
	}
	if x, ok := s.Float(); ok {
		switch {
		case x > 0:
			return 1, true
		case x < 0:
			return -1, true
		}
		return 0, true
	}
	switch {
	case s.Is(domain.Mask | domain.Count | domain.Done | domain.Terminated | domain.Truncated):
		return 1, true
	case s.Is(domain.Number | domain.Coef):
		if s.Q.Range.NonNegative() {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// PolicyGradient is a term of a loss that is the log-probability of an action times
// a weight: what REINFORCE and its kin minimise.
type PolicyGradient struct {
	// At is the product.
	At Seen
	// LogProb is the factor that carries the gradient.
	LogProb Seen
	// Weights are the other factors, constants left out.
	Weights []Seen
}

// PolicyGradientOf reads a term as a policy gradient.
func PolicyGradientOf(t Term) (PolicyGradient, bool) {
	if !t.IsOp("mul") {
		return PolicyGradient{}, false
	}
	g := PolicyGradient{At: t.Seen}
	for _, f := range FactorsOf(t.Seen).List {
		switch _, constant := f.Float(); {
		case constant:
		case !g.LogProb.Known() && isLogProbOfAction(f):
			g.LogProb = f
		default:
			g.Weights = append(g.Weights, f)
		}
	}
	return g, g.LogProb.Known() && len(g.Weights) > 0
}

// isLogProbOfAction reports whether s is a log-probability, or a cross entropy, that
// may carry gradients.
func isLogProbOfAction(s Seen) bool {
	return s.Q.Grad != domain.Detached && (s.Is(domain.LogProb) || s.Strip().IsOp("cross_entropy", "nll_loss"))
}

// MinimisedLoss is what a call of backward() minimises, seen on one of the ways by
// which the program comes there.
type MinimisedLoss struct {
	Backward Seen
	Value    Seen
	Terms    []Term
}

// MinimisedLosses returns the losses of which gradients are taken.
func (p *Pass) MinimisedLosses() []MinimisedLoss {
	var out []MinimisedLoss
	for _, l := range p.Roles.Losses {
		for _, b := range p.Paths(l.Backward) {
			value := b.Input(0)
			out = append(out, MinimisedLoss{b, value, LossTerms(value)})
		}
	}
	return out
}

// Maximises reports whether an optimizer of the program climbs: maximize=True turns
// every sign.
func (p *Pass) Maximises() bool {
	for _, o := range p.Roles.Optimizers {
		if HasKeyword(o.Val, "maximize") {
			return true
		}
	}
	return false
}

// IsPolicyTerm reports whether minimising a term improves a policy: a clipped
// objective, a policy gradient, or an advantage with an importance ratio.
func (p *Pass) IsPolicyTerm(t Term) bool {
	if p.surrogate(t.Val) != nil {
		return true
	}
	if _, ok := PolicyGradientOf(t); ok {
		return true
	}
	if !t.IsOp("mul") {
		return false
	}
	ratio, advantage := false, false
	for _, f := range FactorsOf(t.Seen).List {
		ratio, advantage = ratio || f.Is(domain.Ratio), advantage || f.Is(domain.Advantage)
	}
	return ratio && advantage
}
