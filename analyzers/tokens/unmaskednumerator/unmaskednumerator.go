// Package unmaskednumerator is rule TOK040, unmasked-numerator; rule.md says what it finds.
package unmaskednumerator

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

// Analyzer reports sums over all positions that are divided by how many a mask lets through.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, u := range p.UnmaskedSums() {
		f := pass.At(u.Sum.Val, u.Mask.Val)
		f.Related = p.Here(u.Beside.Val, "here only what the mask lets through is summed")
		if u.Handed {
			f.Severity = finding.Note // who made it may have masked it
		}
		f.Evidence = domain.Derived
		p.Report(f)
	}
}
