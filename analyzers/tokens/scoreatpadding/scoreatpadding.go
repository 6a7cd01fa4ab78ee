// Package scoreatpadding is rule TOK061, score-at-padding; rule.md says what it finds.
package scoreatpadding

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports scores of texts that are read at another column than that of the last token.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, read := range p.ScoresAtPadding() {
		f := pass.At(read.At)
		f.Related = p.Here(read.Filled.At.Val, "the rows are padded on the right here")
		if read.ByCount {
			f.Message = "the score is read as if the rows were padded on the right"
			f.Why = "rows that are padded on the left end in the last column, and the number of tokens less one lies before the end of all but the longest"
			f.Help = "read `scores[:, -1]`, or pad on the right"
			f.Related = p.Here(read.Filled.At.Val, "the rows are padded on the left here")
		}
		f.Evidence = domain.Derived
		p.Report(f)
	}
}
