// Package ratioofresampledaction is rule OFF020, ratio-of-resampled-action; rule.md says what it finds.
package ratioofresampledaction

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

// Analyzer reports importance ratios of which one side is of the action in the batch and the other of one that was
// drawn for the update.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
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
			if drawnHere(fresh) && isKept(p, terms[1].Unreduced(), fresh) {
				p.Report(pass.Finding{At: fresh.Node, Frame: fresh.Frame, Evidence: domain.Derived})
			}
		}
	}
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
