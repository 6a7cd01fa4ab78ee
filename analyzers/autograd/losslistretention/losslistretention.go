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
	g := &graphs{p: p, of: map[*roles.Backward]*graph{}, room: maxVisited}
	for _, b := range p.Roles.Buffers() {
		for _, s := range b.Slots {
			for _, w := range s.Writes {
				if k, ok := appended(w); ok && !w.NoGrad && len(s.Emptied) == 0 {
					check(p, k, g)
				}
			}
		}
	}
	for f := range p.EachFrame {
		query.OwnStmts(f, func(st ast.Stmt) {
			if k, ok := summed(f, st); ok && k.value != nil && k.value.Q.Grad != domain.Detached {
				check(p, k, g)
			}
		})
	}
}

// check reports a value that is kept over the iterations of a loop that computes its
// gradient: its graph is no longer needed.
func check(p *pass.Pass, k kept, g *graphs) {
	at := query.Place{Frame: k.frame, Node: k.expr}
	uses := k.uses(p)
	for _, l := range p.Roles.Backwards {
		if !g.spend(1) {
			return
		}
		if !spends(g, l, k, uses) {
			continue
		}
		var over []query.Loop // the loops over whose iterations it is kept
		for _, loop := range p.Roles.Nest(at) {
			if p.Roles.Inside(loop, query.PlaceOf(l.Call)) && p.Roles.Inside(loop, query.PlaceOf(k.value)) && k.outlives(p, loop) {
				over = append(over, loop)
			}
		}
		if len(over) > 0 && !ofOneStep(p, at, over) {
			report(p, k, l)
			return
		}
	}
}

// spends reports whether backward() of a loss frees the graph of the value, and does not
// reach it through the list or sum that keeps it. Uses are the operations that take the
// value as it is kept.
func spends(g *graphs, l *roles.Backward, k kept, uses []*infer.Val) bool {
	same := isSame(l.Loss, k.value) // backward() is called on it: it has a graph
	if !same && len(uses) == 0 || query.HasKeyword(l.Call, "retain_graph") || query.HasKeyword(l.Call, "create_graph") {
		return false
	}
	graph := g.get(l)
	if graph == nil || !same && !slices.ContainsFunc(uses, func(u *infer.Val) bool { return graph.values[u] }) {
		return false
	}
	if k.in != nil {
		return k.in.Ref == nil || !graph.refs[k.in.Ref]
	}
	return !graph.places[query.Place{Frame: k.sum.Frame, Node: k.sum.Node}]
}

// graphs are what backward() of each loss goes through.
type graphs struct {
	p    *pass.Pass
	of   map[*roles.Backward]*graph
	room int // values that may still be looked at
}

// graph is what backward() of one loss goes through.
type graph struct {
	values map[*infer.Val]bool
	places map[query.Place]bool
	refs   map[infer.Ref]bool
}

// maxVisited bounds the values that are looked at for all losses of a program, since one
// may be made of all that were before.
const maxVisited = 1 << 20

// spend reports whether n more values may be looked at.
func (g *graphs) spend(n int) bool {
	g.room -= n
	return g.room > 0
}

// get returns the graph of a loss; nil where too much was looked at.
func (g *graphs) get(l *roles.Backward) *graph {
	if of := g.of[l]; of != nil || g.room <= 0 {
		return of
	}
	of := &graph{values: map[*infer.Val]bool{}, places: map[query.Place]bool{}, refs: map[infer.Ref]bool{}}
	query.InGraph(l.Loss, func(v *infer.Val) bool {
		of.values[v], of.places[query.Place{Frame: v.Frame, Node: v.Node}] = true, true
		if v.Ref != nil {
			of.refs[v.Ref] = true
		}
		return g.spend(8) // maps take their time
	})
	if g.room <= 0 {
		return nil
	}
	g.of[l] = of
	return of
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

// ofOneStep reports whether a value is kept over the micro-batches of one step only.
func ofOneStep(p *pass.Pass, at query.Place, over []query.Loop) bool {
	return !slices.ContainsFunc(over, p.Roles.Updates) && slices.ContainsFunc(p.Roles.Nest(at), p.Roles.Updates)
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
