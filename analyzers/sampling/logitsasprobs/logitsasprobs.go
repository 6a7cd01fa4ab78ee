// Package logitsasprobs is rule DIST001, logits-as-probs; rule.md says what it finds.
package logitsasprobs

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports distributions that take raw scores or log-probabilities for
// probabilities.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Violations() {
		what := "raw scores"
		if v.Arg.Is(domain.LogProb) {
			what = "log-probabilities"
		}
		name, class := p.ArgText(v, "this"), infer.BaseOp(v.Call.Op)
		f := pass.On(v.Call, fmt.Sprintf("%s holds %s, and `%s` takes it for probabilities, which is its first parameter: it raises at a negative score, or else "+
			"divides the scores by their sum and samples another policy than the network's; write `%s(logits=...)`", name, what, class, class), v.Arg)
		if edits := p.Rename(v.Call, v.Arg, "logits"); edits != nil {
			f.Fix = &pass.Fix{Message: "Pass it as logits", Edits: edits}
		}
		p.Report(f)
	}
}
