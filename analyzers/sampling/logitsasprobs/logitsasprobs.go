// Package logitsasprobs is rule DIST001, logits-as-probs; rule.md says what it finds.
package logitsasprobs

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports logits and log-probabilities that are passed to a distribution as
// probabilities.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	told := map[*infer.Val]bool{}
	for _, v := range slices.Concat(p.Violations(), p.NamedViolations()) {
		if v.Arg.Q.Evidence == domain.NameOnly && p.MaskedScores(v.Arg) != nil {
			continue // better proof
		}
		told[v.Call] = true
		if p.Chosen(v, "logits") {
			continue
		}
		f := v.LogitsFinding()
		if v.Arg.Is(domain.LogProb) {
			f.Message = "log-probabilities passed as probabilities"
			f.Why = "the distribution divides them by their sum, which is negative, so the least likely action becomes the likeliest"
			if !v.Call.IsOp("Categorical", "OneHotCategorical", "Multinomial", "RelaxedOneHotCategorical") {
				f.Why = "the distribution raises, since a log-probability is negative"
			}
		}
		if edits := p.Rename(v.Call, v.Arg, "logits"); edits != nil {
			f.Fix = &pass.Fix{Message: "Pass them as `logits`", Edits: edits}
		}
		p.Report(f)
	}
	for _, d := range p.Ops("torch.distributions.Categorical", "torch.distributions.OneHotCategorical") {
		if mask := p.MaskedScores(d.Arg("probs")); mask != nil && !told[d] {
			masked(p, d, mask)
		}
	}
}

// masked reports probabilities that are masked as scores are.
func masked(p *pass.Pass, d, mask *infer.Val) {
	f := pass.At(d, d.Arg("probs"))
	f.Evidence, f.Related = domain.Derived, p.Here(mask, "masked here by a number below zero, as logits are")
	if edits := p.Rename(d, d.Arg("probs"), "logits"); edits != nil {
		f.Fix = &pass.Fix{Message: "Pass them as `logits`", Edits: edits}
	}
	p.Report(f)
}
