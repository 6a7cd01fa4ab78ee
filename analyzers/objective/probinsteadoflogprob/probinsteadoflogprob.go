// Package probinsteadoflogprob is rule OBJ070, prob-instead-of-logprob; rule.md says what it finds.
package probinsteadoflogprob

import (
	_ "embed"
	"slices"

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

// Analyzer reports policy gradients of which the weight stands beside the probability of the action, and not its logarithm.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.Roles.Losses() {
		for _, t := range l.Terms {
			if prob := drawn(t); prob.Known() && t.Meant < 0 && p.In(t.Frame) != nil && t.Node != nil {
				f := pass.At(t.Val, prob.Val)
				f.Evidence = domain.Derived
				p.Report(f)
			}
		}
	}
}

// drawn is the probability of single actions that a return, a reward or an advantage multiplies, with nothing else that depends on
// the policy.
func drawn(t roles.Term) (prob query.Seen) {
	scored := false
	for _, f := range query.FactorsOf(t.Seen).List {
		switch {
		case f.Is(domain.Prob) && f.Q.Grad == domain.Attached && !prob.Known() && isPicked(f, 6):
			prob = f
		case f.Q.Grad == domain.Detached && isScore(f):
			scored = true
		case f.Is(domain.Mask), f.Const != nil:
		default:
			return query.Seen{}
		}
	}
	if !scored {
		return query.Seen{}
	}
	return prob
}

// isScore reports whether s says how good an action was; so does a difference of values of which nothing else is known.
func isScore(s query.Seen) bool {
	return s.Is(domain.Return|domain.Advantage|domain.Reward|domain.TDError) || !s.Q.Kind.Known() && s.Strip().IsOp("sub")
}

// isPicked reports whether s is what was taken at the index of an action out of the probabilities of all actions, perhaps for each of
// several steps. All of them, each with a value of its own, are an expectation.
func isPicked(s query.Seen, depth int) bool {
	v := s.Val
	switch {
	case v == nil || depth == 0:
		return false
	case v.IsOp("gather", "take_along_dim") && len(v.In) > 1:
		return true
	case v.Op == infer.OpItem && len(v.In) > 1: // before what hands numbers through: an index is an "item", too
		return v.In[1] != nil && v.In[1].Is(domain.Action|domain.Index) && v.In[0].Is(domain.Prob)
	case infer.Through(v) != nil:
		return isPicked(s.Of(infer.Through(v)), depth-1)
	case v.IsOp("stack", "cat", infer.OpPhi), query.IsContainer(v):
		flows := s.Flows()
		return len(flows) > 0 && !slices.ContainsFunc(flows, func(f query.Seen) bool { return !isPicked(f, depth-1) })
	}
	return false
}
