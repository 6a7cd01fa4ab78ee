// Package gathernotsqueezed is rule VAL010, gather-not-squeezed; rule.md says what it finds.
package gathernotsqueezed

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets of each reward with each value.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	p.ReportPairings(func(x query.Pairing) bool { return x.Use == query.PairTarget })
}
