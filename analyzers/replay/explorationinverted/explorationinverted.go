// Package explorationinverted is rule OFF082, exploration-inverted; rule.md says what it finds.
package explorationinverted

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports policies that explore less the larger their rate of exploration is.
var Analyzer = pass.Rule(Doc, run)

// mostly is a rate from which on most actions are of the one kind.
const mostly = 0.5

func run(p *pass.Pass) {
	for f := range p.EachFrame {
		if !p.Trains(f) {
			continue
		}
		for _, e := range p.Explorings(f) {
			if !e.Below && p.FallsFrom(f, e.Rate, mostly) {
				p.Report(pass.Finding{At: e.Cond, Frame: f, Evidence: domain.Derived})
			}
		}
	}
}
