// Package retaingraph is rule GRAD012, retain-graph; rule.md says what it finds.
package retaingraph

import (
	_ "embed"
	"fmt"
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
		keyword := retains(l.Call)
		if keyword == nil {
			continue
		}
		for _, loop := range p.Roles.Nest(query.PlaceOf(l.Call)) {
			if !p.Roles.Inside(loop, query.PlaceOf(l.Loss)) {
				continue // a loop over several losses
			}
			if old := stale(p, l, loop); old != nil {
				report(p, l, keyword, old)
				break
			}
		}
	}
}

// retains returns the argument retain_graph=True of a backward, or nil.
func retains(backward *infer.Val) *ast.Keyword {
	call, ok := backward.Node.(*ast.Call)
	if !ok || backward.Frame == nil {
		return nil
	}
	for _, k := range call.Keywords {
		if v := backward.Frame.Val(k.Value); k.Name == "retain_graph" && v != nil && v.Const == true {
			return k
		}
	}
	return nil
}

// stale returns a value in the loss's graph that was computed once, before the loop,
// by a network that is stepped in the loop; nil where there is none.
func stale(p *pass.Pass, l *roles.Backward, loop query.Loop) *infer.Val {
	stepped := steppedIn(p, loop)
	var old *infer.Val
	query.InGraph(l.Loss, func(v *infer.Val) bool {
		if v.Node == nil || v.Frame == nil || p.Roles.Inside(loop, query.PlaceOf(v)) || !query.HasGraph(v) || !evaluates(p, v, stepped) {
			return true
		}
		old = v
		return false
	})
	return old
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

// evaluates reports whether v is what one of the networks yielded.
func evaluates(p *pass.Pass, v *infer.Val, networks []*roles.Network) bool {
	return slices.ContainsFunc(v.In, func(x *infer.Val) bool {
		n := p.Roles.Network(x)
		return n != nil && !n.Frozen && slices.Contains(networks, n)
	})
}

func report(p *pass.Pass, l *roles.Backward, keyword *ast.Keyword, old *infer.Val) {
	to := p.In(old.Frame)
	if to == nil {
		return
	}
	f := pass.Finding{
		At: l.Call.Node, Frame: l.Call.Frame, Evidence: domain.Derived,
		Message: fmt.Sprintf("`%s` lets each round go back through %s again, which was computed before the loop: its graph belongs to the weights before the "+
			"first step; detach it if it is a constant of the loss, else compute it in the loop, and leave the argument out", p.In(l.Call.Frame).Text(keyword), to.Short(old.Node)),
		Related: []pass.Related{{Source: to, Node: old.Node, Message: "its graph is made here, once"}},
	}
	p.Report(f)
}
