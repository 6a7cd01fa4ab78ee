// Package statsincludepads is rule TOK014, stats-include-pads; rule.md says what it finds.
package statsincludepads

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports means over all positions beside means under a mask.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, u := range p.UnmaskedMeans() {
		inLoss := p.Roles.IsLossBeside(u)
		if u.IsProduct() || u.Normalises() || inLoss && u.IsDivergence() {
			continue // ADV010, KL007
		}
		f := pass.At(u.At.Val, u.Mask.Val)
		f.Related = p.Here(u.Masked.At.Val, "here only what the mask lets through counts")
		if !inLoss {
			f.Severity = finding.Note // people read a number that depends on the padding
		}
		f.Evidence = domain.Derived
		p.Report(f)
	}
}
