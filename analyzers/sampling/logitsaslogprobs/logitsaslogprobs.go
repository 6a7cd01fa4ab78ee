// Package logitsaslogprobs is rule DIST060, logits-as-log-probs; rule.md says what it finds.
package logitsaslogprobs

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports entropies and divergences in which logits stand for log-probabilities.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Ops("torch.mul") {
		if len(v.In) < 2 || v.Node == nil {
			continue
		}
		s := p.See(v)
		for i := range 2 {
			logits := softened(s.Input(i))
			if !logits.Known() || logits.Is(domain.LogProb) {
				continue
			}
			x, apart := minuend(s.Input(1 - i))
			if !same(x, logits) || !isPolicy(p, logits) || !apart && !negated(p, v) || apart && !isOther(s.Input(1-i)) || isNormalised(p, logits) {
				continue
			}
			f := pass.At(v)
			f.Evidence = domain.Derived
			if apart {
				f.Message = "logits stand for log-probabilities in this divergence"
			}
			f.Related = p.Here(logits.Val, "these are not normalised")
			p.Report(f)
		}
	}
}

// softened is what a softmax is taken of that yields s, also where the result is kept for the next time; no value for
// anything else.
func softened(s query.Seen) (of query.Seen) {
	for root := range s.EachRoot {
		x := root.Strip()
		switch {
		case x.IsOp("softmax") && len(x.In) > 0 && !of.Known():
			of = x.Input(0)
		case !x.Known() || x.IsNone() || strings.HasPrefix(x.Op, infer.OpAttr+"."):
		default:
			return query.Seen{}
		}
	}
	return of
}

// minuend is x of x - y, and whether s is such a difference; s itself where it is none.
func minuend(s query.Seen) (x query.Seen, apart bool) {
	x = s.Strip()
	if x.IsOp("sub") && len(x.In) > 1 {
		return x.Input(0), true
	}
	return s, false
}

// isOther reports whether a difference is one of the scores of two policies: the mean of values, or the largest, is no policy's.
func isOther(difference query.Seen) bool {
	y := difference.Strip().Input(1).Strip()
	return y.Known() && !y.IsOp("sum", "mean", "max", "amax", "logsumexp", "matmul")
}

// isNormalised reports whether the program takes the logsumexp of the logits, which a formula with logits needs.
func isNormalised(p *pass.Pass, logits query.Seen) bool {
	return slices.ContainsFunc(p.Made("logsumexp"), func(v *infer.Val) bool { return len(v.In) > 0 && v.In[0] != nil && same(p.See(v.In[0]), logits) })
}

// same reports whether two values are one, or one field of an object.
func same(a, b query.Seen) bool {
	a, b = a.Strip(), b.Strip()
	return a.Known() && (a.Same(b) || strings.HasPrefix(a.Op, infer.OpAttr+".") && a.Op == b.Op && len(a.In) > 0 && len(b.In) > 0 && infer.SameSource(a.In[0], b.In[0]))
}

// isPolicy reports whether the program normalises the logits elsewhere, or draws actions by them.
func isPolicy(p *pass.Pass, logits query.Seen) bool {
	takes := func(v *infer.Val, x *infer.Val) bool { return x != nil && same(p.See(x), logits) }
	for _, v := range p.Made("log_softmax", "cross_entropy") {
		if len(v.In) > 0 && takes(v, v.In[0]) {
			return true
		}
	}
	for _, v := range p.OfKind(domain.Distribution) {
		if takes(v, v.Arg("logits")) {
			return true
		}
	}
	for _, v := range p.Made("multinomial") {
		if len(v.In) > 0 {
			if of := softened(p.See(v.In[0])); of.Known() && same(of, logits) {
				return true
			}
		}
	}
	return false
}

// negated reports whether a product is summed and taken with a minus: an entropy.
func negated(p *pass.Pass, v *infer.Val) bool { return negatedWithin(p, v, 5) }

func negatedWithin(p *pass.Pass, v *infer.Val, depth int) bool {
	return slices.ContainsFunc(p.UsesOf(v), func(u *infer.Val) bool {
		switch {
		case u.IsOp("neg"):
			return true
		case u.IsOp("mul") && len(u.In) > 1:
			c, ok := p.See(u.In[0]).Float()
			d, ok2 := p.See(u.In[1]).Float()
			return ok && c < 0 || ok2 && d < 0
		}
		passes := u.IsOp("sum", "mean", infer.OpPhi) || infer.Through(u) == v
		return passes && depth > 0 && negatedWithin(p, u, depth-1)
	})
}
