// Package targetneverread is rule VAL071, target-never-read; rule.md says what it finds.
package targetneverread

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

// Analyzer reports targets that are computed with the network in training, though another one follows its weights and is never asked.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	for _, b := range p.Bellmans() {
		for _, n := range b.Next {
			online := trainedIn(p, n)
			if online == nil || n.Carried {
				continue
			}
			if t, ok := follower(p, online); ok {
				f := pass.At(n.Value.Val, n.Value.Val)
				f.Evidence = domain.Derived
				f.Related = p.There(query.PlaceOf(t.At.Val), "this keeps the target network up to date, and nothing asks it")
				p.Report(f)
			}
		}
	}
}

// trainedIn is the network in training that yields the value of what comes next, on all paths.
func trainedIn(p *pass.Pass, b query.Bootstrap) *roles.Network {
	for _, n := range p.Roles.Networks {
		if n.Trained && !p.Roles.IsLayer(n) && madeBy(b.Value, p.Roles.Calls(n), 12) {
			return n
		}
	}
	return nil
}

// madeBy reports whether a value is made of what some calls yield: not where one of them only says which of the values of another network
// counts, as in double Q-learning.
func madeBy(s query.Seen, calls []*infer.Val, depth int) bool {
	if !s.Known() || depth == 0 {
		return false
	}
	if slices.Contains(calls, s.Val) {
		return true
	}
	flows := s.Flows()
	if s.Op == infer.OpPhi {
		return len(flows) > 0 && !slices.ContainsFunc(flows, func(f query.Seen) bool { return !madeBy(f, calls, depth-1) })
	}
	return slices.ContainsFunc(flows, func(f query.Seen) bool { return madeBy(f, calls, depth-1) })
}

// follower is how the weights of a network go again and again into another one that is never asked for anything.
func follower(p *pass.Pass, online *roles.Network) (roles.Transfer, bool) {
	for _, t := range p.Roles.Transfers() {
		if !t.To.Known() || !t.From.Known() || p.Roles.Network(t.From.Val) != online || !p.Roles.Repeats(t.At) {
			continue
		}
		target := p.Roles.Network(t.To.Val)
		if target != nil && target != online && !target.Trained && p.Roles.Idle(target) && !asked(p, target) && !kept(p, target) && !holdsBack(p, target) {
			return t, true
		}
	}
	return roles.Transfer{}, false
}

// kept reports whether the weights of a network are saved or handed on: perhaps it is there for what is evaluated later.
func kept(p *pass.Pass, n *roles.Network) bool {
	return slices.ContainsFunc(p.Made("state_dict"), func(v *infer.Val) bool { return len(v.In) > 0 && v.In[0] != nil && v.In[0].Ref == n.Ref })
}

// nearWeights bounds the way from a loss back to the weights that it compares.
const nearWeights = 400

// holdsBack reports whether the weights of a network act on another otherwise: these go back to them, or a loss holds them near to them.
func holdsBack(p *pass.Pass, n *roles.Network) bool {
	if slices.ContainsFunc(p.Roles.Transfers(), func(t roles.Transfer) bool { return t.From.Known() && p.Roles.Network(t.From.Val) == n }) {
		return true
	}
	return slices.ContainsFunc(p.Roles.Losses(), func(l roles.Loss) bool {
		return infer.Within(l.Value.Val, nearWeights, func(v *infer.Val) bool {
			return v.IsOp("parameters", "named_parameters", "state_dict") && len(v.In) > 0 && v.In[0] != nil && v.In[0].Ref == n.Ref
		})
	})
}

// asked reports whether a network is called anywhere, also where its result was not followed.
func asked(p *pass.Pass, n *roles.Network) bool {
	for f, call := range query.Everywhere[*ast.Call](p.Graph) {
		if of := f.Val(call.Fun); of != nil && p.Roles.Network(of) == n {
			return true
		}
	}
	return false
}
