// Package clipboundswrong is rule OBJ022, clip-bounds-wrong; rule.md says what it
// finds.
package clipboundswrong

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

// Analyzer reports clip ranges of the importance ratio that do not contain 1.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	clipped := map[*infer.Val]bool{}
	for _, s := range p.Roles.Surrogates() {
		for _, c := range s.Clips {
			clipped[c.At.Val] = true
			if headline := wrong(s, c); headline != "" {
				report(p, c, headline, domain.Derived)
			}
		}
	}
	for _, v := range p.Made(query.ClipOps...) {
		c, ok := query.ClipOf(p.See(v))
		if !ok || c.At.Val != v || clipped[v] || !isRatio(c.X) || !aroundZero(c) {
			continue
		}
		switch {
		case weighsItsOwn(p, c):
			report(p, c, zeroBand, domain.Derived)
		case c.X.Is(domain.Ratio) && p.Becomes(v, "mul"):
			report(p, c, zeroBand, domain.EvidenceBottom)
		}
	}
}

// weighsItsOwn reports whether the clipped exponential of a difference is a number that weighs the very
// term it is the exponential of, as the ratio weighs the log-probability in CISPO. Then it is the ratio,
// whatever the kinds.
func weighsItsOwn(p *pass.Pass, c query.Clip) bool {
	of := c.X.Exponent()
	if clamp, ok := query.ClipOf(of); ok {
		of = clamp.X
	}
	terms := query.TermsOf(of, 1)
	return len(terms) == 2 && slices.ContainsFunc(p.Made("mul"), func(v *infer.Val) bool {
		list := query.FactorsOf(p.See(v)).List
		weight := slices.IndexFunc(list, func(s query.Seen) bool { return s.Strip().Val == c.At.Val && s.Cut().Known() })
		return weight >= 0 && slices.ContainsFunc(list, func(s query.Seen) bool {
			return slices.ContainsFunc(terms, func(t query.Term) bool { return t.Sign > 0 && t.Same(s) })
		})
	})
}

const (
	zeroBand  = "clip range around 0 for a ratio that starts at 1"
	otherSide = "clip range does not contain 1, where the ratio starts"
	empty     = "clip range is empty: the lower bound is not below the upper"
	percent   = "negative lower clip bound, as if the range were in percent"
	logSpace  = "clip range around 1 for a log-ratio, which starts at 0"
)

// wrong is the headline for a wrong clamp of a clipped objective, or "".
func wrong(s *roles.Surrogate, c query.Clip) string {
	switch {
	case s.Exp:
		if c.Lo.Known() && c.AroundOne() {
			return logSpace
		}
		return ""
	case isLogRatio(s.Ratio):
		return "" // another rule reports the log-ratio
	case isEmpty(c):
		return empty
	case oneSide(c):
		return otherSide
	case aroundZero(c) && isRatio(s.Ratio):
		return zeroBand
	case inPercent(c):
		return percent
	}
	return ""
}

func isLogRatio(s query.Seen) bool { return query.AllRoots(s, query.Seen.IsLogRatio) }

// isRatio reports whether s is computed as a ratio is: an exponential or a quotient.
func isRatio(s query.Seen) bool {
	return query.AllRoots(s, func(s query.Seen) bool {
		return s.Exponent().Known() || s.IsOp("div") && !s.Input(0).Difference().Known() // a relative change starts at 0
	})
}

func report(p *pass.Pass, c query.Clip, headline string, evidence domain.Evidence) {
	if p.In(c.At.Frame) == nil || c.At.Node == nil {
		return
	}
	f := pass.At(c.At.Val, c.X.Val)
	f.Message, f.Evidence, f.Fix = headline, evidence, fix(p, c, headline)
	if headline == logSpace {
		f.Help = "clamp to `log1p(-eps), log1p(eps)`, or clamp the ratio"
	}
	p.Report(f)
}

// fix puts crossed bounds in order, and writes a range around 0 around 1.
func fix(p *pass.Pass, c query.Clip, headline string) *pass.Fix {
	lo, hi := p.Operand(c.At.Val, c.Lo.Val), p.Operand(c.At.Val, c.Hi.Val)
	if lo == nil || hi == nil {
		return nil
	}
	src := p.In(c.At.Frame)
	var below, above string
	switch neg, ok := lo.(*ast.UnaryOp); {
	case crossed(c):
		below, above = src.Text(hi), src.Text(lo)
	case headline == zeroBand && ok && neg.Op == ast.USub:
		below, above = "1 - "+src.Operand(neg.X), "1 + "+src.Operand(hi)
	default:
		return nil
	}
	return &pass.Fix{
		Message: "Clamp to a range around 1",
		Edits:   append(src.Replace(lo, below), src.Replace(hi, above)...),
	}
}
