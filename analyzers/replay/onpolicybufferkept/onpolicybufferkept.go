// Package onpolicybufferkept is rule OFF027, on-policy-buffer-kept; rule.md says what it finds.
package onpolicybufferkept

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports rollouts that no update empties, though a clipped objective learns from them.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, o := range p.Roles.OldRows() {
		if !p.Trains(o.Enter.Frame) || !p.Trains(o.Surrogate.At.Frame) {
			continue
		}
		f := pass.Finding{At: o.Enter.Node, Frame: o.Enter.Frame, Evidence: domain.Derived}
		f.Related = append(p.There(o.Made, "the list is made here, once"), p.Here(o.Surrogate.At.Val, "the clipped objective learns from it")...)
		if o.Bounded {
			f.Why = "each batch mixes steps of the policy with those of policies that are long gone: their ratios are far from 1, and the clip takes their gradients away"
		}
		p.Report(f)
	}
}
