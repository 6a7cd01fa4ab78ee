// Package kldetachedinloss is rule KL004, kl-detached-in-loss; rule.md says what
// it finds.
package kldetachedinloss

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
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
		if !l.Improves() {
			continue
		}
		for _, t := range slices.Concat(l.Cut, l.Terms) {
			if t.Kind == roles.KLTerm && t.Q.Grad == domain.Detached {
				p.Report(pass.At(t.Added(), t.Val))
			}
		}
	}
}
