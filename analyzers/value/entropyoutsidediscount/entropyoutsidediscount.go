// Package entropyoutsidediscount is rule VAL008, entropy-outside-discount; rule.md
// says what it finds.
package entropyoutsidediscount

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

// Analyzer reports soft targets of which the entropy of the next action is neither discounted nor masked.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, b := range p.Bellmans() {
		if isCarried(p, b) {
			continue // the entropy beside a reward is that of the same step there, and the next one's stands in what is carried
		}
		for _, at := range sumsWith(p, b) {
			for _, t := range query.TermsOf(p.See(at), 1) {
				if t.Sign < 0 && isLogProb(t) && ofSameDraw(t, b) {
					f := pass.At(t.Val, b.Next[0].Value.Val)
					f.Evidence = domain.Derived
					f.Related = p.Here(b.Next[0].Val, "this is discounted, and comes from the same action")
					p.Report(f)
				}
			}
		}
	}
}

// isCarried reports whether the next value is the sum of the round before. Where the sum begins with a value, that may stand for both.
func isCarried(p *pass.Pass, b query.Bellman) bool {
	return slices.ContainsFunc(b.Next, func(n query.Bootstrap) bool {
		start := n.Value.Strip()
		return n.Carried || slices.ContainsFunc(sumsWith(p, b), func(sum *infer.Val) bool {
			return slices.ContainsFunc(p.Values.StandIns(sum), func(v *infer.Val) bool { return infer.Strip(v) == start.Val })
		})
	})
}

// sumsWith are the sum of a target and those that subtract from it on the spot.
func sumsWith(p *pass.Pass, b query.Bellman) []*infer.Val {
	out := []*infer.Val{b.At.Val}
	for _, u := range p.UsesOf(b.At.Val) {
		if u.IsOp("sub") && len(u.In) > 1 && u.In[0] == b.At.Val {
			out = append(out, u)
		}
	}
	return out
}

// isLogProb reports whether a term is a log-probability, perhaps times a temperature.
func isLogProb(t query.Term) bool {
	for _, f := range query.FactorsOf(t.Seen).List {
		if f.Is(domain.LogProb) || f.Strip().Is(domain.LogProb) {
			return true
		}
	}
	return false
}

// maxDraws bounds the values among which an action is sought.
const maxDraws = 300

// ofSameDraw reports whether a log-probability is of the action at which the next value is taken.
func ofSameDraw(t query.Term, b query.Bellman) bool {
	drawn := map[*infer.Val]bool{}
	infer.Walk(t.Val, maxDraws, func(v *infer.Val) bool {
		if v.IsOp("sample", "rsample") && v.Fn != nil { // a memory is sampled too
			drawn[v] = true
		}
		return !v.Is(domain.Module)
	})
	if pair := pairOf(t); pair != nil {
		drawn[pair] = true
	}
	return slices.ContainsFunc(b.Next, func(n query.Bootstrap) bool {
		found, calls := within(n.Value.Val, drawn)
		return found || slices.ContainsFunc(calls, func(call *infer.Val) bool {
			return slices.ContainsFunc(call.In, func(x *infer.Val) bool { given, _ := within(x, drawn); return given })
		})
	})
}

// within reports whether one of some draws is a part of v, other than by way of what a step of an environment or unknown code yields; and the
// calls of unknown code that v is made of. What such a call was given of an action is no longer that action: it is perhaps the state that the
// action led to.
func within(v *infer.Val, drawn map[*infer.Val]bool) (found bool, calls []*infer.Val) {
	infer.Walk(v, maxDraws, func(x *infer.Val) bool {
		found = found || drawn[x]
		if x.Unfollowed() {
			calls = append(calls, x)
		}
		return !found && !x.Unfollowed() && infer.BaseOp(x.Op) != "step" && !x.Is(domain.Module)
	})
	return found, calls
}

// pairOf is what a call of unknown code yields where a log-probability is a part of that: the action that it is of is another part.
func pairOf(t query.Term) *infer.Val {
	for _, f := range query.FactorsOf(t.Seen).List {
		x := f.Strip()
		if !x.Known() || x.Op != infer.OpItem || len(x.In) < 2 || !f.Is(domain.LogProb) && !x.Is(domain.LogProb) {
			continue
		}
		if call := x.In[0]; call != nil && call.Ref == nil && (call.Unfollowed() || strings.HasPrefix(call.Op, infer.OpCall+".")) {
			return call
		}
	}
	return nil
}
