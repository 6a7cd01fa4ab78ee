// Package losslistretention is rule GRAD016, loss-list-retention; rule.md says what it
// finds.
package losslistretention

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

// Analyzer reports losses that are kept, with their graphs, after their gradient was
// taken.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if len(p.Roles.Backwards) == 0 {
		return
	}
	for f := range p.EachFrame {
		query.Own(f, func(n ast.Node) {
			if k, ok := keeping(f, n); ok && k.value != nil && k.value.Q.Grad != domain.Detached {
				check(p, k)
			}
		})
	}
}

// check reports a value that is kept over the iterations of a loop that computes its
// gradient: its graph is no longer needed.
func check(p *pass.Pass, k kept) {
	at := query.Place{Frame: k.frame, Node: k.expr}
	for _, l := range p.Roles.Backwards {
		if !spends(p, l, k) {
			continue
		}
		if slices.ContainsFunc(p.Roles.Nest(at), func(loop query.Loop) bool {
			return p.Roles.Inside(loop, query.PlaceOf(l.Call)) && p.Roles.Inside(loop, query.PlaceOf(k.value)) && k.outlives(p, loop)
		}) && !emptied(p, k) {
			report(p, k, l)
			return
		}
	}
}

// spends reports whether backward() of a loss frees the graph of the value, and does not
// reach it through the list or sum that keeps it.
func spends(p *pass.Pass, l *roles.Backward, k kept) bool {
	if query.HasKeyword(l.Call, "retain_graph") || query.HasKeyword(l.Call, "create_graph") {
		return false
	}
	direct, through := isSame(l.Loss, k.value), false // backward() is called on it: it has a graph
	query.InGraph(l.Loss, func(v *infer.Val) bool {
		direct = direct || k.takenAs(p, v)
		switch {
		case k.in != nil:
			through = v.Ref != nil && v.Ref == k.in.Ref
		default:
			through = v.Node == k.sum.Node && v.Frame == k.sum.Frame
		}
		return !through
	})
	return direct && !through
}

// isSame reports whether both are one value, perhaps returned by a function.
func isSame(a, b *infer.Val) bool {
	a, b = returned(a), returned(b)
	return a == b && a.Node != nil && !a.IsNone()
}

func returned(v *infer.Val) *infer.Val {
	for range 8 {
		from := infer.Through(v)
		if from == nil || v.Op != infer.OpCall && v.Op != infer.OpNarrow {
			break
		}
		v = from
	}
	return v
}

func report(p *pass.Pass, k kept, l *roles.Backward) {
	src := p.In(k.frame)
	if src == nil {
		return
	}
	f := pass.Finding{
		At: k.expr, Frame: k.frame, Evidence: domain.Derived,
		Fix: &pass.Fix{Message: "Detach the kept tensor", EveryContext: true, Edits: src.Method(k.expr, ".detach()")},
	}
	f.Related = p.Here(l.Call, "its gradient is computed here")
	p.Report(f)
}
