// Package criticdetachedinactorloss is rule OFF012, critic-detached-in-actor-loss; rule.md says what it finds.
package criticdetachedinactorloss

import (
	_ "embed"
	"slices"
	"strings"

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

// Analyzer reports losses of an actor in which the critic's value of its action carries no gradient.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.Roles.Losses() {
		for _, t := range l.Terms {
			draw := drawOf(t)
			if draw == nil || slices.ContainsFunc(l.Terms, func(q roles.Term) bool { return q.Q.Grad == domain.Attached && q.Meant < 0 && judges(q.Val, draw) }) {
				continue // none, or a part of the critic's value beside what is cut off carries the gradient
			}
			for _, q := range slices.Concat(l.Cut, l.Terms) {
				if q.Sum.Known() && q.Meant < 0 && q.Q.Grad == domain.Detached && judges(q.Val, draw) {
					f := pass.At(q.Added(), q.Val)
					f.Evidence = domain.Derived
					f.Related = p.Here(draw, "gradients flow into this action")
					p.Report(f)
				}
			}
		}
	}
}

// drawOf is the action, drawn so that gradients flow into it, of which a term that is minimised is the log-probability; else nil.
func drawOf(t roles.Term) (draw *infer.Val) {
	if t.Meant <= 0 || t.Q.Grad != domain.Attached {
		return nil
	}
	for _, f := range query.FactorsOf(t.Seen).List {
		if !f.Is(domain.LogProb) {
			continue
		}
		infer.Walk(f.Val, 60, func(v *infer.Val) bool {
			if v.IsOp("rsample") && v.Q.Grad == domain.Attached {
				draw = v
			}
			return draw == nil
		})
	}
	return draw
}

// judges reports whether a value is what a network yields for an action.
func judges(v, action *infer.Val) bool {
	network, found := false, false
	infer.Walk(v, 600, func(x *infer.Val) bool {
		switch {
		case x.Is(domain.LogProb | domain.Entropy):
			return false
		case infer.MadeAlike(x, action):
			found = true
			return false
		}
		network = network || strings.HasPrefix(x.Op, "torch.nn.") && strings.HasSuffix(x.Op, ".__call__")
		return true
	})
	return network && found
}
