// Package k1inloss is rule KL002, k1-in-loss; rule.md says what it finds.
package k1inloss

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
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
			if d, ok := penalty(t); ok && samplesDecided(d) {
				p.Report(pass.At(t.Added(), t.Val))
			}
		}
	}
}

// penalty reads a term as a log-ratio that the loss makes smaller: logp - ref, or
// -(ref - logp).
func penalty(t roles.Term) (d query.LogRatio, ok bool) {
	d, ok = query.LogRatioOf(t.Seen)
	if t.Sign < 0 {
		d.Plus, d.Minus = d.Minus, d.Plus
	}
	return d, ok && t.Sign != 0
}

// samplesDecided reports whether the gradient flows only through the policy's
// log-probability: the other side and the actions are fixed. A reparameterised sample
// carries the gradient of the KL itself.
func samplesDecided(d query.LogRatio) bool {
	if d.Plus.Q.Grad != domain.Attached || d.Minus.Q.Grad != domain.Detached || d.Plus.Cut().Known() {
		return false
	}
	lp := d.Plus.Unreduced()
	if !lp.Known() {
		return false
	}
	if lp.IsOp("log_prob") {
		a := lp.Arg("value")
		return a != nil && a.Q.Grad == domain.Detached
	}
	return lp.IsOp("gather", "take_along_dim", "sub", "item", "neg")
}
