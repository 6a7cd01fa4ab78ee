// Package actorofnextstate is rule OFF021, actor-of-next-state; rule.md says what it finds.
package actorofnextstate

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

// Analyzer reports actors that are trained by what a critic says of one state and an action chosen in another.
var Analyzer = pass.Rule(Doc, run)

// judged is what a critic says of a state and an action that an actor chose.
type judged struct {
	at            *infer.Val
	critic        *roles.Network
	state, chosen *infer.Val // the state that the critic sees, and that of the actor, as they stand in the batch
}

func run(p *pass.Pass) {
	losses := map[*infer.Val]bool{}
	for _, l := range p.Roles.Losses() {
		losses[l.Value.Val] = true
	}
	if len(losses) == 0 {
		return
	}
	for _, n := range p.Roles.Networks {
		for _, v := range p.Roles.Calls(n) {
			if j, ok := read(p, v); ok && j.state != j.chosen && isObjective(p, v, losses) && seesBoth(p, j) {
				p.Report(pass.Finding{At: j.at.Node, Frame: j.at.Frame, Evidence: domain.Derived})
			}
		}
	}
}

// handsOn are the operations by which a value of a critic gets into the loss of an actor.
var handsOn = []string{"min", "minimum", "mean", "sum", "neg", "sub", "add", "mul", "cat", "stack", "squeeze", "view", infer.OpItem, infer.OpCall, infer.OpPhi}

// isObjective reports whether a value goes into a loss as it is, and into no error: a conservative critic judges any
// actions in any state, under a logarithm.
func isObjective(p *pass.Pass, v *infer.Val, losses map[*infer.Val]bool) bool {
	seen, next, reached := map[*infer.Val]bool{}, []*infer.Val{v}, false
	for len(next) > 0 && len(seen) < 100 {
		x := next[0]
		next = next[1:]
		if seen[x] {
			continue
		}
		seen[x] = true
		reached = reached || losses[x]
		for _, u := range p.UsesOf(x) {
			switch {
			case u.IsOp(handsOn...), infer.Through(u) == x, u.Ref != nil:
				next = append(next, u)
			case losses[u] || u.Op == infer.OpDelegate || query.Loggers[query.CalleeName(u.Node)]:
			case u.IsOp("item", "detach"):
			default:
				return false
			}
		}
	}
	return reached
}

// read reads v as critic(state, action) with an action that was made of one state by a network.
func read(p *pass.Pass, v *infer.Val) (judged, bool) {
	call, ok := v.Node.(*ast.Call)
	if !ok || v.Frame == nil || len(call.Args) != 2 || v.Q.Grad == domain.Detached {
		return judged{}, false
	}
	critic := p.Roles.Network(v.Frame.Val(call.Fun))
	state, action := v.Frame.Val(call.Args[0]), v.Frame.Val(call.Args[1])
	if critic == nil || state == nil || action == nil || action.Q.Grad == domain.Detached {
		return judged{}, false
	}
	if !isData(p, state) {
		return judged{}, false
	}
	var seen []*infer.Val
	made := false
	infer.Walk(action, 400, func(x *infer.Val) bool {
		if x.Ref != nil && infer.IsObject(x.Ref) && !x.Is(domain.Distribution) || x.Const != nil {
			made = made || x.Is(domain.Module)
			return false
		}
		if x != action && isData(p, x) {
			if x = infer.Strip(x); !slices.Contains(seen, x) {
				seen = append(seen, x)
			}
			return false
		}
		return true
	})
	if !made || len(seen) != 1 {
		return judged{}, false
	}
	return judged{v, critic, infer.Strip(state), seen[0]}, true
}

// isData reports whether a value is of a batch: given from outside, or made without any gradient.
func isData(p *pass.Pass, v *infer.Val) bool {
	if _, given := p.See(v).IsGiven(); given {
		return true
	}
	return v.Q.Grad == domain.Detached && v.Ref == nil && v.Const == nil && v.Q.Kind != domain.Text
}

// seesBoth reports whether critics of this kind judge the other state as well: both are states of one batch, and no
// view of one state for the actor alone.
func seesBoth(p *pass.Pass, j judged) bool {
	return slices.ContainsFunc(p.Roles.Networks, func(n *roles.Network) bool {
		if n != j.critic && n.CopyOf != j.critic && j.critic.CopyOf != n && !p.Roles.SameKind(n, j.critic) {
			return false
		}
		return slices.ContainsFunc(p.Roles.Calls(n), func(v *infer.Val) bool {
			call, ok := v.Node.(*ast.Call)
			return ok && v != j.at && len(call.Args) == 2 && samePart(v.Frame.Val(call.Args[0]), j.chosen)
		})
	})
}

// samePart reports whether two values are one, or the same part of one batch: each method takes the batch apart for itself.
func samePart(a, b *infer.Val) bool {
	for range 4 {
		a, b = infer.Strip(a), infer.Strip(b)
		switch {
		case a == nil || b == nil:
			return false
		case a == b:
			return true
		case a.Op != infer.OpItem || b.Op != infer.OpItem || len(a.In) < 2 || len(b.In) < 2 || a.In[1] == nil || b.In[1] == nil:
			return false
		}
		if a.In[1].Const == nil || a.In[1].Const != b.In[1].Const {
			return false
		}
		a, b = a.In[0], b.In[0]
	}
	return false
}
