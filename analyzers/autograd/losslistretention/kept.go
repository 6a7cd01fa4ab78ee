package losslistretention

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// kept is a value that is added to a list or sum that outlives it.
type kept struct {
	frame *infer.Frame
	value *infer.Val
	expr  ast.Expr   // that stands for it
	in    *infer.Val // the list; nil for a sum
	sum   *infer.Val // nil for a list
}

// appended reads a write into a buffer as list.append(value).
func appended(w roles.Write) (kept, bool) {
	call, ok := w.At.Node.(*ast.Call)
	if !ok || len(call.Args) != 1 || w.At.Frame.Val(call.Args[0]) != w.Val {
		return kept{}, false
	}
	list := w.At.Frame.Val(call.Fun.(*ast.Attribute).X)
	return kept{frame: w.At.Frame, value: w.Val, expr: call.Args[0], in: list}, isNewList(list)
}

// summed reads total += value and total = total + value.
func summed(f *infer.Frame, st ast.Stmt) (kept, bool) {
	switch n := st.(type) {
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
	seq, ok := v.Ref.(*infer.SeqRef)
	return ok && seq.List && v.Op == infer.OpDisplay
}

// uses are the operations that read the value under the name by which it is kept, and so
// not from the list.
func (k kept) uses(p *pass.Pass) []*infer.Val {
	name, ok := k.expr.(*ast.Name)
	if !ok || !query.HasGraph(k.value) {
		return nil
	}
	var out []*infer.Val
	for _, u := range p.UsesOf(k.value) {
		operand, ok := p.Operand(u, k.value).(*ast.Name)
		if ok && u.Frame == k.frame && slices.Contains(u.In, k.value) && operand.Ident == name.Ident {
			out = append(out, u)
		}
	}
	return out
}

// outlives reports whether the list was created outside the loop, or the sum continues from
// one iteration to the next.
func (k kept) outlives(p *pass.Pass, loop query.Loop) bool {
	if k.in != nil {
		return !p.Roles.Inside(loop, query.PlaceOf(k.in))
	}
	return len(k.sum.In) > 0 && infer.Reaches(k.sum, k.sum.In[0], 50) && startsOutside(p, loop, k.sum.In[0]) && !k.startsAnew(p, loop)
}

// startsAnew reports whether the loop sets the sum to a number now and then, as at every step
// of the optimizer: what it keeps until then is freed.
func (k kept) startsAnew(p *pass.Pass, loop query.Loop) bool {
	var name string
	switch n := k.sum.Node.(type) {
	case *ast.AugAssign:
		name = n.Target.(*ast.Name).Ident
	case *ast.BinOp:
		name = n.X.(*ast.Name).Ident
	}
	found := false
	for _, n := range k.frame.Nodes() {
		as, ok := n.(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			continue
		}
		to, ok := as.Targets[0].(*ast.Name)
		_, number := as.Value.(*ast.Number)
		found = found || ok && number && to.Ident == name && p.Roles.Inside(loop, query.Place{Frame: k.frame, Node: as.Value})
	}
	return found
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
