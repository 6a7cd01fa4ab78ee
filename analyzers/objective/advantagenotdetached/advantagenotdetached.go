// Package advantagenotdetached is rule OBJ011, advantage-not-detached; rule.md says what it
// finds.
package advantagenotdetached

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

// Analyzer reports policy losses that train the critic through the advantage.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.Roles.Losses() {
		for _, t := range l.Terms {
			for _, w := range weights(t) {
				switch {
				case w.Q.Grad != domain.Attached || w.Is(domain.Prob|domain.LogProb|domain.Entropy|domain.Ratio):
				case regressed(p, w):
					report(p, l, t, w, domain.Derived)
				case w.Is(estimate), w.Unstandardised().Is(estimate):
					report(p, l, t, w, domain.EvidenceBottom)
				}
			}
		}
	}
	ofLibraries(p)
}

// estimate are the kinds that a critic computes.
const estimate = domain.Advantage | domain.TDError | domain.Return | domain.StateValue | domain.QValue

// regressed reports whether a part of the weight that carries gradients is fitted to
// targets somewhere: it is a critic, whatever it is called. Data is what targets are made of, though somebody asks for its gradient.
func regressed(p *pass.Pass, w query.Seen) bool {
	for _, t := range query.TermsOf(w.Unstandardised(), 1) {
		if t.Q.Grad == domain.Attached && !t.IsOp("requires_grad") && !t.Cut().Known() && fitted(p, t) {
			return true
		}
	}
	return false
}

// fitted reports whether a squared error is taken of v, or of what the same network yields, and
// something else.
func fitted(p *pass.Pass, v query.Term) bool {
	networks := v.YieldedBy()
	for u := range p.Each {
		for _, s := range query.ErrorsOf(p.See(u)) {
			for _, t := range query.TermsOf(s, 1) {
				if !t.Cut().Known() && (t.Strip().Val == v.Strip().Val || slices.ContainsFunc(t.YieldedBy(), func(n infer.Ref) bool { return slices.Contains(networks, n) })) {
					return true
				}
			}
		}
	}
	return false
}

// weights are the factors with which a policy term weights the action.
func weights(t roles.Term) []query.Seen {
	if t.Surrogate != nil {
		return t.Surrogate.Others
	}
	if g, ok := t.PolicyGradient(); ok && g.LogProb.Q.Grad == domain.Attached {
		return g.Weights
	}
	if factors := query.FactorsOf(t.Seen).List; t.IsOp("mul") {
		i := slices.IndexFunc(factors, func(f query.Seen) bool {
			return f.Is(domain.Ratio) && f.Q.Evidence == domain.Derived && f.Q.Grad == domain.Attached
		})
		if i >= 0 {
			return query.Without(factors, i)
		}
	}
	return nil
}

func report(p *pass.Pass, l roles.Loss, t roles.Term, w query.Seen, evidence domain.Evidence) {
	if !p.Roles.HasEffect(l, w) {
		return
	}
	at := product(p, w, t)
	src := p.In(at.Frame)
	if src == nil || at.Node == nil {
		return
	}
	f := pass.At(at.Val, w.Val)
	f.Evidence = evidence
	if e := p.Operand(at.Val, w.Val); e != nil {
		f.At = e
		f.Fix = &pass.Fix{Message: "Detach the advantage", Edits: src.Method(e, ".detach()")}
	}
	p.Report(f)
}

// product returns the multiplication in which the weight stands.
func product(p *pass.Pass, w query.Seen, t roles.Term) query.Seen {
	at := t.Seen
	infer.Walk(t.Val, 60, func(v *infer.Val) bool {
		if v.IsOp("mul") && v.Frame == t.Frame && p.Operand(v, w.Val) != nil {
			at = t.Of(v)
			return false
		}
		return at.Val == t.Val
	})
	return at
}
