// Package logpbroadcast is rule DIST004, logp-broadcast; rule.md says what it finds.
package logpbroadcast

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
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
}
