// Package memoryoverepisodes is rule ENV065, memory-over-episodes; rule.md says what it finds.
package memoryoverepisodes

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports memories of recurrent networks that go on from one episode to the next.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	for _, c := range p.Roles.Carried() {
		p.Report(pass.Finding{
			At: c.Call.Node, Frame: c.Call.Frame, Evidence: domain.Derived,
			Message: "`" + c.State + "` goes on from one episode to the next",
			Related: p.There(c.Ends, "this says when an episode ends, and the loop goes on"),
		})
	}
}
