// Package missingnegation is rule OBJ003, missing-negation; rule.md says what it finds.
package missingnegation

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

// Analyzer reports losses that fall as good actions become less likely.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Roles.Maximises() {
		return
	}
	losses := p.Roles.Losses()
	var asked []roles.Loss
	for _, l := range losses {
		if !handsOn(p, l) {
			asked = append(asked, l)
		}
	}
	for _, l := range asked {
		for _, t := range l.Terms {
			// Where another part of the loss makes actions likelier, this one may be a cost, or the other side of a game.
			if gain(p, t) > 0 && !slices.ContainsFunc(l.Terms, func(o roles.Term) bool { return apart(t, o) && gain(p, o) < 0 }) && !opposed(p, t, losses) {
				report(p, t)
			}
		}
	}
}

// opposed reports whether another loss of the program gains by what t would lose: two players of a game in which one gets what the other pays.
func opposed(p *pass.Pass, t roles.Term, losses []roles.Loss) bool {
	g, ok := t.PolicyGradient()
	return ok && slices.ContainsFunc(losses, func(l roles.Loss) bool {
		return slices.ContainsFunc(l.Terms, func(o roles.Term) bool {
			other, ok := o.PolicyGradient()
			return ok && gain(p, o) < 0 && !other.LogProb.Same(g.LogProb) && slices.ContainsFunc(g.Weights, func(w query.Seen) bool {
				return slices.ContainsFunc(other.Weights, w.Same)
			})
		})
	})
}

// handsOn reports whether the signs of gradients may turn before they reach the parameters: the pass starts from a gradient that the program
// hands in, or the function that starts it takes the gradients out as vectors, negates them, or adds them to the parameters itself.
func handsOn(p *pass.Pass, l roles.Loss) bool {
	if !l.Backward.Known() {
		return false
	}
	return seeded(l) || slices.ContainsFunc(p.Made("grad"), func(g *infer.Val) bool {
		return (g.Frame == l.Backward.Frame || len(p.Roles.Optimizers) == 0) && slices.ContainsFunc(p.UsesOf(g), func(u *infer.Val) bool {
			return u.IsOp("view", "reshape", "flatten", "clone") || turns(p, g, u) || u.IsOp("mul") && slices.ContainsFunc(p.UsesOf(u), func(w *infer.Val) bool { return turns(p, u, w) })
		})
	})
}

// turns reports whether u is the negative of a gradient, or something to which it is added.
func turns(p *pass.Pass, g, u *infer.Val) bool {
	if u.IsOp("neg", "neg_") {
		return true
	}
	if len(u.In) < 2 || u.In[1] == nil {
		return false
	}
	x, ok := p.See(u).Input(1).Float()
	return u.IsOp("mul", "mul_") && ok && x < 0 || u.IsOp("add", "add_") && u.In[0] != g && u.In[1] == g
}

// seeded reports whether a backward pass starts from a gradient that the program hands in, not from 1.
func seeded(l roles.Loss) bool {
	call, ok := l.Backward.Node.(*ast.Call)
	if !ok || len(call.Args) == 0 && !query.HasKeyword(l.Backward.Val, "gradient") {
		return false
	}
	method, ok := call.Fun.(*ast.Attribute)
	return ok && l.Backward.Of(l.Backward.Frame.Val(method.X)).Same(l.Value)
}

// apart reports whether two terms are added up: those of two branches stand at one place of a sum.
func apart(a, b roles.Term) bool { return a.Sum.Val != b.Sum.Val || a.Part.Val != b.Part.Val }

// gain is the sign with which a loss counts what a policy gains by its actions; 0 where that is not known.
func gain(p *pass.Pass, t roles.Term) int {
	if s := t.Surrogate; s != nil {
		switch {
		case len(s.Others) == 0 || !s.AroundOne() && !isRatio(s.Ratio):
			return 0
		case s.Negated:
			return -t.Meant
		case s.Max && t.Meant > 0 && !earned(p, s):
			return 0 // the larger of two costs, as of a constraint
		}
		return t.Meant
	}
	if t.Kind != roles.PolicyTerm {
		return 0
	}
	return gradient(p, t)
}

// earned reports whether an objective weighs by what an environment paid, so that it is no cost.
func earned(p *pass.Pass, s *roles.Surrogate) bool {
	return slices.ContainsFunc(s.Others, func(w query.Seen) bool { return p.Earned(w.Unstandardised().Val) })
}

// isRatio reports whether a value was computed as a ratio, whatever it is clipped to: what is clipped and weighed is one, where it is
// the exponential of a difference.
func isRatio(s query.Seen) bool {
	return s.Is(domain.Ratio) && s.Q.Evidence != domain.NameOnly || query.All(s.Roots(), func(r query.Seen) bool { return r.Exponent().Difference().Known() })
}

// gradient is the gain of a policy gradient without a clip.
func gradient(p *pass.Pass, t roles.Term) int {
	g, ok := t.PolicyGradient()
	if !ok || g.LogProb.Q.Grad == domain.Detached || g.LogProb.IsNegativeByName() {
		return 0
	}
	sign, scores := t.Meant, 0
	weights := query.Factors{List: g.Weights, Negated: query.FactorsOf(t.Seen).Negated}.Unsigned() // -(target - value) * logp
	if weights.Negated {
		sign = -sign
	}
	if !g.LogProb.Is(domain.LogProb) { // a cross entropy
		sign = -sign
	}
	for _, w := range weights.List {
		switch x, is := query.WeightOf(w); {
		case is:
			sign *= x.Meant
		case w.Is(domain.Ratio | domain.Prob):
		case good(p, w):
			scores++
		default:
			return 0
		}
	}
	if scores != 1 {
		return 0
	}
	return sign
}

// good reports whether a weight grows with how good an action was: by how it was computed, or by its name. A name may be a hint, since
// the log-probability beside it has one sign in a loss, whatever weighs it.
func good(p *pass.Pass, w query.Seen) bool {
	x := w.Unstandardised()
	return x.Is(domain.Advantage|domain.Return|domain.TDError) || x.Is(domain.Reward) && x.Q.Evidence <= domain.Used || p.Discounted(x.Val)
}

func report(p *pass.Pass, t roles.Term) {
	at := t.Added()
	if s := t.Surrogate; s != nil && s.Max && !s.Negated { // the products lost their signs, not their maximum
		t.Seen = s.At.Input(0).Strip()
	}
	if p.In(at.Frame) == nil || at.Node == nil {
		at = t.Val
	}
	if p.In(t.Frame) != nil && t.Node != nil {
		at = t.Val
	}
	if p.In(at.Frame) == nil || at.Node == nil {
		return
	}
	f := pass.At(at, t.Val)
	f.Evidence = domain.Derived
	p.Report(f)
}
