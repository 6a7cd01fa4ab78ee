// Package klsign is rule KL001, kl-sign; rule.md says what it finds.
package klsign

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports KL terms that reward the divergence.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if !p.Roles.Maximises() {
		for _, l := range p.Roles.Losses() {
			inLoss(p, l)
		}
	}
	for _, v := range p.OfKind(domain.Reward) {
		if v.IsOp("add", "sub") && len(v.In) > 1 {
			inReward(p, v)
		}
	}
}

// inLoss looks at the terms of a loss. What is written as k3, the KL of latent variables, and one
// that holds a network to what it was while a critic is fitted, is a penalty in any loss; another
// divergence may be there to be made large, as between the members of an ensemble.
func inLoss(p *pass.Pass, l roles.Loss) {
	policy, fits := l.Improves(), slices.ContainsFunc(l.Terms, func(t roles.Term) bool { return t.Kind == roles.ValueTerm && t.Meant > 0 })
	if slices.ContainsFunc(l.Terms, func(t roles.Term) bool { return t.Kind == roles.KLTerm && t.Counts() > 0 }) {
		return // near to one, and so away from the other
	}
	for _, t := range l.Terms {
		if t.Kind == roles.KLTerm && t.Counts() < 0 && !ofMany(t) && (policy || t.Gaussian || t.Unreduced().IsK3() || fits && holdsTo(t.Unreduced())) {
			sum := t.Added()
			f := pass.At(sum, t.Val)
			f.Message = "KL subtracted from the loss"
			f.Why = "the loss falls as the KL grows, so training drives the policy away from the reference"
			if t.Gaussian {
				f.Why = "the loss falls as the KL grows, so training drives the latent variables away from their prior"
			}
			f.Help = "add the KL to the loss instead"
			f.Severity = pass.Weighed(l, t)
			f.Evidence, f.Fix = domain.Derived, fix(sum) // the formula shows it
			p.Report(f)
		}
	}
}

// ofMany reports whether a KL is to each of several networks, or to their mixture: a policy is kept near to one reference, and away from the
// others of a population.
func ofMany(t roles.Term) bool {
	found := false
	infer.Walk(t.Val, 100, func(v *infer.Val) bool {
		if call, ok := v.Node.(*ast.Call); ok && v.Frame == t.Val.Frame && v.Frame != nil {
			if of, ok := call.Fun.(*ast.Name); ok && v.Frame.Val(of).Is(domain.Module) {
				for c := range query.Comprehensions(query.PlaceOf(v)) {
					found = found || slices.ContainsFunc(c.Clauses, func(x *ast.CompClause) bool { return query.Path(x.Target) == of.Ident })
				}
			}
		}
		return !found
	})
	return found
}

// holdsTo reports whether a KL is to a distribution that gets no gradient.
func holdsTo(kl query.Seen) bool {
	fixed := func(side query.Seen) bool { return side.Known() && side.Q.Grad == domain.Detached }
	return kl.IsOp("kl_divergence", "kl_div") && fixed(kl.Input(0)) != fixed(kl.Input(1))
}

// inReward looks at reward +- weight * kl.
func inReward(p *pass.Pass, v *infer.Val) {
	s := p.See(v)
	for i := range 2 {
		part, sign := s.Input(1-i), 1
		if v.IsOp("sub") && i == 0 {
			sign = -1
		}
		if !s.Input(i).Is(domain.Reward) || i == 1 && v.IsOp("sub") {
			continue
		}
		kl, _, meant, ok := query.FactorsOf(part).Weighed()
		if ok && sign*meant*p.Roles.KLSign(kl) > 0 {
			f := pass.At(v, s.Input(i).Val, kl.Val)
			f.Message = "KL added to the reward"
			f.Why = "the reward grows with the KL, so the policy is rewarded for leaving the reference"
			f.Help = "subtract the KL from the reward instead"
			f.Fix = fix(v)
			p.Report(f)
		}
	}
}

// fix flips the operator.
func fix(sum *infer.Val) *pass.Fix {
	n, ok := sum.Node.(*ast.BinOp)
	if !ok || n.Op != ast.Add && n.Op != ast.Sub {
		return nil
	}
	to := "+"
	if n.Op == ast.Add {
		to = "-"
	}
	return &pass.Fix{Message: "Flip the sign of the KL", Edits: []pass.Edit{{Span: n.OpLoc, New: to}}}
}
