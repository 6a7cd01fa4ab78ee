// Package ratioofresampledaction is rule OFF020, ratio-of-resampled-action; rule.md says what it finds.
package ratioofresampledaction

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

// Analyzer reports importance ratios of which one side is of the action in the batch and the other of one that was
// drawn for the update, and log-probabilities of a draw that nothing else takes, beside the action.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	besideAction(p)
	for _, v := range p.Made("exp") {
		for _, s := range p.Paths(v) {
			x := s.Exponent()
			if !x.Known() {
				continue
			}
			terms := query.TermsOf(x, 1)
			if len(terms) != 2 || terms[0].Sign == terms[1].Sign {
				continue
			}
			if terms[0].Sign < 0 {
				terms[0], terms[1] = terms[1], terms[0]
			}
			fresh := terms[0].Unreduced()
			if drawnHere(fresh) && isKept(p, terms[1].Unreduced(), fresh) && !query.MayMiss(fresh.Frame) {
				p.Report(pass.Finding{At: fresh.Node, Frame: fresh.Frame, Evidence: domain.Derived})
			}
		}
	}
}

// besideAction reports log-probabilities of a draw of their own where another draw of the same distribution is the action.
func besideAction(p *pass.Pass) {
	for _, v := range p.Made("log_prob") {
		s := p.See(v)
		if !drawnHere(s) {
			continue
		}
		own := s.Input(1).Strip().Val
		if !onlyScored(p, own) || negated(p, v) {
			continue
		}
		for _, action := range p.UsesOf(s.Input(0).Val) {
			if action != own && action.IsOp("sample", "rsample") && action.Frame == own.Frame && acts(p, action) && p.Roles.FateOf(v).Matters() {
				p.Report(pass.Finding{
					At: v.Node, Frame: v.Frame, Evidence: domain.Derived,
					Message: "log-probability of another draw than the action",
					Why:     "each call of `sample()` draws anew, so the return of the action is credited to one that nobody took",
					Help:    "keep the draw in a variable, and ask for the log-probability of this one",
					Related: p.Here(action, "the action"),
				})
				break
			}
		}
	}
}

// onlyScored reports whether nothing but log_prob takes a draw.
func onlyScored(p *pass.Pass, draw *infer.Val) bool {
	uses := p.UsesOf(draw)
	return !slices.ContainsFunc(uses, func(u *infer.Val) bool { return !u.IsOp("log_prob") })
}

// negated reports whether the first that is made of a log-probability is its negative, an estimate of the entropy.
func negated(p *pass.Pass, v *infer.Val) bool {
	for _, u := range p.UsesOf(v) {
		if u.IsOp("neg") || u.IsOp("sum", "mean") && slices.ContainsFunc(p.UsesOf(u), func(w *infer.Val) bool { return w.IsOp("neg") }) {
			return true
		}
	}
	return false
}

// acts reports whether a draw is used, and its log-probability is asked for nowhere.
func acts(p *pass.Pass, draw *infer.Val) bool {
	uses := p.UsesOf(draw)
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(u *infer.Val) bool { return u.IsOp("log_prob") })
}

// drawnHere reports whether a value is the log-probability of an action that was drawn from the very distribution.
func drawnHere(s query.Seen) bool {
	if !s.Known() || !s.IsOp("log_prob") || len(s.In) < 2 || s.Node == nil {
		return false
	}
	action := s.Input(1).Strip()
	if !action.Known() || !action.IsOp("sample", "rsample") || len(action.In) == 0 || action.Guard != s.Guard {
		return false // drawn on a condition: an action that is passed is scored too
	}
	of, from := s.Input(0), action.Input(0)
	return of.Known() && from.Known() && (of.Val == from.Val || of.Ref != nil && of.Ref == from.Ref)
}

// isKept reports whether a value is read from a batch, or is what a rollout kept of another action.
func isKept(p *pass.Pass, s, fresh query.Seen) bool {
	if !s.Known() || s.Ref != nil {
		return false
	}
	if s.IsOp("log_prob") && len(s.In) > 1 {
		other := s.Input(1).Strip()
		return other.Known() && other.Val != fresh.Input(1).Strip().Val && s.Frame != fresh.Frame && s.Q.Grad == domain.Detached
	}
	if from, ok := s.IsGiven(); ok {
		return from != s.Val || s.Op == infer.OpIterate
	}
	return len(p.Roles.SlotsOf(s.Val)) > 0
}
