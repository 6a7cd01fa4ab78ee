// Package normaliseoverpadding is rule ADV010, normalise-over-padding; rule.md says what it finds.
package normaliseoverpadding

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports values that are normalised by mean and spread over all positions, and then masked.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	seen := map[ast.Node]bool{} // of what is normalised: mean and spread are one mistake
	for _, m := range p.MixedMoments() {
		if seen[m.Of.Node] {
			continue
		}
		seen[m.Of.Node] = true
		f := pass.At(m.All.At.Val, m.Masked.Under.Val)
		f.Message = "a mean of all positions, and a spread under a mask"
		f.Why = "what is centred by a mean that padding is part of has no mean of 0 where it counts, so all actions are pushed up or down together"
		if !m.MaskedSpread {
			f.Message = "a spread of all positions, and a mean under a mask"
			f.Why = "padding is part of the spread, so the scale of advantages depends on how much was padded"
		}
		f.Related = p.Here(m.Masked.At.Val, "only what the mask lets through counts here")
		f.Evidence = domain.Derived
		p.Report(f)
	}
	for _, u := range p.UnmaskedMeans() {
		if !u.Normalises() || seen[u.Of.Node] {
			continue
		}
		seen[u.Of.Node] = true
		f := pass.At(u.At.Val, u.Mask.Val)
		f.Related = p.Here(u.Masked.At.Val, "the mask is applied here, too late")
		f.Evidence = domain.Derived
		p.Report(f)
	}
}
