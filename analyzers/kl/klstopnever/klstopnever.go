// Package klstopnever is rule KL021, kl-stop-never; rule.md says what it finds.
package klstopnever

import (
	_ "embed"
	"slices"

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
		if !ok || isNotPositive(cmp.In[1-large]) || boundedBelow(p, cmp.Frame, policy, sampler) {
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

// isNotPositive reports whether a bound is below 0, or 0: what is compared with 0 is asked for its sign.
func isNotPositive(v *infer.Val) bool {
	if v == nil || v.IsOp("neg") {
		return true
	}
	x, ok := v.Float()
	return ok && x <= 0
}

// boundedBelow reports whether another comparison asks if the difference has fallen under a bound below 0, or the opposite
// difference has risen above one: then that one stops the epoch.
func boundedBelow(p *pass.Pass, f *infer.Frame, policy, sampler query.Seen) bool {
	return slices.ContainsFunc(p.Made("gt", "ge", "lt", "le"), func(cmp *infer.Val) bool {
		if len(cmp.In) != 2 || cmp.Frame != f {
			return false
		}
		for i := range 2 {
			plus, minus, ok := meanLogRatio(p.See(cmp).Input(i))
			if !ok {
				continue
			}
			isLarge := (i == 0) == cmp.IsOp("gt", "ge")
			if isLarge && plus.Same(sampler) && minus.Same(policy) ||
				!isLarge && plus.Same(policy) && minus.Same(sampler) && isNotPositive(cmp.In[1-i]) {
				return true
			}
		}
		return false
	})
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
