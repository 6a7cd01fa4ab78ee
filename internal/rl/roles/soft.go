package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # The entropy in the loss of a soft actor
//
// A soft actor-critic minimises
//
//	a * logp - Q(s, u)        u = rsample(), logp = log_prob(u) of the same distribution
//
// The gradient goes through the action u, so logp is no policy gradient: -logp estimates the entropy,
// which has to grow together with Q.

// LosesEntropy returns the terms by which a loss lets the entropy of an actor fall that it trains through a
// critic: a log-probability of the action drawn, counted with the sign of what the critic says of it.
func (m *Model) LosesEntropy(l Loss) []query.Seen {
	var out []query.Seen
	terms := query.TermsOf(unsigned(l.Value, 1))
	for _, t := range terms {
		draw, sign := drawnLogProb(t)
		if draw == nil || sign >= 0 {
			continue
		}
		judged := func(q query.Term) bool {
			return q.Sign < 0 && q.Q.Grad == domain.Attached && !q.May(domain.LogProb|domain.Entropy|domain.KL) && q.Val != t.Val &&
				madeWith(q.Val, func(v *infer.Val) bool { return v == draw })
		}
		if slices.ContainsFunc(terms, judged) {
			out = append(out, t.Seen)
		}
	}
	return out
}

// drawnLogProb reads a term as the log-probability of an action that was drawn with its gradient, times
// what is positive; sign is that with which the sum counts it. There is no draw where the term is something else.
func drawnLogProb(t query.Term) (draw *infer.Val, sign int) {
	attached := func(f query.Seen) bool { return f.Q.Grad == domain.Attached }
	logp, sign := logProbIn(t, attached, isLearnedNumber)
	if !logp.Known() {
		return nil, 0
	}
	return drawOf(logp), sign
}

// logProbIn reads a term as the log-probability of an action, or the opposite of the entropy, that is counted, times what is positive: numbers
// and settings, and of exponentials those that may be a coefficient. sign is that with which the sum counts the log-probability; there is none where the
// term is something else.
func logProbIn(t query.Term, counted, mayWeigh func(query.Seen) bool) (logp query.Seen, sign int) {
	product := query.FactorsOf(t.Seen)
	sign = t.Sign
	if product.Negated {
		sign = -sign
	}
	for _, f := range product.List {
		if s := entropySign(f, 8); s != 0 && counted(f) && !logp.Known() {
			logp, sign = f, sign*s
			continue
		}
		w, weight := query.WeightOf(f)
		if !weight {
			w, weight = query.UnknownWeightOf(f)
		}
		switch x := f.Strip(); {
		case weight:
			sign *= w.Meant
		case !x.Known() || !x.IsOp("exp", "softplus") || !mayWeigh(f):
			return query.Seen{}, 0
		}
	}
	return logp, sign
}

// drawOf is the action of which s is the log-probability, drawn from the same distribution.
func drawOf(s query.Seen) *infer.Val {
	var of, draw *infer.Val
	infer.Walk(s.Val, maxMade, func(v *infer.Val) bool {
		if of == nil && v.IsOp("log_prob") && len(v.In) > 0 {
			of = v.In[0]
		}
		if of != nil && draw == nil && v.IsOp("rsample") && len(v.In) > 0 && v.In[0] != nil && v.In[0].Ref != nil && v.In[0].Ref == of.Ref {
			draw = v
		}
		return draw == nil
	})
	return draw
}

// LogProbSign is the sign with which a term of a sum counts the log-probability of an action, or the opposite of the entropy: of
// alpha * logp it is 1. It is 0 for anything else, and where the sign of a factor is not known.
func (m *Model) LogProbSign(t query.Term) int {
	always := func(query.Seen) bool { return true }
	logp, sign := logProbIn(t, always, always)
	if !logp.Known() {
		return 0
	}
	return sign
}
