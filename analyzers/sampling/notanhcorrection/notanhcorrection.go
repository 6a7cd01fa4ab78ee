// Package notanhcorrection is rule DIST005, no-tanh-correction; rule.md says what it finds.
package notanhcorrection

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports entropies of the draw where the critic judges tanh of it, and corrections for the tanh that are not those of the draw.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	misplaced(p)
	for _, l := range p.Roles.Losses() {
		for _, t := range l.Terms {
			density := densityIn(t)
			if !density.Known() || t.Meant == 0 {
				continue
			}
			draw := density.Input(1).Strip()
			if squash := judged(l, t, draw.Val); squash != nil && !corrected(l, t, draw.Val) {
				report(p, density, squash)
			}
		}
	}
}

// densityIn is the log-density of a normal distribution at its own draw that a term consists of, weights aside; no value where it is
// something else.
func densityIn(t roles.Term) query.Seen {
	for _, f := range query.FactorsOf(t.Seen).List {
		s := f.Unreduced()
		if !s.Known() || !s.IsOp("log_prob") || len(s.In) < 2 || s.Q.Grad != domain.Attached {
			continue
		}
		d, draw := s.Input(0), s.Input(1).Strip()
		if d.Known() && d.IsOp("Normal", "Independent", "MultivariateNormal") && draw.Known() && draw.IsOp("rsample", "sample") && len(draw.In) > 0 && draw.Input(0).Val == d.Val {
			return s
		}
	}
	return query.Seen{}
}

// judged is the tanh of the draw that another term, with the other sign, hands to a network; nil where there is none.
func judged(l roles.Loss, density roles.Term, draw *infer.Val) (squash *infer.Val) {
	for _, t := range l.Terms {
		if t.Meant*density.Meant >= 0 || t.Is(domain.LogProb) {
			continue
		}
		infer.Walk(t.Val, 600, func(v *infer.Val) bool {
			if v.IsOp("tanh") && len(v.In) > 0 && infer.SameSource(v.In[0], draw) {
				squash = v
			}
			return squash == nil
		})
	}
	return squash
}

// corrected reports whether the loss holds a logarithm, or one of a sum of exponentials, of the draw.
func corrected(l roles.Loss, density roles.Term, draw *infer.Val) bool {
	for _, t := range l.Terms {
		if t.Val == density.Val {
			continue
		}
		found := false
		infer.Walk(t.Val, 60, func(v *infer.Val) bool {
			found = found || v.IsOp("log", "log1p", "logaddexp", "logsumexp", "softplus", "logsigmoid", "log_abs_det_jacobian") && infer.Reaches(draw, v, 100)
			return !found && !v.Is(domain.Module)
		})
		if found {
			return true
		}
	}
	return false
}

func report(p *pass.Pass, density query.Seen, squash *infer.Val) {
	if p.In(density.Frame) == nil || density.Node == nil {
		return
	}
	f := pass.At(density.Val, squash)
	f.Evidence = domain.Derived
	f.Related = p.Here(squash, "the critic judges this action")
	if density.Frame == squash.Frame {
		f.Called = pass.Called{"logp": p.Text(density.Val), "action": p.Text(squash)}
	}
	p.Report(f)
}
