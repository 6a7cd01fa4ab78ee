// Package samplenotrsample is rule DIST007, sample-not-rsample; rule.md says what it
// finds.
package samplenotrsample

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports actor losses in which no gradient flows through the action.
var Analyzer = pass.Rule(Doc, run)

// An actor loss of maximum-entropy RL is alpha * log pi(a|s) - Q(s, a): a sum that is
// minimised, with the log-probability of an action on one side and a critic's value
// of the same action, subtracted, on the other. The critic's own targets have the
// signs the other way round, and losses of critics are no sums of their outputs.

func run(p *pass.Pass) {
	for _, l := range p.Roles.Backwards {
		terms := p.Roles.LossTerms(p.See(l.Loss))
		for _, value := range terms {
			if value.Sign >= 0 || value.Q.Grad == domain.Detached {
				continue
			}
			for _, draw := range actions(value.Val) {
				if log := logProbOf(terms, draw); log != nil && improves(p, l, log) {
					p.Report(finding(p, draw, log, value.Val, l))
				}
			}
		}
	}
}

// improves reports whether the optimizer that steps by a loss may train the policy whose density is in it. The loss of a critic may hold the
// same terms, as a soft value that is kept small does.
func improves(p *pass.Pass, l *roles.Backward, log *infer.Val) bool {
	stepped := p.Roles.SteppedNext(roles.Loss{Backward: p.See(l.Call)})
	policies := p.Roles.Reached(log)
	return len(stepped) == 0 || len(policies) == 0 || slices.ContainsFunc(policies, func(n *roles.Network) bool { return p.Roles.OverlapsAny(n, stepped) })
}

// linear are operations through which a term is still the log-probability, or a sum
// with it.
var linear = []string{"add", "sub", "neg", "sum", "mean", infer.OpCall, infer.OpPhi, infer.OpItem, infer.OpNarrow}

// logProbOf returns the term that is the log-probability of the drawn action, with a
// gradient and on the other side of the loss.
func logProbOf(terms []roles.Term, draw *infer.Val) *infer.Val {
	for _, t := range terms {
		if t.Sign < 0 || t.Q.Grad == domain.Detached {
			continue
		}
		for _, f := range query.FactorsOf(t.Seen).List {
			if found := logProbIn(f.Val, draw); found != nil {
				return found
			}
		}
	}
	return nil
}

func logProbIn(factor, draw *infer.Val) *infer.Val {
	var found *infer.Val
	infer.Walk(factor, 100, func(v *infer.Val) bool {
		if v.IsOp("log_prob") && len(v.In) > 1 && v.In[0] == draw.In[0] && infer.Reaches(draw, v.In[1], 100) {
			found = v
		}
		return found == nil && (v.IsOp(linear...) || infer.Through(v) != nil && !v.IsOp("detach"))
	})
	return found
}

func finding(p *pass.Pass, draw, log, value *infer.Val, l *roles.Backward) pass.Finding {
	f := pass.At(draw, draw.In[0])
	f.Evidence = domain.Derived
	f.Related = slices.Concat(p.Here(value, "the critic's value of the action is maximised here"), p.Here(l.Call, "the gradient is computed here"))
	if call, ok := draw.Node.(*ast.Call); ok {
		if at, ok := call.Fun.(*ast.Attribute); ok && at.Attr == "sample" {
			f.Fix = &pass.Fix{Message: "Draw with `rsample()`", Edits: []pass.Edit{{Span: at.AttrLoc, New: "rsample"}}}
		}
	}
	return f
}
