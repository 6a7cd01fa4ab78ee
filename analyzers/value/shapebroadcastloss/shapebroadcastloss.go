// Package shapebroadcastloss is rule VAL009, shape-broadcast-loss; rule.md says what it finds.
package shapebroadcastloss

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports errors of each prediction with each target.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	p.ReportPairings(func(x query.Pairing) bool { return x.Use == query.PairLoss })
}
