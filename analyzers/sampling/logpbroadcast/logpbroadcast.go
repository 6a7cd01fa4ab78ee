// Package logpbroadcast is rule DIST004, logp-broadcast; rule.md says what it finds.
package logpbroadcast

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports log-probabilities and ratios that are weighted with the advantage of each row.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	p.ReportPairings(func(x query.Pairing) bool { return x.Use == query.PairScore })
	for _, x := range p.ExtraAxes() {
		f := pass.At(x.At, x.Weight)
		f.Evidence = domain.Derived
		f.Message = "weights of each token get an axis that they have already"
		f.Why = "(B, T) times (B, 1, T) is (B, B, T), so each token is weighted with those of every sequence of the batch"
		f.Help = "leave the new axis out: the weights are cut like the log-probabilities, token by token"
		f.Related = p.Here(x.Cut, "there is one weight a token here")
		p.Report(f)
	}
}
