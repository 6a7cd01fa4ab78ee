// Package klunmaskedmean is rule KL007, kl-unmasked-mean; rule.md says what it finds.
package klunmaskedmean

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports KL penalties that are averaged over padding in a loss of which the rest is not.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, u := range p.UnmaskedMeans() {
		if u.IsProduct() || !u.IsDivergence() || u.Normalises() || !p.Roles.IsLossBeside(u) {
			continue
		}
		f := pass.At(u.At.Val, u.Mask.Val)
		f.Related = p.Here(u.Masked.At.Val, "here only what the mask lets through counts")
		f.Evidence = domain.Derived
		p.Report(f)
	}
}
