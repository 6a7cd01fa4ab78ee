// Package weightnotdetached is rule OBJ027, weight-not-detached; rule.md says what it finds.
package weightnotdetached

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports policy gradients whose weight is a probability or ratio of the policy with its gradient.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.Roles.Losses() {
		for _, t := range l.Terms {
			g, ok := t.PolicyGradient()
			if !ok || g.LogProb.Q.Grad != domain.Attached {
				continue
			}
			scored := slices.ContainsFunc(g.Weights, func(w query.Seen) bool { return isScore(w) && isMeasured(w) })
			for _, w := range g.Weights {
				if ofPolicy(w) && (scored && isChance(g.LogProb, w) || !w.Is(domain.Prob)) && !(t.Meant >= 0 && isEntropy(g.LogProb, w)) {
					report(p, t, w)
				}
			}
		}
	}
}

// ofPolicy reports whether a weight is a probability or a ratio through which the gradient of the policy flows.
func ofPolicy(w query.Seen) bool {
	x := w
	if c, ok := query.ClipOf(w); ok {
		x = c.X
	}
	if w.Q.Grad != domain.Attached || x.Q.Grad != domain.Attached || w.Cut().Known() {
		return false
	}
	return x.Is(domain.Prob|domain.Ratio) && x.Q.Evidence != domain.NameOnly || isQuotient(x)
}

// isChance reports whether a log-probability is the logarithm of the weight. Another weight, as the 1 - p of a focal loss, weighs examples.
func isChance(logp, w query.Seen) bool {
	x, p := logp.Strip(), bare(w)
	if c, ok := query.ClipOf(w); ok {
		p = bare(c.X)
	}
	if x.IsOp("log") && len(x.In) > 0 {
		x = bare(x.Input(0))
	}
	for isPicked(p) && isPicked(x) && !infer.SameSource(p.Val, x.Val) {
		p, x = bare(p.Input(0)), bare(x.Input(0))
	}
	if x.IsOp("log") && len(x.In) > 0 { // one was taken of all logarithms
		x = bare(x.Input(0))
	}
	if p.IsOp("exp") && len(p.In) > 0 {
		p = p.Input(0).Strip()
	}
	return p.Known() && x.Known() && (infer.SameSource(p.Val, x.Val) ||
		p.IsOp("softmax") && x.IsOp("log_softmax") && len(p.In) > 0 && len(x.In) > 0 && infer.SameSource(p.In[0], x.In[0]))
}

// isPicked reports whether a value is what was chosen among several.
func isPicked(s query.Seen) bool {
	return s.IsOp("gather", "take", "take_along_dim", infer.OpItem) && len(s.In) > 0
}

// bare is a value without the small number that was added to it.
func bare(s query.Seen) query.Seen {
	x := s.Strip()
	if plain, _, ok := query.Eps(x.Val); x.Known() && ok {
		x = x.Of(plain).Strip()
	}
	return x
}

// isEntropy reports whether a log-probability is the logarithm of the weight itself, of all that a policy may choose: a loss that does not
// count it negative raises an entropy, whatever weighs it.
func isEntropy(logp, w query.Seen) bool {
	x := logp.Strip()
	if !x.IsOp("log") || len(x.In) == 0 {
		return false
	}
	of := bare(x.Input(0))
	p := w.Strip()
	_, taken := p.Node.(*ast.Subscript)
	return infer.SameSource(of.Val, p.Val) && !p.IsOp("gather", "take", "take_along_dim") && !(p.Op == infer.OpItem && taken)
}

// isQuotient reports whether a value is exp(logp - other) of a log-probability that is trained, whatever is known of the other.
func isQuotient(x query.Seen) bool {
	terms := query.TermsOf(x.Exponent(), 1)
	return len(terms) == 2 && terms[0].Is(domain.LogProb) && terms[0].Q.Grad == domain.Attached && terms[0].Sign > 0 && terms[1].Sign < 0
}

// isScore reports whether a weight may say how good an action was: without one, p * log p is an entropy. A ratio has no other use.
func isScore(w query.Seen) bool {
	_, weight := query.WeightOf(w)
	return !weight && !isCoefficient(w) && !w.Is(domain.Prob|domain.Ratio|domain.LogProb|domain.LogRatio|domain.Entropy|domain.KL) && !ofPolicy(w)
}

// isMeasured reports whether a score is seen to be one, or to be what a network makes of the state. What was read from elsewhere may be the
// label of an example.
func isMeasured(w query.Seen) bool {
	return infer.Within(w.Val, nearScore, func(v *infer.Val) bool {
		return v.Is(scores) && v.Q.Evidence != domain.NameOnly || v.Is(domain.Raw)
	})
}

// isCoefficient reports whether a weight is the exponential of what says nothing of an action, as the temperature of an entropy is that
// is learned by its logarithm.
func isCoefficient(w query.Seen) bool {
	x := w.Item().Strip()
	return x.Known() && x.IsOp("exp", "softplus") && !infer.Within(x.Val, nearScore, func(v *infer.Val) bool { return v.Is(scores) })
}

// scores are the kinds of what says how good an action was.
const scores = domain.Advantage | domain.TDError | domain.Return | domain.Reward | domain.QValue | domain.StateValue

// nearScore bounds the way from a weight back to what it is of.
const nearScore = 20

func report(p *pass.Pass, t roles.Term, w query.Seen) {
	at := t.Val
	infer.Walk(t.Val, 60, func(v *infer.Val) bool {
		if v.IsOp("mul") && v.Frame == t.Frame && p.Operand(v, w.Val) != nil {
			at = v
			return false
		}
		return at == t.Val
	})
	if p.In(at.Frame) == nil || at.Node == nil {
		return
	}
	f := pass.At(at, w.Val)
	if e := p.Operand(at, w.Val); e != nil {
		f.At = e
		f.Fix = &pass.Fix{Message: "Detach the weight", Edits: p.In(at.Frame).Method(e, ".detach()")}
	}
	p.Report(f)
}
