// Package bootstrapdiscountedonce is rule VAL040, bootstrap-discounted-once; rule.md says what it finds.
package bootstrapdiscountedonce

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

// Analyzer reports targets that discount the value behind several rewards as if it were that of the next state.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, o := range p.BootstrapsOnce() {
		f := pass.At(o.At.Val, o.Value.Value.Val)
		f.Evidence = domain.Derived
		f.Related = p.There(query.PlaceOf(o.Sum), "the rewards of several steps are added up here")
		p.Report(f)
	}
}
