// Package returnsofnormalised is rule ADV045, returns-of-normalised; rule.md says what it finds.
package returnsofnormalised

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports critics that are fitted to what they said, plus advantages of unit variance.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, f := range p.Roles.Fits() {
		if _, ok := p.Roles.SaysOfData(f.Said, f.At); !ok {
			continue
		}
		sum := f.Target.Whole()
		terms := query.TermsOf(sum, 1)
		for i, t := range terms {
			if t.Sign > 0 && isNormalisedAdvantage(p, t) && len(terms) == 2 && saysValue(terms[1-i]) {
				x := sum.Strip()
				p.Report(pass.Finding{At: x.Node, Frame: x.Frame, Evidence: domain.Derived, Related: p.Here(t.Strip().Val, "normalised here")})
			}
		}
	}
}

// isNormalisedAdvantage reports whether a term is an advantage less its mean, over its spread.
func isNormalisedAdvantage(p *pass.Pass, t query.Term) bool {
	x := t.Strip()
	y := x.Unstandardised()
	if !x.Known() || !x.IsOp("div") || !x.IsCentred() || !y.Known() || y.Val == x.Val {
		return false
	}
	return y.Is(domain.Advantage|domain.TDError) || p.Discounted(y.Strip().Val) // rewards of unit variance are fitted on purpose
}

// saysValue reports whether a term is what a critic said.
func saysValue(t query.Term) bool {
	return t.Sign > 0 && (t.Is(domain.StateValue|domain.Raw) || len(t.YieldedBy()) > 0)
}
