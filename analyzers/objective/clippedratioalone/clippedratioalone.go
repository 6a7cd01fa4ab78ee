// Package clippedratioalone is rule OBJ006, clipped-ratio-alone; rule.md says what it finds.
package clippedratioalone

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports objectives of which all gradient goes through a clipped ratio.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, w := range p.Roles.WeightedAdvantages() {
		c, ok := query.ClipOf(w.Weight)
		if !ok || !isTight(c) || !isTrained(c.X) || w.Weight.Cut().Known() || w.Weight.Q.Grad != domain.Attached || w.Advantage.Q.Grad == domain.Attached {
			continue
		}
		apart := func(f query.Seen) bool { return f.Is(domain.LogProb) || compares(f, c.X, w.Advantage) }
		if slices.ContainsFunc(query.FactorsOf(p.See(w.At)).List, func(f query.Seen) bool { return apart(f) || !f.Same(w.Weight) && isTrained(f) }) {
			continue
		}
		if w.At.Node != nil && !w.At.NoGrad && p.Roles.Differentiates(w.At) && isAlone(p, w.At, apart, 8) {
			f := pass.At(w.At, c.X.Val)
			f.Evidence = domain.Derived
			p.Report(f)
		}
	}
}

// compares reports whether a factor compares one of some values: it keeps those actions for which the unclipped side is idle.
func compares(f query.Seen, of ...query.Seen) bool {
	return f.Known() && infer.Within(f.Val, 8, func(v *infer.Val) bool {
		return v.IsOp("lt", "gt", "le", "ge") && slices.ContainsFunc(v.In, func(x *infer.Val) bool {
			return x != nil && slices.ContainsFunc(of, f.Of(x).Same)
		})
	})
}

// isTight reports whether a bound lies so close above 1 that ratios reach it in training. A wider one only keeps them finite.
func isTight(c query.Clip) bool {
	hi, known := c.Hi.Float()
	return c.AroundOne() && c.Hi.Known() && (!known || hi < 2)
}

// isTrained reports whether a value is a ratio through which the gradient of a policy flows.
func isTrained(x query.Seen) bool {
	return x.Q.Grad == domain.Attached && (x.Is(domain.Ratio) && x.Q.Evidence != domain.NameOnly || x.Exponent().Difference().Known())
}

// isAlone reports whether the product is minimised as it stands: nothing that is made of it takes the smaller or larger of it and something
// else, nor weighs with it what is apart: a log-probability, or a choice of actions.
func isAlone(p *pass.Pass, v *infer.Val, apart func(query.Seen) bool, depth int) bool {
	for _, u := range p.UsesOf(v) {
		switch {
		case u.IsOp("minimum", "maximum", "min", "max", "fmin", "fmax", "where", "stack", "select", infer.OpPhi) || query.IsContainer(u):
			if len(u.In) != 2 || u.In[0] != u.In[1] {
				return false
			}
		case u.IsOp("mul") && slices.ContainsFunc(u.In, func(x *infer.Val) bool { return x != v && apart(p.See(u).Of(x)) }):
			return false
		}
		if follows := u.IsOp("neg", "mul", "mean", "sum", "add", "sub", "div", "maximum", "minimum", infer.OpCall) || infer.Through(u) == v; follows && (depth == 0 || !isAlone(p, u, apart, depth-1)) {
			return false
		}
	}
	return true
}
