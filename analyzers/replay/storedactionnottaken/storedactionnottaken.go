// Package storedactionnottaken is rule OFF026, stored-action-not-taken; rule.md says what it finds.
package storedactionnottaken

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports actions that are stored with the reward of another one.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, u := range p.Roles.Untaken() {
		if !p.Trains(u.Step.Frame) {
			continue
		}
		f := pass.Finding{At: u.Stored.Node, Frame: u.Stored.Frame, Evidence: domain.Derived}
		f.Related = append(p.There(u.Draw, "the environment gets what is drawn here"), p.There(u.Step, "this is what it answers")...)
		if u.Again {
			f.Message = "the action is drawn twice: one is taken, another is stored"
			f.Help = "draw once, keep the action in a variable, and step and store with it"
		}
		p.Report(f)
	}
}
