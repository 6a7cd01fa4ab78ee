// Package k1inloss is rule KL002, k1-in-loss; rule.md says what it finds.
package k1inloss

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports KL penalties of a loss that are the plain mean of a log-ratio.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Roles.Maximises() {
		return
	}
	for _, l := range p.Roles.Losses() {
		if !l.Improves() {
			continue
		}
		for _, t := range l.Terms {
			if d, ok := penalty(t); ok && isFixed(p, t, d) && isTrained(l, d.Plus) && samplesDecided(d.Plus) && !ofOthers(l, d.Plus) {
				p.Report(pass.At(t.Added(), t.Val))
			}
		}
	}
}

// penalty reads a term as a log-ratio that the loss is meant to make smaller: logp - ref, or
// -(ref - logp).
func penalty(t roles.Term) (d query.LogRatio, ok bool) {
	d, ok = query.LogRatioOf(t.Seen)
	if t.Meant < 0 {
		d.Plus, d.Minus = d.Minus, d.Plus
	}
	return d, ok && t.Meant != 0
}

// isFixed reports whether what the policy is compared with gets no gradient, or is a reference,
// whose parameters get none.
func isFixed(p *pass.Pass, t roles.Term, d query.LogRatio) bool {
	return d.Minus.Q.Grad == domain.Detached || d.Minus.Q.Grad == domain.Attached && p.Roles.KLSign(d.At) == t.Meant
}

// isTrained reports whether a log-probability carries a gradient, or is what the ratio is made of
// that the same loss improves.
func isTrained(l roles.Loss, lp query.Seen) bool {
	if lp.Cut().Known() {
		return false
	}
	return lp.Q.Grad == domain.Attached || lp.Q.Grad == domain.GradUnknown && slices.ContainsFunc(l.Terms, func(t roles.Term) bool {
		return t.Surrogate != nil && t.Surrogate.Ratio.Known() && infer.Reaches(lp.Strip().Val, t.Surrogate.Ratio.Val, 100)
	})
}

// ofOthers reports whether a log-probability is of actions that the policy's objective is not about, as of failures that are to become
// unlikely: over these the gradient is not zero on average.
func ofOthers(l roles.Loss, lp query.Seen) bool {
	lp = lp.Unreduced()
	i := 1
	if lp.IsOp("gather", "take_along_dim") {
		i = len(lp.In) - 1
	} else if !lp.IsOp("log_prob") {
		return false
	}
	if i >= len(lp.In) {
		return false
	}
	taken := infer.Strip(lp.Input(i).Val)
	return taken != nil && !slices.ContainsFunc(l.Terms, func(t roles.Term) bool {
		return t.Kind == roles.PolicyTerm && infer.Reaches(taken, t.Val, 400)
	})
}

// samplesDecided reports whether the actions of a log-probability are fixed, so that the gradient
// flows only through it. A reparameterised sample carries the gradient of the KL itself.
func samplesDecided(lp query.Seen) bool {
	lp = lp.Unreduced()
	if !lp.Known() {
		return false
	}
	if lp.IsOp("log_prob") {
		a := lp.Arg("value")
		return a != nil && a.Q.Grad == domain.Detached
	}
	return lp.IsOp("gather", "take_along_dim", "sub", "item", "neg")
}
