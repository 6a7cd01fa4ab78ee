// Package duelingmeanall is rule VAL020, dueling-mean-all; rule.md says what it finds.
package duelingmeanall

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports dueling networks that centre the advantages of the whole batch.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, mean := range p.Made("mean") {
		if len(mean.In) == 0 || mean.In[0] == nil || !overBatch(mean) || knowsAxes(mean) {
			continue
		}
		x := mean.In[0]
		if out := query.LayerOutput(x); out == nil || hasOneFeature(x) {
			continue
		}
		if sum := dueling(p, mean, mean, x, 4); sum != nil {
			f := pass.At(mean, x)
			f.Evidence = domain.Derived
			f.Related = p.Here(sum, "the mean of the batch becomes a part of each Q-value here")
			p.Report(f)
		}
	}
}

// overBatch reports whether a mean is over all axes, or over the first one of several.
func overBatch(mean *infer.Val) bool {
	d := mean.Arg("dim")
	if d == nil || d.IsNone() {
		return true
	}
	n, ok := d.Int()
	return ok && n == 0
}

// knowsAxes reports whether a mean is taken under a condition on the number of axes: over the first one, where that is the only one.
func knowsAxes(mean *infer.Val) bool {
	for g := mean.Guard; g != nil; g = g.Parent {
		if infer.Within(g.Cond, 10, func(v *infer.Val) bool { return v.IsOp("dim", "ndimension", "ndim", "shape") }) {
			return true
		}
	}
	return false
}

func hasOneFeature(v *infer.Val) bool {
	last, ok := v.Q.Shape.Dim(-1)
	return ok && last.N == 1
}

// dueling returns the sum V + A - mean that v, with the mean, is a part of; nil where there is none.
func dueling(p *pass.Pass, v, mean, x *infer.Val, depth int) *infer.Val {
	if depth == 0 {
		return nil
	}
	for _, u := range p.UsesOf(v) {
		if !u.IsOp("add", "sub") {
			continue
		}
		if isDueling(p, u, mean, x) {
			return u
		}
		if sum := dueling(p, u, mean, x, depth-1); sum != nil {
			return sum
		}
	}
	return nil
}

// isDueling reports whether a sum has the output x of a layer, less the mean, and the output of a layer of one unit.
func isDueling(p *pass.Pass, sum, mean, x *infer.Val) bool {
	value, own, less := false, false, false
	for _, t := range query.TermsOf(p.See(sum), 1) {
		switch {
		case t.Sign < 0 && t.Val == mean:
			less = true
		case t.Sign > 0 && infer.SameSource(t.Val, x):
			own = true
		case t.Sign > 0 && hasOneFeature(t.Val) && query.LayerOutput(t.Val) != nil:
			value = true
		}
	}
	return value && own && less
}
