// Package logitsasprobs is rule DIST001, logits-as-probs; rule.md says what it finds.
package logitsasprobs

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports logits and log-probabilities that are passed to a distribution as
// probabilities.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Violations() {
		if p.Chosen(v, "logits") {
			continue
		}
		f := pass.At(v.Call, v.Arg)
		if v.Arg.Is(domain.LogProb) {
			f.Message = "log-probabilities passed as probabilities"
			f.Why = "the distribution raises on the negative values, or prefers the least likely actions"
		}
		if edits := p.Rename(v.Call, v.Arg, "logits"); edits != nil {
			f.Fix = &pass.Fix{Message: "Pass them as `logits`", Edits: edits}
		}
		p.Report(f)
	}
}
