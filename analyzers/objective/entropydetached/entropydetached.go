// Package entropydetached is rule OBJ028, entropy-detached; rule.md says what it finds.
package entropydetached

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

// Analyzer reports entropy bonuses of a policy loss through which no gradient flows.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.Roles.Losses() {
		if !l.Improves() || query.Dead(l.Value) {
			continue
		}
		for _, t := range slices.Concat(l.Cut, l.Terms) {
			if t.Kind == roles.EntropyTerm && t.Q.Grad == domain.Detached && isBonus(t) && isOfPolicy(p, l, t) {
				p.Report(finding(l, t))
			}
		}
	}
}

// isBonus reports whether an entropy is computed of a distribution and added, as it stands without a gradient on every branch, with
// numbers and settings for weights. The entropy that a learned weight multiplies is there for the gradient of the weight.
func isBonus(t roles.Term) bool {
	return t.Sum.Known() && t.Part.Known() && t.Part.Q.Grad == domain.Detached && t.Formula && t.Q.Evidence != domain.NameOnly &&
		!slices.ContainsFunc(t.Weights, func(w query.Weight) bool { return w.Q.Grad == domain.Attached })
}

// isOfPolicy reports whether an entropy is that of a network that learns. What a teacher's entropy adds is a constant by nature: it makes
// a KL to the teacher of a cross entropy. Where the networks of the whole loss are out of sight, its own are taken for those that learn.
func isOfPolicy(p *pass.Pass, l roles.Loss, t roles.Term) bool {
	learning := func(o roles.Term) bool {
		return slices.ContainsFunc(p.Roles.Networks, func(n *roles.Network) bool { return p.Roles.Learns(n) && p.Roles.Uses(o.Val, n) })
	}
	return learning(t) || !slices.ContainsFunc(l.Terms, learning)
}

func finding(l roles.Loss, t roles.Term) pass.Finding {
	f := pass.At(t.Added(), t.Val)
	f.Evidence, f.Severity = domain.Derived, pass.Weighed(l, t)
	return f
}
