// Package indexasvalue is rule VAL098, index-as-value; rule.md says what it finds.
package indexasvalue

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

// Analyzer reports targets that count the number of the best action.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, f := range p.Roles.Fits() {
		for _, t := range query.TermsOf(f.Target, 1) {
			factors := query.FactorsOf(t.Seen).List
			for _, x := range factors {
				if v := x.Strip(); len(factors) > 1 && x.Is(domain.Index) && v.IsOp("argmax", "max") && len(v.In) > 0 && len(v.Input(0).YieldedBy()) > 0 {
					p.Report(pass.At(v.Val, v.Val))
				}
			}
		}
	}
}
