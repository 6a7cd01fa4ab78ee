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
		if !l.Improves() || straightThrough(l) {
			continue
		}
		for _, t := range slices.Concat(l.Cut, l.Terms) {
			if t.Kind == roles.KLTerm && t.Q.Grad == domain.Detached {
				f := pass.At(t.Added(), t.Val)
				if isK3(t) {
					f.Evidence = domain.Derived // the formula shows it
				}
				p.Report(f)
			}
		}
	}
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
