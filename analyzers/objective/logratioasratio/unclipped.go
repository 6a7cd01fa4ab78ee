package logratioasratio

import (
	"slices"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// weights reports differences that weigh an advantage without a clip, or with a bound that its sign chooses.
func weights(p *pass.Pass) {
	for _, use := range p.Roles.RatioUses() {
		roots := use.Ratio.Roots()
		if use.Clipped && !use.Chosen || !query.All(roots, query.Seen.IsLogRatio) {
			continue
		}
		for _, root := range roots {
			if use.Chosen {
				report(p, root, query.Clip{At: use.Others[1]}, domain.Derived)
				continue
			}
			sub := root.Difference()
			terms := query.TermsOf(sub, 1)
			i := p.Roles.Trained(use, terms)
			if i < 0 || terms[i].Sign < 0 || terms[i].Same(terms[1-i].Seen) {
				continue
			}
			f := pass.At(sub.Val, sub.Val)
			f.Severity = finding.Warning
			f.Message = "log-ratio weighs the advantage, where the ratio is meant"
			f.Why = "its gradient is that of the log-probability: nothing corrects for the policy that collected the data"
			f.Evidence, f.Fix = domain.Derived, fix(p, root)
			p.Report(f)
		}
	}
}

// constantKL reports d - d - 1, which is the estimate exp(d) - d - 1 of a KL without its
// exponential.
func constantKL(p *pass.Pass, s query.Seen) {
	var d []query.Term
	one := 0.0
	for _, t := range query.TermsOf(s, 1) {
		if x, constant := t.Float(); constant {
			one += x * float64(t.Sign)
		} else {
			d = append(d, t)
		}
	}
	isKL := slices.ContainsFunc(d, func(t query.Term) bool { return t.Is(domain.LogProb | domain.LogRatio | domain.KL) })
	if !isKL && !isTwice(s) || one != 1 && one != -1 || !cancels(d) || p.In(s.Frame) == nil || s.Node == nil {
		return
	}
	f := pass.At(s.Val, d[0].Val)
	f.Message = "estimate of a KL without its exponential is constant"
	f.Why = "`d - d - 1` is -1 whatever the policies are, so it neither measures nor bounds their distance"
	f.Help = "take `exp` of the first difference, as in `exp(d) - d - 1`"
	f.Evidence = domain.Derived
	p.Report(f)
}

// isTwice reports whether a difference stands in s as it was computed, once with either sign.
func isTwice(s query.Seen) bool {
	a, b := s.Input(0).Strip(), s.Input(1).Strip()
	if !a.Known() || !b.Known() || !a.IsOp("sub") || len(a.In) < 2 {
		return false
	}
	x, y := a.Input(0).Strip(), a.Input(1).Strip()
	if _, constant := y.Float(); constant {
		y = b
	}
	return x.Known() && x.Val == y.Val && x.IsLogRatio() && x.Difference().Known()
}

// cancels reports whether each term stands in the sum with both signs. x - x.detach() is there for
// its gradient.
func cancels(terms []query.Term) bool {
	for len(terms) > 0 {
		t := terms[0]
		i := slices.IndexFunc(terms, func(u query.Term) bool {
			return u.Sign == -t.Sign && u.Same(t.Seen) && u.Cut().Known() == t.Cut().Known()
		})
		if i < 0 {
			return false
		}
		terms = slices.Delete(slices.Clone(terms[1:]), i-1, i)
	}
	return true
}
