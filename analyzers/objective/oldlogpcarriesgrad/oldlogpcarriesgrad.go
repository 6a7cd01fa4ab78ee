// Package oldlogpcarriesgrad is rule OBJ007, old-logp-carries-grad; rule.md says what it
// finds.
package oldlogpcarriesgrad

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

// Analyzer reports importance ratios whose old log-probability carries gradients.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, use := range p.Roles.RatioUses() {
		if !use.Clipped {
			continue
		}
		for _, root := range use.Ratio.Roots() {
			for _, d := range root.Exponent().Roots() { // of the sequence's ratio a mean over its tokens
				if old, sub, evidence := oldOf(p, d); old.Known() {
					report(p, old, sub, evidence)
				}
			}
		}
	}
	for _, v := range p.Made("sub") {
		if old := ofItself(p, p.See(v)); old.Known() {
			report(p, old, p.See(v), domain.Derived)
		}
	}
}

// ofItself returns what is subtracted where the exponential of a log-ratio weighs something, and on some branch the ratio is that of a
// log-probability to itself: the weight has no gradient there. An estimate of a KL may be so on purpose, where there is no reference.
func ofItself(p *pass.Pass, d query.Seen) query.Seen {
	terms := query.TermsOf(d, 1)
	if len(terms) != 2 || terms[0].Sign == terms[1].Sign || d.NoGrad || !d.Is(domain.LogRatio) && !mayBeLogProb(terms[0].Seen) || !isWeight(p, d.Val, 8) {
		return query.Seen{}
	}
	if b := terms[1].Strip(); !b.Known() || b.Op != infer.OpPhi {
		return query.Seen{} // x - x is no slip
	}
	if query.AnswersTwice(terms[0].Strip().Frame, d.Frame) {
		return query.Seen{}
	}
	return itself(terms[0], terms[1])
}

// isWeight reports whether the exponential of a log-ratio, with or without a clip, is a factor of something that is no number.
func isWeight(p *pass.Pass, d *infer.Val, depth int) bool {
	return depth > 0 && slices.ContainsFunc(p.UsesOf(d), func(u *infer.Val) bool {
		if u.IsOp("exp") {
			return p.Weighed(u) != nil
		}
		return (infer.Through(u) == d || u.Op == infer.OpPhi || u.IsOp("clamp", "clip", "mul", "div", "sum", "mean")) && isWeight(p, u, depth-1)
	})
}

// mayBeLogProb reports whether a value is a log-probability, or one on some branch.
func mayBeLogProb(s query.Seen) bool {
	for r := range s.EachRoot {
		if r.Is(domain.LogProb) {
			return true
		}
	}
	return false
}

// oldOf returns the second log-probability of new - old if both carry gradients to
// a network that is trained, and the subtraction.
func oldOf(p *pass.Pass, d query.Seen) (old, sub query.Seen, evidence domain.Evidence) {
	sub = d.Difference()
	terms := query.TermsOf(d, 1)
	if !sub.Known() || len(terms) != 2 {
		return
	}
	now, before := terms[0], terms[1]
	if now.LogProbSign() < 0 {
		now, before = before, now
	}
	if same := itself(now, before); same.Known() && now.LogProbSign() != 0 {
		return before.Seen, sub, domain.Derived // whatever it is
	}
	if now.LogProbSign() > 0 && before.LogProbSign() < 0 && madeAlike(p, now.Seen, before.Seen, 12) && backwardFrom(p, sub) {
		return before.Seen, sub, domain.Derived
	}
	if now.LogProbSign() <= 0 || before.LogProbSign() >= 0 || isSame(now.Strip(), before.Strip()) ||
		now.Q.Grad != domain.Attached || before.Q.Grad != domain.Attached || !trained(p, before) {
		return query.Seen{}, sub, 0
	}
	return before.Seen, sub, 0
}

// madeAlike reports whether two values are computed one as the other, with gradients, by a model of which nothing else need be known: where one
// carries gradients, so does the other.
func madeAlike(p *pass.Pass, a, b query.Seen, depth int) bool {
	if !a.Known() || !b.Known() || depth == 0 || a.Val == b.Val {
		return a.Val == b.Val && a.Known()
	}
	if x, ok := a.Float(); ok {
		y, ok := b.Float()
		return ok && x == y
	}
	if a.Op != b.Op || a.Frame != b.Frame || a.NoGrad || b.NoGrad || len(a.In) == 0 || len(a.In) != len(b.In) || a.Q.Grad == domain.Detached || b.Q.Grad == domain.Detached {
		return false
	}
	x, y := a.In, b.In
	if s, t := p.Values.SiteOf(a.Val), p.Values.SiteOf(b.Val); s != nil && t != nil { // one evaluation may answer both
		if s.Callee != t.Callee || len(s.Args) != len(t.Args) {
			return false
		}
		x, y = s.Args, t.Args
	}
	for i := range x {
		if (x[i] == nil) != (y[i] == nil) || x[i] != nil && !madeAlike(p, a.Of(x[i]), b.Of(y[i]), depth-1) {
			return false
		}
	}
	return true
}

