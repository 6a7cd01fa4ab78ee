// Package nllofprobs is rule DIST070, nll-of-probs; rule.md says what it finds.
package nllofprobs

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports likelihoods for which nll_loss is given probabilities.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Ops("torch.nn.functional.nll_loss") {
		if probs := v.Arg("input"); probs != nil && probs.Is(domain.Prob) {
			p.Report(pass.At(v, probs))
		}
	}
}
