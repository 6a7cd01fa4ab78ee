// Package k3direction is rule KL003, k3-direction; rule.md says what it finds.
package k3direction

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports k3 estimators whose ratio is upside down for samples of the policy.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.Roles.Losses() {
		ratios := ratiosOf(l)
		for _, t := range l.Terms {
			k3 := t.Unreduced()
			if t.Kind != roles.KLTerm || !k3.IsK3() || k3.Node == nil {
				continue
			}
			plus, minus, ok := sides(k3.LogRatioWithin())
			if ok && !fixed(plus) && !plus.Same(minus) && slices.ContainsFunc(ratios, func(r ratio) bool { return r.policy.Same(plus) && !r.sampler.Same(minus) && !trained(minus) }) {
				f := pass.At(k3.Val)
				f.Evidence = domain.Derived
				p.Report(f)
			}
		}
	}
	mixed(p)
}

// mixed reports k3 estimators of which one part is turned round.
func mixed(p *pass.Pass) {
	for _, v := range p.Made("add", "sub") {
		if v.Node == nil || !p.See(v).IsMixedK3() {
			continue
		}
		f := pass.At(v)
		f.Evidence = domain.Derived
		f.Message = "the two parts of k3 are turned in opposite ways"
		f.Why = "`exp(-d) - d - 1` is no divergence: it goes on falling where the policies come to agree, so it drives them apart"
		f.Help = "use the same difference in both: `d = ref_logp - logp`, `torch.exp(d) - d - 1`"
		p.Report(f)
	}
}

// ratio is the importance ratio of an objective: of the policy, and of what drew the samples.
type ratio struct{ policy, sampler query.Seen }

func ratiosOf(l roles.Loss) (out []ratio) {
	for _, t := range l.Terms {
		if t.Surrogate == nil {
			continue
		}
		if plus, minus, ok := sides(t.Surrogate.Ratio.Exponent()); ok {
			out = append(out, ratio{plus, minus})
		}
	}
	return out
}

// sides reads a difference of two values.
func sides(d query.Seen) (plus, minus query.Seen, ok bool) {
	if !d.Known() {
		return
	}
	terms := query.TermsOf(d, 1)
	if len(terms) != 2 || terms[0].Sign == terms[1].Sign {
		return
	}
	if terms[0].Sign < 0 {
		terms[0], terms[1] = terms[1], terms[0]
	}
	return terms[0].Seen, terms[1].Seen, true
}

func fixed(s query.Seen) bool   { return s.Cut().Known() || s.Q.Grad == domain.Detached }
func trained(s query.Seen) bool { return s.Q.Grad == domain.Attached && !s.Cut().Known() }
