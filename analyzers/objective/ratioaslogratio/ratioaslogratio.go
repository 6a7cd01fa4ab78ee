// Package ratioaslogratio is rule OBJ019, ratio-as-log-ratio; rule.md says what it finds.
package ratioaslogratio

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

// Analyzer reports means of minus an importance ratio, which are meant to estimate a KL.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	var ratios []query.Seen // of which an objective is made
	for _, use := range p.Roles.RatioUses() {
		ratios = append(ratios, use.Ratio.Roots()...)
	}
	if len(ratios) == 0 {
		return
	}
	for _, v := range p.Made("neg", "mul") {
		product := query.FactorsOf(p.See(v))
		if !product.Negated || len(product.List) != 1 || v.Node == nil {
			continue
		}
		x, averaged := averageOf(product.List[0])
		if !isRatio(x) || !slices.ContainsFunc(ratios, x.Same) || p.Roles.Differentiates(v) {
			continue
		}
		if only, reduced := isAverage(p, v, averaged, 8); only && reduced {
			f := pass.At(v, x.Val)
			f.Evidence = domain.Derived
			p.Report(f)
		}
	}
}

// isRatio reports whether a value is the exponential of a difference.
func isRatio(x query.Seen) bool {
	return x.Known() && x.Exponent().IsLogRatio()
}

// averageOf returns what a mean, also one under a mask, is taken of.
func averageOf(s query.Seen) (x query.Seen, averaged bool) {
	x = s.Strip()
	for range 8 {
		switch {
		case x.Known() && x.IsOp("mean", "sum") && len(x.In) > 0:
			x, averaged = x.Input(0).Strip(), true
		case x.Known() && x.IsOp("div") && len(x.In) > 0:
			x = x.Input(0).Strip()
		case x.Known() && x.IsOp("mul"):
			weighed, _, _, ok := query.FactorsOf(x).Weighed()
			if !ok {
				return x, averaged
			}
			x = weighed.Strip()
		default:
			return x, averaged
		}
	}
	return x, averaged
}

// isAverage reports whether nothing is made of v but means of it, and whether one is. What is made of a mean is a matter of
// its own, unless it is multiplied: an advantage may come that late.
func isAverage(p *pass.Pass, v *infer.Val, averaged bool, depth int) (only, reduced bool) {
	only, reduced = true, averaged
	for _, u := range p.UsesOf(v) {
		mean := averaged
		switch {
		case u.IsOp("mean", "sum") && len(u.In) > 0 && u.In[0] == v:
			mean = true
		case u.IsOp("mul"):
			if _, _, _, ok := query.FactorsOf(p.See(u)).Weighed(); !ok {
				return false, false
			}
		case u.IsOp("div") && len(u.In) > 0 && u.In[0] == v, u.Op == infer.OpCall, u.Op == infer.OpPhi, infer.Through(u) == v:
		case averaged:
			continue
		default:
			return false, false
		}
		if depth == 0 {
			return false, false
		}
		o, r := isAverage(p, u, mean, depth-1)
		only, reduced = only && o, reduced || r
	}
	return only, reduced
}
