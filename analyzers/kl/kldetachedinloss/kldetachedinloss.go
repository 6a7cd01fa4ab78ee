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
		if !p.Roles.HasPolicyTerm(l) {
			continue
		}
		for _, t := range slices.Concat(l.Cut, l.Terms) {
			if t.Q.Grad == domain.Detached && isKL(t.Seen) {
				p.Report(pass.At(roles.SumOf(t), t.Val))
			}
		}
	}
}

// isKL reports whether s is a KL, or the mean of a log-ratio.
func isKL(s query.Seen) bool {
	x := s.Unreduced()
	if !x.Known() {
		return false
	}
	_, ratio := query.LogRatioOf(x)
	return ratio || x.IsDivergence()
}
