// Package nogradaroundupdate is rule GRAD013, no-grad-around-update; rule.md says what it
// finds.
package nogradaroundupdate

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports losses that are computed with gradients disabled.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, c := range p.Roles.Severed(roles.CutByMode) {
		if p.In(c.At.Frame) != nil && c.At.Node != nil && c.Whole {
			p.Report(pass.Finding{At: c.At.Node, Frame: c.At.Frame, Evidence: domain.Derived, Severity: pass.Quiet(c), Related: p.BackwardOf(c.Loss)})
		}
	}
}
