// Package logprobminimised is rule OBJ029, logprob-minimised; rule.md says what it finds.
package logprobminimised

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

// Analyzer reports losses that fall as the labels or actions of the data become less likely.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Roles.Maximises() {
		return
	}
	losses := p.Roles.Losses()
	// A program that makes the same likelier in another step unlearns some of its data on purpose.
	learns := func(t roles.Term) bool {
		return slices.ContainsFunc(losses, func(l roles.Loss) bool {
			return slices.ContainsFunc(l.Terms, func(o roles.Term) bool { return isLikelihood(o) && o.Meant < 0 && o.Node == t.Node && o.Node != nil })
		})
	}
	for _, l := range losses {
		if l.Backward.Known() && len(p.Roles.Optimizers) == 0 {
			continue // a gradient that is looked at, and trains nothing
		}
		all := slices.Concat(l.Terms, l.Cut)
		for _, t := range l.Terms {
			if isLikelihood(t) && t.Meant > 0 && !learns(t) && isStepped(p, l, t) && !slices.ContainsFunc(all, func(o roles.Term) bool { return counters(t, o) }) {
				report(p, t)
			}
		}
	}
}

// isLikelihood reports whether a term is the log-probability of given labels or actions, and nothing but numbers and masks weighs it.
func isLikelihood(t roles.Term) bool {
	if t.Kind != roles.OtherTerm || !t.Is(domain.LogProb) || t.Q.Evidence > domain.Derived || t.Q.Grad != domain.Attached || t.IsNegativeByName() {
		return false
	}
	plain := !slices.ContainsFunc(t.Weights, func(w query.Weight) bool {
		return w.Sign <= 0 && w.Meant <= 0 || w.Q.Grad == domain.Attached || chooses(w.Val)
	})
	return plain && query.AllRoots(t.Seen, isOfData)
}

// isStepped reports whether the loss may train the network that says a log-probability. An attack on a policy, or an encoder that a
// discriminator should not see through, lowers what a network says that stays as it is.
func isStepped(p *pass.Pass, l roles.Loss, t roles.Term) bool {
	reached, stepped := p.Roles.Reached(t.Val), p.Roles.SteppedNext(l)
	if len(reached) == 0 {
		return true
	}
	says := reached[0] // the nearest
	if stepped != nil {
		return p.Roles.OverlapsAny(says, stepped)
	}
	return p.Roles.IsHeld(says) || len(p.Roles.Optimizers) == 0 || slices.ContainsFunc(p.Roles.Optimizers, func(o *roles.Optimizer) bool { return o.Open })
}

// chooses reports whether a weight asks how good something is: wrong answers may be chosen to become less likely. One that leaves out the
// padding says what a label is not.
func chooses(w *infer.Val) bool {
	return w != nil && infer.Within(w, 6, func(v *infer.Val) bool { return v.IsOp("eq", "lt", "le", "gt", "ge") })
}

// isOfData reports whether a value picks the log-probabilities of what the program did not draw itself.
func isOfData(s query.Seen) bool {
	var picked query.Seen
	switch {
	case s.IsOp("log_prob", "gather", "take_along_dim") && len(s.In) > 1:
		picked = s.Input(len(s.In) - 1)
	case s.IsOp("get_batch_logps"):
		picked = s.Of(s.Arg("labels"))
	default:
		return false
	}
	given := picked.Known()
	infer.Walk(picked.Val, 200, func(v *infer.Val) bool {
		given = given && !isFiltered(v, 4) && !v.IsOp("sample", "rsample", "argmax", "multinomial", "generate", "argsort", "topk")
		return given
	})
	return given
}

// isFiltered reports whether a list holds what passes a test, or is made of such a list. Answers that were found to be wrong may be kept
// to become less likely.
func isFiltered(v *infer.Val, depth int) bool {
	if v = infer.Strip(v); v == nil || v.Frame == nil || depth == 0 {
		return false
	}
	list, ok := v.Node.(*ast.Comp)
	return ok && slices.ContainsFunc(list.Clauses, func(c *ast.CompClause) bool {
		return len(c.Ifs) > 0 || isFiltered(v.Frame.Val(c.Iter), depth-1)
	})
}

// counters reports whether another term of the loss counts a log-probability the other way, or a critic's value, or weighs the very
// same one by how good the action was: then t is a part of a margin, a divergence, or an entropy. So it is beside a KL, which keeps
// what else the model says while some data is unlearned.
func counters(t, o roles.Term) bool {
	if o.Val != t.Val && o.Is(domain.KL) {
		return true
	}
	if g, ok := o.PolicyGradient(); ok && infer.SameSource(g.LogProb.Val, t.Val) {
		return true
	}
	return o.Val != t.Val && o.Meant <= 0 && !o.Strip().IsOp("logsigmoid") && (o.Is(domain.LogProb|domain.LogRatio|domain.QValue|domain.KL) || !o.Q.Kind.Known())
}

func report(p *pass.Pass, t roles.Term) {
	at := t.Added()
	if p.In(at.Frame) == nil || at.Node == nil {
		at = t.Val
	}
	if p.In(at.Frame) == nil || at.Node == nil {
		return
	}
	if p.In(at.Frame).IsTest() {
		return // a gradient that is compared
	}
	f := pass.At(at, t.Val)
	f.Evidence = domain.Derived
	p.Report(f)
}
