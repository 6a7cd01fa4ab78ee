// Package klstopnever is rule KL021, kl-stop-never; rule.md says what it finds.
package klstopnever

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports upper bounds on an estimate of the KL that has the wrong sign.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	surrogates := p.Roles.Surrogates()
	if len(surrogates) == 0 || len(p.MentionsOf("disable_adapter")) > 0 {
		return // without its adapters the policy is the reference, and one call yields the log-probs of either
	}
	for _, cmp := range p.Made("gt", "ge", "lt", "le") {
		if len(cmp.In) != 2 {
			continue
		}
		large := 0 // the side that is asked to be the larger
		if cmp.IsOp("lt", "le") {
			large = 1
		}
		policy, sampler, ok := meanLogRatio(p.See(cmp).Input(large))
		if !ok || isNegative(cmp.In[1-large]) {
			continue
		}
		for _, s := range surrogates {
			plus, minus, ok := sides(query.TermsOf(s.Ratio.Exponent(), 1))
			if ok && plus.Same(policy) && minus.Same(sampler) && !plus.Same(sampler) { // else one function yields both
				f := pass.At(cmp, cmp.In[large])
				f.Evidence = domain.Derived
				f.Related = p.Here(s.Ratio.Val, "the samples were drawn by what stands in the denominator here")
				p.Report(f)
				break
			}
		}
	}
}

// isNegative reports whether a bound is below 0.
func isNegative(v *infer.Val) bool {
	if v == nil || v.IsOp("neg") {
		return true
	}
	x, ok := v.Float()
	return ok && x < 0
}

// meanLogRatio reads s as the mean of a difference of two values.
func meanLogRatio(s query.Seen) (plus, minus query.Seen, ok bool) {
	sign, mean := 1, false
	for range 8 {
		s = s.Strip()
		switch {
		case !s.Known() || len(s.In) == 0:
			return
		case s.IsOp("mean", "sum", "masked_mean"):
			mean, s = true, s.Input(0)
			continue
		case s.IsOp("neg"):
			sign, s = -sign, s.Input(0)
			continue
		}
		break
	}
	if !mean {
		return
	}
	return sides(query.TermsOf(s, sign))
}

func sides(terms []query.Term) (plus, minus query.Seen, ok bool) {
	if len(terms) != 2 || terms[0].Sign == terms[1].Sign {
		return
	}
	if terms[0].Sign < 0 {
		terms[0], terms[1] = terms[1], terms[0]
	}
	return terms[0].Seen, terms[1].Seen, true
}
