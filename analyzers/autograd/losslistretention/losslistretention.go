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

// kept is a value that is added to a list or sum that outlives it.
type kept struct {
	frame *infer.Frame
	value *infer.Val
	expr  ast.Expr   // that stands for it
	in    *infer.Val // the list; nil for a sum
	list  ast.Expr   // that stands for it
	sum   *infer.Val // nil for a list
}

// keeping reads list.append(value), total += value and total = total + value.
func keeping(f *infer.Frame, n ast.Node) (kept, bool) {
	switch n := n.(type) {
	case *ast.Call:
		at, ok := n.Fun.(*ast.Attribute)
		if !ok || at.Attr != "append" || len(n.Args) != 1 {
			return kept{}, false
		}
		list := f.Val(at.X)
		return kept{frame: f, value: f.Val(n.Args[0]), expr: n.Args[0], in: list, list: at.X}, list != nil && isNewList(list)
	case *ast.AugAssign:
		_, name := n.Target.(*ast.Name)
		return kept{frame: f, value: f.Val(n.Value), expr: n.Value, sum: f.Val(n)}, name && n.Op == ast.Add && f.Val(n) != nil
	case *ast.Assign:
		if b, ok := n.Value.(*ast.BinOp); ok && b.Op == ast.Add && len(n.Targets) == 1 {
			to, ok := n.Targets[0].(*ast.Name)
			from, ok2 := b.X.(*ast.Name)
			return kept{frame: f, value: f.Val(b.Y), expr: b.Y, sum: f.Val(b)}, ok && ok2 && to.Ident == from.Ident && f.Val(b) != nil
		}
	}
	return kept{}, false
}

// isNewList reports whether v is a list at its creation: [] or list().
func isNewList(v *infer.Val) bool {
	if v.Op == infer.OpPhi {
		return false
	}
	switch n := v.Node.(type) {
	case *ast.List:
		return true
	case *ast.Call:
		name, ok := n.Fun.(*ast.Name)
		return ok && name.Ident == "list" && len(n.Args) == 0
	}
	return false
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

// takenAs reports whether an operation reads the value under the name by which it is kept,
// and so not from the list.
func (k kept) takenAs(p *pass.Pass, v *infer.Val) bool {
	name, ok := k.expr.(*ast.Name)
	if !ok || v.Frame != k.frame || !slices.Contains(v.In, k.value) || !query.HasGraph(k.value) {
		return false
	}
	operand, ok := p.Operand(v, k.value).(*ast.Name)
	return ok && operand.Ident == name.Ident
}

// outlives reports whether the list was created outside the loop, or the sum continues from
// one iteration to the next.
func (k kept) outlives(p *pass.Pass, loop query.Loop) bool {
	if k.in != nil {
		return !p.Roles.Inside(loop, query.PlaceOf(k.in))
	}
	return len(k.sum.In) > 0 && infer.Reaches(k.sum, k.sum.In[0], 50) && startsOutside(p, loop, k.sum.In[0])
}

// startsOutside reports whether a sum starts outside a loop: of the values that it joins,
// only the sum itself is set inside.
func startsOutside(p *pass.Pass, loop query.Loop, v *infer.Val) bool {
	if v.Op != infer.OpPhi {
		return true
	}
	for _, x := range v.In {
		if x != nil && x.Op == infer.OpConst && p.Roles.Inside(loop, query.PlaceOf(x)) {
			return false
		}
	}
	return true
}

// emptied reports whether a list of the same name is cleared, shortened or replaced.
func emptied(p *pass.Pass, k kept) bool {
	if k.in == nil {
		return false
	}
	found, made := false, map[ast.Node]bool{}
	name := lastName(k.list)
	_, local := k.list.(*ast.Name)
	for f := range p.EachFrame {
		if local && f != k.frame {
			continue
		}
		for _, st := range f.Body() {
			ast.Walk(st, func(n ast.Node) bool {
				found = found || empties(n, name)
				if a, ok := n.(*ast.Assign); ok && slices.ContainsFunc(a.Targets, func(t ast.Expr) bool { return lastName(t) == name }) {
					made[n] = true
				}
				return !found
			})
		}
	}
	return found || len(made) > 1
}

// lastName is losses for losses, self.losses and self.losses[i].
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Name:
		return e.Ident
	case *ast.Attribute:
		return e.Attr
	case *ast.Subscript:
		return lastName(e.X)
	}
	return ""
}

func empties(n ast.Node, name string) bool {
	switch n := n.(type) {
	case *ast.Call:
		at, ok := n.Fun.(*ast.Attribute)
		return ok && slices.Contains([]string{"clear", "pop", "popleft", "remove"}, at.Attr) && lastName(at.X) == name
	case *ast.Delete:
		return slices.ContainsFunc(n.Targets, func(t ast.Expr) bool { return lastName(t) == name })
	}
	return false
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
	if to := p.In(l.Call.Frame); to != nil && l.Call.Node != nil {
		f.Related = []pass.Related{{Source: to, Node: l.Call.Node, Message: "its gradient is computed here"}}
	}
	p.Report(f)
}
