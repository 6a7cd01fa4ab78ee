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

// Analyzer reports critics that are fitted to what they said, plus advantages of unit spread, wherever the mean of these is.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, f := range p.Roles.Fits() {
		if _, ok := p.Roles.SaysOfData(f.Said, f.At); !ok {
			continue
		}
		sum := f.Target.Whole().Strip()
		if !sum.Known() || !sum.IsOp("add") || len(sum.In) < 2 {
			continue
		}
		for i := range 2 {
			if at, ok := normalisedAdvantage(p, sum.Input(i)); ok && saysValue(sum.Input(1-i)) {
				p.Report(pass.Finding{At: sum.Node, Frame: sum.Frame, Evidence: domain.Derived, Related: p.Here(at.Val, "normalised here")})
			}
		}
	}
}

// normalisedAdvantage reads a value as an advantage over its spread: at is the operation that makes it so.
func normalisedAdvantage(p *pass.Pass, s query.Seen) (at query.Seen, ok bool) {
	x := s.Whole().Strip()
	for x.Known() && x.IsOp("clamp", "clip") && len(x.In) > 0 {
		x = x.Input(0).Strip()
	}
	of, ok := x.OverOwnSpread()
	if !ok && x.Known() && x.IsOp("div") && x.IsCentred() {
		of = x.Unstandardised()
		ok = of.Known() && of.Val != x.Val
	}
	return x, ok && (of.Is(domain.Advantage|domain.TDError) || p.Discounted(of.Strip().Val)) // rewards of unit variance are fitted on purpose
}

// saysValue reports whether a value is what a critic said.
func saysValue(s query.Seen) bool {
	return s.Is(domain.StateValue|domain.Raw) || len(s.YieldedBy()) > 0
}
