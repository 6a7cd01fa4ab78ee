// Package retaingraph is rule GRAD012, retain-graph; rule.md says what it finds.
package retaingraph

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

// Analyzer reports graphs that are kept over steps of the optimizer.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.Roles.Backwards {
		if !retains(l.Call) {
			continue
		}
		for _, loop := range p.Roles.Nest(query.PlaceOf(l.Call)) {
			if !p.Roles.Inside(loop, query.PlaceOf(l.Loss)) {
				continue // a loop over several losses
			}
			if old := stale(p, l, loop); old != nil {
				report(p, l, old)
				break
			}
		}
	}
}

// retains reports whether a backward has the argument retain_graph=True.
func retains(backward *infer.Val) bool {
	call, ok := backward.Node.(*ast.Call)
	return ok && backward.Frame != nil && slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool {
		v := backward.Frame.Val(k.Value)
		return k.Name == "retain_graph" && v != nil && v.Const == true
	})
}

// stale returns a value in the loss's graph that was computed once, before the loop, by a
// network that is updated in the loop; nil if there is none.
func stale(p *pass.Pass, l *roles.Backward, loop query.Loop) *infer.Val {
	stepped := steppedIn(p, loop)
	var old *infer.Val
	query.InGraph(l.Loss, func(v *infer.Val) bool {
		if v.Node == nil || v.Frame == nil || p.Roles.Inside(loop, query.PlaceOf(v)) || !query.HasGraph(v) || !evaluates(p, v, stepped) || !areOfOneRun(v, loop) {
			return true
		}
		old = v
		return false
	})
	return old
}

// areOfOneRun reports whether a value and a loop belong to the evaluation of one body. What a method computes that nobody was seen to call
// may come anew in each round.
func areOfOneRun(v *infer.Val, loop query.Loop) bool {
	return pass.Outermost(v.Frame) == pass.Outermost(loop.Frame)
}

// steppedIn are the networks whose optimizer steps in the loop.
func steppedIn(p *pass.Pass, loop query.Loop) []*roles.Network {
	var out []*roles.Network
	for _, step := range p.Roles.Steps {
		if len(step.In) == 0 || step.In[0] == nil || !p.Roles.Inside(loop, query.PlaceOf(step)) {
			continue
		}
		for _, o := range p.Roles.Optimizers {
			if o.Val.Ref == step.In[0].Ref {
				out = append(out, o.Networks...)
			}
		}
	}
	return out
}

// evaluates reports whether v is an output of one of the networks.
func evaluates(p *pass.Pass, v *infer.Val, networks []*roles.Network) bool {
	return slices.ContainsFunc(v.In, func(x *infer.Val) bool {
		n := p.Roles.Network(x)
		return n != nil && !n.Frozen && slices.Contains(networks, n)
	})
}

func report(p *pass.Pass, l *roles.Backward, old *infer.Val) {
	to := p.In(old.Frame)
	if to == nil {
		return
	}
	f := pass.Finding{
		At: l.Call.Node, Frame: l.Call.Frame, Evidence: domain.Derived,
		Related: []pass.Related{{Source: to, Node: old.Node, Message: "this graph is built once, before the loop"}},
	}
	p.Report(f)
}
