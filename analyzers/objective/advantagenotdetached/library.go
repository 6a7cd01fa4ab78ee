package advantagenotdetached

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// ofLibraries reports the same in functions that a library offers: they are given what the networks yielded, and return the losses. No
// gradient is known there, but one function says enough: what it fits to returns has a gradient, or fitting it would do nothing, and
// the same value weighs the log-probabilities.
func ofLibraries(p *pass.Pass) {
	for _, v := range p.Ops("torch.mul") {
		if f := v.Frame; f == nil || !f.Entry || f.Func == nil || v.NoGrad || f.Val(v.Node) != v || slices.ContainsFunc(p.UsesOf(v), func(u *infer.Val) bool { return u.IsOp("mul") }) {
			continue
		}
		g, ok := roles.PolicyGradientOf(p.See(v))
		if !ok {
			continue
		}
		for _, w := range g.Weights {
			if w.Q.Grad == domain.GradUnknown && fittedBeside(p, w) {
				f := pass.At(product(p, w, roles.Term{Seen: g.At}).Val, w.Val)
				f.Evidence = domain.Derived
				p.Report(f)
			}
		}
	}
}

// errors are the operations that a squared error may be.
var errors = []string{"torch.nn.functional.mse_loss", "torch.nn.functional.smooth_l1_loss", "torch.pow", "torch.mul"}

// fittedBeside reports whether the same function takes a squared error of what is a part of a weight. Of the two that an error is taken
// of, the target may weigh: so the part is subtracted as a baseline, or picked by the action, and the other one is not detached instead.
func fittedBeside(p *pass.Pass, w query.Seen) bool {
	parts := query.TermsOf(w.Unstandardised(), 1)
	detached := func(t query.Term) bool {
		return slices.ContainsFunc(parts, func(q query.Term) bool { return q.Cut().Known() && q.Strip().Val == t.Strip().Val })
	}
	for _, part := range parts {
		if part.Cut().Known() || part.Q.Grad != domain.GradUnknown || part.Sign > 0 && !part.Strip().IsOp("gather", "take_along_dim") {
			continue
		}
		for _, name := range errors {
			for _, u := range p.Ops(name) {
				if u.Frame != w.Frame {
					continue
				}
				for _, e := range query.ErrorsOf(p.See(u)) {
					terms := query.TermsOf(e, 1)
					if slices.ContainsFunc(terms, func(t query.Term) bool { return !t.Cut().Known() && t.Strip().Val == part.Strip().Val }) && !slices.ContainsFunc(terms, detached) {
						return true
					}
				}
			}
		}
	}
	return false
}
