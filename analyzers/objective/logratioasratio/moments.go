package logratioasratio

import (
	"slices"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// secondMoment reports mean(d²) - 1 and 2d - 1 of a log-ratio d: the chi-squared divergence of two policies is mean(r²) - 1 of
// their ratio r, and r² is exp(2d). Nothing else takes 1 off either.
func secondMoment(p *pass.Pass, s query.Seen) {
	terms := query.TermsOf(s, 1)
	if len(terms) != 2 || p.In(s.Frame) == nil || s.Node == nil {
		return
	}
	i := slices.IndexFunc(terms, func(t query.Term) bool { return isWritten(p, s, t.Seen, -float64(t.Sign)) })
	if i < 0 || terms[1-i].Sign < 0 {
		return
	}
	d := logOfMoment(p, terms[1-i].Seen)
	if !d.Known() || !isLogRatioForSure(p, d) || p.Becomes(s.Val, "exp", "add", "sub") {
		return
	}
	f := pass.At(s.Val, d.Roots()[0].Val)
	f.Severity = finding.Warning
	f.Message = "chi-squared divergence of a log-ratio, where that of the ratio is meant"
	f.Why = "`mean(r ** 2) - 1` is 0 where two policies agree; of the logarithm it is -1 there, and has no meaning elsewhere"
	f.Help = "take `exp` of the difference"
	f.Evidence = domain.Derived
	p.Report(f)
}

// logOfMoment is d where s is d² or 2d, averaged over tokens or not.
func logOfMoment(p *pass.Pass, s query.Seen) query.Seen {
	roots := s.Roots()
	if len(roots) != 1 {
		return query.Seen{}
	}
	m := roots[0]
	if of := query.ErrorsOf(m); len(of) == 1 {
		return of[0]
	}
	if !m.IsOp("mul") || len(m.In) < 2 {
		return query.Seen{}
	}
	x, y := m.Input(0), m.Input(1)
	if isWritten(p, m, x, 2) || x.Same(y) {
		return y
	}
	if isWritten(p, m, y, 2) {
		return x
	}
	return query.Seen{}
}

// isWritten reports whether an operand is a number that is written there. A setting that happens to be as large, such as the margin
// of a preference loss, says nothing.
func isWritten(p *pass.Pass, of, operand query.Seen, number float64) bool {
	_, literal := p.Operand(of.Val, operand.Val).(*ast.Number)
	x, ok := operand.Float()
	return literal && ok && x == number
}

// isLogRatioForSure reports whether all that d may be are differences of log-probabilities, by more than a name: by their kind, or since
// the body estimates a KL of the same difference.
func isLogRatioForSure(p *pass.Pass, d query.Seen) bool {
	return query.AllRoots(d, func(root query.Seen) bool {
		if !root.IsLogRatio() {
			return false
		}
		return root.Is(domain.LogRatio) && root.Q.Evidence != domain.NameOnly || estimated(p, root)
	})
}

// estimated reports whether exp(d) - d - 1 is computed of a difference in the body that computes it.
func estimated(p *pass.Pass, d query.Seen) bool {
	return slices.ContainsFunc(p.Made("sub", "add"), func(v *infer.Val) bool {
		s := p.See(v)
		return v.Frame == d.Frame && s.IsK3() && slices.ContainsFunc(s.LogRatioWithin().Roots(), d.Same)
	})
}
