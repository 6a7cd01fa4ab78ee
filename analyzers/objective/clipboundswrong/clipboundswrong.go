// Package clipboundswrong is rule OBJ022, clip-bounds-wrong; rule.md says what it
// finds.
package clipboundswrong

import (
	_ "embed"
	"strings"

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
		if ok && c.At.Val == v && !clipped[v] && c.X.Is(domain.Ratio) && isRatio(c.X) && aroundZero(c) && p.Becomes(v, "mul") {
			report(p, c, zeroBand, domain.EvidenceBottom)
		}
	}
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

func isLogRatio(s query.Seen) bool { return query.All(s.Roots(), query.Seen.IsLogRatio) }

// isRatio reports whether s is computed as a ratio is: an exponential or a quotient.
func isRatio(s query.Seen) bool {
	return query.All(s.Roots(), func(s query.Seen) bool { return s.Exponent().Known() || s.IsOp("div") })
}

// isEmpty reports whether the range contains no ratio, or a single one.
func isEmpty(c query.Clip) bool {
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	if ok && ok2 {
		unset := lo == 1 && hi == 1 && (c.Lo.Op == infer.OpConfig || c.Hi.Op == infer.OpConfig)
		return lo >= hi && !unset // a default of 0 has to be set by the user
	}
	return c.Lo.Known() && c.Hi.Known() && (c.Lo.Same(c.Hi) || c.Lo.Offset() > 0 && c.Hi.Offset() < 0)
}

// oneSide reports whether the range lies on one side of 1, and not around 0.
func oneSide(c query.Clip) bool {
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	if ok && lo > 1 || ok2 && 0 < hi && hi < 1 && (!ok || lo >= 0) {
		return true
	}
	return !ok && c.Lo.Known() && c.Lo.Offset() > 0 || !ok2 && c.Hi.Known() && c.Hi.Offset() < 0
}

// aroundZero reports whether the range is -e..e, or -low..high with neither bound
// written around 1. The default of a setting shows what it is for, not its value.
func aroundZero(c query.Clip) bool {
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	if ok && ok2 {
		return lo < 0 && 0 < hi && hi < 1
	}
	x := c.Lo.Strip()
	if !x.Known() || !c.Hi.Known() {
		return false
	}
	negated := x.IsOp("neg")
	if negated && x.Input(0).Same(c.Hi) {
		return true
	}
	below := negated && isSetting(x.Input(0), 8) || ok && -1 < lo && lo < 0
	return below && (isSetting(c.Hi, 8) || ok2 && 0 < hi && hi < 1)
}

// isSetting reports whether a bound is an argument, an attribute, an entry or a
// configured value to which nothing was added. A default of 1 or more is already a
// bound.
func isSetting(s query.Seen, depth int) bool {
	s = s.Strip()
	if !s.Known() {
		return false
	}
	if x, ok := s.Float(); ok {
		return s.Op == infer.OpConfig && 0 < x && x < 1
	}
	switch s.Op {
	case infer.OpConfig, infer.OpParam, infer.OpItem, infer.OpAttr:
		return s.Const == nil || s.IsNone()
	case infer.OpPhi:
		return s.Const == nil && depth > 0 && allSettings(s, depth-1)
	}
	return s.Const == nil && strings.HasPrefix(s.Op, infer.OpAttr+".")
}

func allSettings(s query.Seen, depth int) bool {
	for _, in := range s.In {
		if in != nil && !in.IsNone() && !isSetting(s.Of(in), depth) {
			return false
		}
	}
	return true
}

// inPercent reports whether the range is 1-e..1+e with e above 1. A range of -e..e
// keeps the ratio finite.
func inPercent(c query.Clip) bool {
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	return ok && ok2 && lo < 0 && hi >= 2 && lo != -hi
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

// fix writes the bounds around 1 if the syntax shows the clip range.
func fix(p *pass.Pass, c query.Clip, headline string) *pass.Fix {
	lo, hi := p.Operand(c.At.Val, c.Lo.Val), p.Operand(c.At.Val, c.Hi.Val)
	if lo == nil || hi == nil {
		return nil
	}
	src := p.In(c.At.Frame)
	var below, above string
	switch neg, isNeg := lo.(*ast.UnaryOp); {
	case crossed(c):
		below, above = src.Text(hi), src.Text(lo)
	case headline == zeroBand && isNeg && src.Text(neg.X) == src.Text(hi):
		below, above = "1 - "+src.Operand(hi), "1 + "+src.Operand(hi)
	default:
		return nil
	}
	return &pass.Fix{
		Message: "Clamp to a range around 1",
		Edits:   append(src.Replace(lo, below), src.Replace(hi, above)...),
	}
}

// crossed reports whether the bounds are right except for their order.
func crossed(c query.Clip) bool {
	lo, ok := c.Lo.Float()
	hi, ok2 := c.Hi.Float()
	if ok && ok2 {
		return 0 < hi && hi < 1 && 1 < lo
	}
	return c.Lo.Offset() > 0 && c.Hi.Offset() < 0
}
