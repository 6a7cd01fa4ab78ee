// Package projectionlosesmass is rule VAL041, projection-loses-mass; rule.md says what it finds.
package projectionlosesmass

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

// Analyzer reports probabilities that are shared out between two neighbours, and lost where these are one.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, s := range p.SharedOut() {
		f := pass.At(s.Ceil.Val, s.Of)
		f.Evidence = domain.Derived
		f.Related = p.There(query.PlaceOf(s.Upper.Val), "where this share is 0 as well, nothing is left")
		p.Report(f)
	}
}
