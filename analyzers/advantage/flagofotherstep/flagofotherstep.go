// Package flagofotherstep is rule ADV047, flag-of-other-step; rule.md says what it finds.
package flagofotherstep

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports sums over steps that end by the flag of the step before or after.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, s := range p.Roles.ShiftedFlags() {
		at, other, note := s.Written, s.Read, "the row is read here as that of the step before"
		switch {
		case s.AtRead:
			at, other, note = s.Read, s.Written, "the flag is kept here before the step, so the row says that its observation is the first of an episode"
		case s.Late:
			note = "the row is read here with the reward of the step that comes after"
		}
		p.Report(pass.Finding{At: at.Node, Frame: at.Frame, Evidence: domain.Derived, Related: p.There(other, note)})
	}
}
