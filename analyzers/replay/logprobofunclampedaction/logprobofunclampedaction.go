// Package logprobofunclampedaction is rule OFF018, logprob-of-unclamped-action; rule.md says what it finds.
package logprobofunclampedaction

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports programs that keep a clamped action and the log-probability of the action before the clamp, or the other way round.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, a := range p.Roles.Actings() {
		switch {
		case len(a.Clamped) > 0 && !a.Drawn && len(a.OfClamped) == 0 && comparesLater(p, a.LogProbs):
			clip := a.Clamped[0]
			p.Report(pass.Finding{
				At: clip.Node, Frame: clip.Frame, Evidence: domain.Derived,
				Related: p.Here(a.LogProbs[0].Val, "the log-probability that is kept with it is of the action before the clamp"),
			})
		case len(a.Clamped) == 0 && a.Drawn && len(a.LogProbs) == 0 && comparesLater(p, a.OfClamped):
			logp := a.OfClamped[0]
			p.Report(pass.Finding{
				At: logp.Node, Frame: logp.Frame, Evidence: domain.Derived,
				Message: "action is kept with the log-probability of its clamp",
				Help:    "take the log-probability of the action that was drawn, and clamp it only for the environment",
				Related: p.Here(a.Draw.Val, "the action that is kept"),
			})
		}
	}
}

// comparesLater reports whether log-probabilities are kept for a ratio: without their gradient, or in a program that takes one.
func comparesLater(p *pass.Pass, logps []query.Seen) bool {
	return len(logps) > 0 && (slices.ContainsFunc(logps, func(s query.Seen) bool { return s.Q.Grad == domain.Detached }) ||
		slices.ContainsFunc(p.Made("exp"), func(v *infer.Val) bool { return p.See(v).Exponent().Difference().Known() }))
}
