// Package onpolicyassumed is rule OBJ024, on-policy-assumed; rule.md says what it
// finds.
package onpolicyassumed

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

// Analyzer reports policy gradients without an importance ratio that take several steps
// on one rollout.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.Roles.Losses() {
		if l.Backward.Known() {
			check(p, l)
		}
	}
}

// check checks one path of the program to a backward().
func check(p *pass.Pass, l roles.Loss) {
	for _, t := range l.Terms {
		g, ok := gradientOf(p, t)
		if !ok || !weighted(p, g) || !g.toItself && offPolicy(l.Value) {
			continue
		}
		if loop, ok := repeated(p, l, g); ok {
			report(p, g, loop)
		}
	}
}

// gradient is a policy gradient; toItself says that it is written with a ratio of the policy to itself.
type gradient struct {
	roles.PolicyGradient
	toItself bool
}

func gradientOf(p *pass.Pass, t roles.Term) (gradient, bool) {
	if g, ok := t.PolicyGradient(); ok {
		return gradient{PolicyGradient: g}, true
	}
	return toItself(p, t.Surrogate)
}

// toItself reads a clipped objective as the policy gradient that it is where its ratio compares the policy with itself:
// exp(logp - logp.detach()) is 1, whatever the policy that acted would say, and so is the ratio to log-probabilities that the
// same round of the loop computed without gradients.
func toItself(p *pass.Pass, s *roles.Surrogate) (gradient, bool) {
	if s == nil {
		return gradient{}, false
	}
	d := s.Ratio.Exponent().Strip()
	logp, ok := fromItself(d)
	if !ok {
		logp, ok = fromSameRound(p, d)
	}
	return gradient{roles.PolicyGradient{At: d, LogProb: logp, Weights: s.Others}, true}, ok
}

// fromItself reads a log-ratio as that of the policy to itself, without its gradient: logp - logp.detach().
func fromItself(d query.Seen) (logp query.Seen, ok bool) {
	if !d.Known() || !d.IsOp("sub") {
		return query.Seen{}, false
	}
	now, then := d.Input(0), d.Input(1).Cut()
	return now, then.Known() && !now.Cut().Known() && then.Input(0).Val == now.Val // not the same expression, which an earlier policy may have evaluated
}

// fromSameRound reads a log-ratio as one to log-probabilities that the policy in training computed without gradients in the very round of the
// loop in which it computes the others: no step lies between.
func fromSameRound(p *pass.Pass, d query.Seen) (logp query.Seen, ok bool) {
	if !d.Known() || !d.IsOp("sub") {
		return query.Seen{}, false
	}
	now, then := d.Input(0), d.Input(1)
	if !then.Known() || now.Q.Grad != domain.Attached || then.Q.Grad != domain.Detached {
		return query.Seen{}, false
	}
	a, b := scoredAt(now), scoredAt(then)
	if !a.Known() || !b.Known() || a.Val == b.Val || !b.NoGrad || !madeInRound(d) || infer.Exclusive(a.Val, b.Val) {
		return query.Seen{}, false
	}
	same := false
	for _, n := range p.Roles.Networks {
		if p.Roles.IsLayer(n) || !p.Roles.Uses(b.Val, n) {
			continue
		}
		if !p.Roles.Learns(n) || !p.Roles.Uses(a.Val, n) {
			return query.Seen{}, false
		}
		same = true
	}
	return now, same
}

// madeInRound reports whether the innermost loop around a difference computes both of its sides anew in each round.
func madeInRound(d query.Seen) bool {
	diff, ok := d.Node.(*ast.BinOp)
	loops := query.Around(query.PlaceOf(d.Val))
	if !ok || len(loops) == 0 {
		return false
	}
	made := map[string]ast.Expr{}
	query.Targets([]ast.Stmt{loops[len(loops)-1].Stmt}, func(t ast.Expr, by ast.Stmt) {
		if name, ok := t.(*ast.Name); ok {
			made[name.Ident] = query.AssignedTo(t, by)
		}
	})
	return isMade(diff.X, made, 4) && isMade(diff.Y, made, 4)
}

// isMade reports whether an expression is a name that a loop binds, or rows of one: rows of what was there before are not made in the round.
func isMade(e ast.Expr, made map[string]ast.Expr, depth int) bool {
	for range 4 {
		switch x := e.(type) {
		case *ast.Subscript:
			e = x.X
			continue
		case *ast.Call: // x.detach()
			if at, ok := x.Fun.(*ast.Attribute); ok && len(x.Args) == 0 {
				e = at.X
				continue
			}
		}
		break
	}
	name, ok := e.(*ast.Name)
	if !ok {
		return false
	}
	value, bound := made[name.Ident]
	if _, taken := value.(*ast.Subscript); bound && taken && depth > 0 {
		return isMade(value, made, depth-1)
	}
	return bound
}

// scoredAt is where the log-probability is computed whose rows s holds.
func scoredAt(s query.Seen) query.Seen {
	for range 6 {
		s = s.Unreduced()
		if !s.Known() || !s.IsOp(infer.OpItem) {
			break
		}
		s = s.Input(0)
	}
	return s
}

// weighted reports whether a weight says how good the action was: masks choose tokens,
// and exponentials (AWR) and probabilities are weights of other methods.
func weighted(p *pass.Pass, g gradient) bool {
	good := false
	for _, w := range g.Weights {
		switch _, scales := query.WeightOf(w); {
		case scales, roles.IsSettingOf(w.Strip().Val):
		case w.Q.Grad == domain.Attached || w.Strip().IsOp("where", "clamp", "pow") || exponential(p, w):
			return false
		default:
			good = true
		}
	}
	return good
}

// exponential reports whether an exponential or a distribution went into a weight, or may have: what a function made of
// the advantage of which nothing is known.
func exponential(p *pass.Pass, w query.Seen) bool {
	found := false
	infer.Walk(w.Val, 60, func(v *infer.Val) bool {
		found = found || v.IsOp("exp", "softmax") || v.Is(domain.Ratio|domain.Prob|domain.LogRatio) || p.IsOpaque(v) && slices.ContainsFunc(v.In, isGain)
		return !found && !v.IsOp("sample", "generate", "log_prob", "multinomial")
	})
	return found
}

// isGain reports whether a value says how good actions were: an advantage, or a difference from a baseline.
func isGain(v *infer.Val) bool {
	return v.Is(domain.Advantage|domain.Return) || v != nil && v.IsOp("sub")
}

// reach bounds the walk back through a loss.
const reach = 4000

// offPolicy reports whether the loss compares the policy with another: a ratio, a
// log-ratio, a divergence.
func offPolicy(loss query.Seen) bool {
	found := false
	infer.Walk(loss.Val, reach, func(v *infer.Val) bool {
		found = found || v.Is(domain.Ratio|domain.LogRatio|domain.KL) || v.IsOp("kl_divergence", "kl_div", "mse_loss") && v.Is(domain.KL)
		return !found
	})
	return found
}

func report(p *pass.Pass, g gradient, l query.Loop) {
	f := pass.At(g.At.Val, g.LogProb.Val)
	if g.toItself {
		f.Message = "importance ratio of the policy to itself"
		f.Why = "it is always 1, so nothing keeps the later steps on a rollout near the policy that acted"
		f.Help = "keep the log-probs of the rollout, as they were before the first step, and divide by them"
	}
	f.Related = append(f.Related, p.There(l.Header(), "this loop uses the same rollout several times")...)
	p.Report(f)
}
