// Package fittedtoadvantages is rule VAL095, fitted-to-advantages; rule.md says what it finds.
package fittedtoadvantages

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports critics that are fitted to advantages, which are computed with what they say.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, f := range p.Roles.Fits() {
		e, ok := p.Roles.SaysOfData(f.Said, f.At)
		if ok && p.Roles.IsAdvantage(f.Target, e) {
			p.Report(pass.Finding{At: f.At.Node, Frame: f.At.Frame, Values: []*infer.Val{f.Target.Val}, Evidence: domain.Derived})
		}
	}
}
