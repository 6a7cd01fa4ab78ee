// Package bootstrapstandardised is rule ADV025, bootstrap-standardised; rule.md says what it finds.
package bootstrapstandardised

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets that count the next state's value less the mean of the batch.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, b := range p.Bellmans() {
		for _, next := range b.Next {
			value := next.Value.Strip()
			data := value.Unstandardised()
			if !value.Known() || !data.Known() || data.Val == value.Val || value.Node == nil || p.In(value.Frame) == nil {
				continue
			}
			f := pass.At(value.Val)
			f.Evidence = domain.Derived
			f.Related = p.Here(b.At.Val, "the target counts it here")
			p.Report(f)
		}
	}
}
