// Package maskadded is rule VAL030, mask-added; rule.md says what it finds.
package maskadded

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets to which the mask of the episode's end is added.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, m := range p.AddedMasks() {
		if len(p.Roles.Networks) == 0 && !m.Value.Is(domain.StateValue|domain.QValue) && len(m.Value.YieldedBy()) == 0 {
			continue // by its name alone, where nothing is learned, a value may be anything
		}
		f := pass.At(m.At.Val, m.Value.Val)
		f.Evidence = domain.Derived
		f.Related = p.Here(m.Mask.Val, "this is 1 where the episode goes on, and is added")
		p.Report(f)
	}
}
