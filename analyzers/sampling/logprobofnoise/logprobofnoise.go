// Package logprobofnoise is rule DIST027, logprob-of-noise; rule.md says what it finds.
package logprobofnoise

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

// Analyzer reports log-densities of the noise in place of those of the action that is made of it.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made("log_prob") {
		s := p.See(v)
		if len(v.In) < 2 || v.In[0] == nil || v.Node == nil || !isFixed(v.In[0]) {
			continue
		}
		draw := s.Input(1).Strip()
		if !draw.Known() || !draw.IsOp("sample", "rsample", "randn_like", "randn", "normal") {
			continue
		}
		if scale := scaleOf(p, draw.Val, 4); scale != nil && !corrected(p, v, scale, 8) && p.Roles.FateOf(v).Matters() {
			f := pass.At(v, draw.Val)
			f.Evidence = domain.Derived
			f.Related = p.Here(scale, "the policy's scale multiplies the noise")
			p.Report(f)
		}
	}
}

// isFixed reports whether a normal distribution is made of nothing that a network yields, but perhaps its shape.
func isFixed(d *infer.Val) bool {
	if !d.IsOp("Normal") || d.Q.Grad == domain.Attached {
		return false
	}
	fixed := func(x *infer.Val) bool {
		ok := x != nil
		infer.Walk(x, 20, func(v *infer.Val) bool {
			switch {
			case v.IsOp("zeros_like", "ones_like", "zeros", "ones", "full_like", "full", "new_zeros", "new_ones"):
				return false
			case v.Const == nil && len(v.In) == 0, v.Q.Grad == domain.Attached:
				ok = false
			}
			return ok
		})
		return ok
	}
	return fixed(d.Arg("loc")) && fixed(d.Arg("scale"))
}

// scaleOf is what a network yields and the noise is multiplied with, or nil.
func scaleOf(p *pass.Pass, noise *infer.Val, depth int) *infer.Val {
	for _, u := range p.UsesOf(noise) {
		switch {
		case u.IsOp("mul") && len(u.In) > 1:
			for i, x := range u.In[:2] {
				if other := u.In[1-i]; x == noise && other != nil && other.Q.Grad == domain.Attached {
					return other
				}
			}
		case infer.Through(u) == noise && depth > 0:
			if scale := scaleOf(p, u, depth-1); scale != nil {
				return scale
			}
		}
	}
	return nil
}

// corrected reports whether something made of the scale is added to the density, or subtracted, before it goes anywhere else; also where
// nobody knows where it goes.
func corrected(p *pass.Pass, v, scale *infer.Val, depth int) bool {
	root := infer.Strip(scale)
	for root.IsOp("exp", "clamp", "softplus") && len(root.In) > 0 && root.In[0] != nil {
		root = infer.Strip(root.In[0])
	}
	for _, u := range p.UsesOf(v) {
		switch {
		case u.IsOp("add", "sub") && slices.ContainsFunc(u.In, func(x *infer.Val) bool { return x != v && x != nil && isCorrection(x, root) }):
			return true
		case query.IsContainer(u) && slices.ContainsFunc(u.In, func(x *infer.Val) bool { return isBeside(x, v, root) }):
			return true
		case u.IsOp("sum", "mean", "add", "sub", "neg", infer.OpPhi, infer.OpCall) || infer.Through(u) == v || query.IsContainer(u):
			if depth == 0 || corrected(p, u, scale, depth-1) {
				return true
			}
		}
	}
	return false
}

// isBeside reports whether a value that goes the same way as a density is a correction for it: made of the scale, and not of the draw.
func isBeside(x, density, root *infer.Val) bool {
	return x != nil && x != density && isCorrection(x, root) && !infer.Within(x, 100, func(y *infer.Val) bool { return y.IsOp("sample", "rsample", "randn", "randn_like", "normal") })
}

// isCorrection reports whether what is added to a density is the logarithm of the scale, or was made of it.
func isCorrection(x, root *infer.Val) bool {
	return x.Is(domain.LogStd) || infer.SameSource(x, root) || infer.Reaches(root, x, 100) && !isSquash(x)
}

// isSquash reports whether x is log(1 - tanh(u)^2), which corrects for the tanh and for nothing else.
func isSquash(x *infer.Val) bool {
	found := false
	infer.Walk(x, 30, func(v *infer.Val) bool {
		found = found || v.IsOp("tanh")
		return !found
	})
	return found
}
