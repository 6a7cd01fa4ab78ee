// Package oldisnew is rule OBJ031, old-is-new; rule.md says what it finds.
package oldisnew

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports clips around an old value or log-probability that the network in training computes anew with each new one.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, c := range p.Roles.OldIsNew() {
		if p.In(c.At.Frame) == nil {
			continue
		}
		f := pass.At(c.At.Val, c.Old.Val)
		f.Evidence = domain.Derived
		if c.Ratio {
			f.Message = "the old log-probability is that of the policy in training"
			f.Why = "the ratio is 1 in every step, so no clip acts, and nothing keeps later steps on the data near the policy that acted"
			f.Help = "keep the log-probabilities of the rollout, as they were before the first step"
		}
		f.Related = append(p.There(c.OldCall, "the old one is computed here, with the weights of now"), p.There(c.Loop.Header(), "this loop takes several steps on the same data")...)
		p.Report(f)
	}
}