// backwardFrom reports whether the gradients of a loss are computed that a value is a part of.
func backwardFrom(p *pass.Pass, s query.Seen) bool {
	return slices.ContainsFunc(p.Roles.Losses(), func(l roles.Loss) bool { return l.Backward.Known() && infer.Reaches(s.Val, l.Value.Val, nearLoss) })
}

// nearLoss bounds the way from a loss back to a ratio.
const nearLoss = 400

// itself returns what is subtracted from a log-probability, where that is the very same value,
// on some branch, and not cut off from its gradient: the ratio is 1 and has no gradient.
func itself(now, before query.Term) query.Seen {
	x := now.Strip()
	if !x.Known() || now.Cut().Known() || now.Q.Grad == domain.Detached || !x.Q.Kind.Known() && len(x.In) == 0 {
		return query.Seen{}
	}
	if b := before.Strip(); x.Op == infer.OpParam && x.Q.Grad != domain.Attached && b.Known() && b.Op == infer.OpPhi {
		return query.Seen{} // who calls may hand in numbers of the rollout where there are no others
	}
	return branch(before.Seen, x, 4)
}

// branch returns what a value is on some branch, where that is x itself with its gradient.
func branch(b, x query.Seen, depth int) query.Seen {
	if !b.Known() || b.Cut().Known() || b.Q.Grad == domain.Detached || depth == 0 {
		return query.Seen{}
	}
	inner := b.Strip()
	if isSame(inner, x) {
		return b
	}
	if inner.Known() && inner.Op == infer.OpPhi {
		for _, v := range inner.In {
			if found := branch(inner.Of(v), x, depth-1); found.Known() {
				return found
			}
		}
	}
	return query.Seen{}
}

// isSame reports whether two values are one, and not what a function yields for two calls.
func isSame(a, b query.Seen) bool { return a.Val == b.Val && a.Same(b) }

// trained reports whether the gradients of a log-probability go to a network that is trained, or
// to a layer of one.
func trained(p *pass.Pass, t query.Term) bool {
	return slices.ContainsFunc(p.Roles.Reached(t.Val), func(n *roles.Network) bool { return n.Trained || p.Roles.Learns(n) })
}

func report(p *pass.Pass, old, sub query.Seen, evidence domain.Evidence) {
	if p.In(sub.Frame) == nil || sub.Node == nil {
		return
	}
	f := pass.At(sub.Val, old.Val)
	f.Evidence = evidence
	if operand, in := takenAt(p, sub, old); operand != nil {
		f.At, f.Frame = operand, in
		f.Fix = &pass.Fix{Message: "Detach the old log-probability", Edits: p.In(in).Method(operand, ".detach()")}
	}
	f.Related = stored(p, old)
	p.Report(f)
}

// takenAt is the expression that takes the old log-probability: what the subtraction takes off, or the argument that
// a caller hands in for it where it is the new one on some branch: to the function there is nothing wrong with either.
func takenAt(p *pass.Pass, sub, old query.Seen) (ast.Expr, *infer.Frame) {
	n, ok := sub.Node.(*ast.BinOp)
	if !ok {
		return p.Operand(sub.Val, old.Val), sub.Frame
	}
	left, right := sub.Of(sub.Frame.Val(n.X)), sub.Of(sub.Frame.Val(n.Y))
	if b := right.Strip(); b.Known() && b.Op == infer.OpPhi && itself(query.Term{Seen: left}, query.Term{Seen: right}).Known() {
		if arg, in := p.Argument(sub.Frame, n.Y); arg != nil && p.In(in) != nil {
			return arg, in
		}
		return n.Y, sub.Frame
	}
	return p.Operand(sub.Val, old.Val), sub.Frame
}

// stored points to where a rollout keeps the log-probability together with its graph.
func stored(p *pass.Pass, old query.Seen) (out []pass.Related) {
	for _, s := range p.Roles.SlotsOf(old.Val) {
		if !s.Kind().Is(domain.LogProb) || !s.Collected() || s.NoGrad() {
			continue
		}
		for _, w := range s.Writes {
			if !w.NoGrad {
				out = append(out, p.There(w.At, "it is stored with its graph here")...)
			}
		}
	}
	return out
}
