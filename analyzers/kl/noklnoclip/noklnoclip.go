// Package noklnoclip is rule KL018, no-kl-no-clip; rule.md says what it finds.
package noklnoclip

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

// Analyzer reports policy gradients of language models on a learned reward with neither a
// KL nor a clip.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	models := p.Roles.LanguageModels()
	if len(models) == 0 || p.Roles.Maximises() {
		return
	}
	for _, l := range p.Roles.Losses() {
		if l.Value.Known() && heldBack(l.Value.Val) {
			continue
		}
		for _, t := range l.Terms {
			for _, m := range models {
				if judge := judged(p, t, m); judge != nil && !referred(p, m) {
					report(p, t, judge)
				}
			}
		}
	}
}

// heldBack reports whether a loss contains a clip or a divergence.
func heldBack(v *infer.Val) bool {
	found := false
	infer.Walk(v, 20000, func(v *infer.Val) bool {
		found = found || v.Is(domain.KL) || v.IsOp("clamp", "clip", "min", "max", "minimum", "maximum", "where", "kl_div", "kl_divergence", "logsigmoid")
		return !found
	})
	return found
}

// judged returns the learned reward by which a term weighs the log-probabilities of
// the model, or nil.
func judged(p *pass.Pass, t roles.Term, m *roles.Network) *roles.Network {
	if t.Kind != roles.PolicyTerm && !isRatioTerm(t) {
		return nil
	}
	model, judge := false, (*roles.Network)(nil)
	for _, f := range query.FactorsOf(t.Seen).List {
		if trains(f.Val, m) && p.Roles.Uses(f.Val, m) {
			model = true
			continue
		}
		for _, n := range p.Roles.Networks {
			if n != m && !n.Trained && scores(p, f.Val, n) {
				judge = n
			}
		}
	}
	if !model {
		return nil
	}
	return judge
}

// trains reports whether a factor of a loss carries a gradient to the model. What a library
// model yields is not known to, but the model is trained.
func trains(v *infer.Val, m *roles.Network) bool {
	return v.Q.Grad == domain.Attached || v.Q.Grad == domain.GradUnknown && m.Scores() == domain.TokenIDs
}

// isRatioTerm reports whether a term is a product with an importance ratio.
func isRatioTerm(t roles.Term) bool {
	return t.IsOp("mul") && slices.ContainsFunc(query.FactorsOf(t.Seen).List, func(s query.Seen) bool { return s.Is(domain.Ratio | domain.LogProb) })
}

// scores reports whether a weight is computed by a whole network other than one
// that yields log-probabilities: a learned reward.
func scores(p *pass.Pass, v *infer.Val, n *roles.Network) bool {
	if _, whole := n.Ref.(*infer.Instance); !whole && n.Scores() != domain.Reward {
		return false
	}
	return !p.Roles.IsLayer(n) && p.Roles.Uses(v, n) && !v.Is(domain.LogProb|domain.Ratio|domain.LogRatio)
}

// referred reports whether the program has a reference for the model.
func referred(p *pass.Pass, m *roles.Network) bool {
	return slices.ContainsFunc(p.Roles.References(), func(r *roles.Reference) bool { return r.Policy == m })
}

func report(p *pass.Pass, t roles.Term, judge *roles.Network) {
	f := pass.At(whole(p, t.Val), t.Val)
	f.Evidence = domain.Derived
	f.Related = p.Here(judge.Val, "the reward model is created here")
	p.Report(f)
}

// whole goes from a term to the mean, sum, negation or quotient around it in one expression.
func whole(p *pass.Pass, v *infer.Val) *infer.Val {
	for range 64 {
		next := v
		for _, u := range p.UsesOf(v) {
			if u.Frame == v.Frame && u.Node != nil && v.Node != nil && u.IsOp("mean", "sum", "neg", "div") && u.Node.Span().Covers(v.Node.Span()) {
				next = u
			}
		}
		if next == v {
			break
		}
		v = next
	}
	return v
}
