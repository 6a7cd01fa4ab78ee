// Package kldetachedinloss is rule KL004, kl-detached-in-loss; rule.md says what
// it finds.
package kldetachedinloss

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports KL terms of a loss through which no gradient flows.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.Roles.Losses() {
		if straightThrough(l) {
			continue
		}
		for _, t := range slices.Concat(l.Cut, l.Terms) {
			if t.Kind == roles.KLTerm && t.Q.Grad == domain.Detached && !isReward(p, t) && (l.Improves() || isPenalty(t)) {
				f := pass.At(t.Added(), t.Val)
				f.Severity = pass.Weighed(l, t)
				if isK3(t) {
					f.Evidence = domain.Derived // the formula shows it
				}
				p.Report(f)
			}
		}
	}
}

// isReward reports whether a KL may be part of the rewards: what it is multiplied with comes from a call that is not known,
// and may be the log-prob, which has the gradient then.
func isReward(p *pass.Pass, t roles.Term) bool {
	return slices.ContainsFunc(t.Weights, func(w query.Weight) bool {
		x := w.Strip()
		return x.Q.Grad == domain.GradUnknown && p.IsOpaque(x.Val)
	})
}

// isPenalty reports whether a KL is cut off from its gradient where it is added, with settings
// for weights: a loss of which the rest is not understood has no other use for it. The KL that a
// learned weight multiplies is there for the gradient of the weight.
func isPenalty(t roles.Term) bool {
	cut := t.Cut()
	return t.Formula && t.Counts() > 0 && t.Sum.Known() && cut.Known() && cut.Input(0).Q.Grad != domain.Detached &&
		!slices.ContainsFunc(t.Weights, func(w query.Weight) bool { return w.Meant == 0 || w.Q.Grad == domain.Attached })
}

// straightThrough reports whether a loss takes the numbers of one estimate and the gradient
// of another: x - x.detach() + y.detach().
func straightThrough(l roles.Loss) bool {
	return slices.ContainsFunc(l.Cut, func(c roles.Term) bool {
		return c.Sum.Known() && slices.ContainsFunc(query.TermsOf(c.Sum, 1), func(t query.Term) bool {
			return !t.Cut().Known() && t.Same(c.Seen)
		})
	})
}

func isK3(t roles.Term) bool {
	return slices.ContainsFunc(t.Roots(), query.Seen.IsK3)
}
