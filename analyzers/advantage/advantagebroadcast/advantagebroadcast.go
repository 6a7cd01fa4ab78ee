// Package advantagebroadcast is rule ADV040, advantage-broadcast; rule.md says what it finds.
package advantagebroadcast

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

// Analyzer reports differences of each return with each value.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	p.ReportPairings(func(x query.Pairing) bool { return x.Use == query.PairError })
	for _, x := range p.AxesElsewhere() {
		f := pass.At(x.At, x.Bare, x.Same)
		f.Evidence = domain.Derived
		f.Help = "give both the same shape once, and use them everywhere as they are"
		f.Related = p.Here(x.Loss, "here one of the two gets a new axis, and the other is the same")
		p.Report(f)
	}
}
