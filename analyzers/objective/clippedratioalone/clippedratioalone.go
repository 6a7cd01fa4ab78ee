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
		if others := query.FactorsOf(p.See(w.At)).List; slices.ContainsFunc(others, func(f query.Seen) bool { return f.Is(domain.LogProb) || !f.Same(w.Weight) && isTrained(f) }) {
			continue
		}
		if w.At.Node != nil && !w.At.NoGrad && p.Roles.Differentiates(w.At) && isAlone(p, w.At, 8) {
			f := pass.At(w.At, c.X.Val)
			f.Evidence = domain.Derived
			p.Report(f)
		}
	}
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
// else, nor weighs a log-probability with it.
func isAlone(p *pass.Pass, v *infer.Val, depth int) bool {
	for _, u := range p.UsesOf(v) {
		switch {
		case u.IsOp("minimum", "maximum", "min", "max", "fmin", "fmax", "where", "stack", "select", infer.OpPhi) || query.IsContainer(u):
			if len(u.In) != 2 || u.In[0] != u.In[1] {
				return false
			}
		case u.IsOp("mul") && slices.ContainsFunc(u.In, func(x *infer.Val) bool { return x.Is(domain.LogProb) }):
			return false
		}
		if follows := u.IsOp("neg", "mul", "mean", "sum", "add", "sub", "div", "maximum", "minimum", infer.OpCall) || infer.Through(u) == v; follows && (depth == 0 || !isAlone(p, u, depth-1)) {
			return false
		}
	}
	return true
}
