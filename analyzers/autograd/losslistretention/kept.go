package losslistretention

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

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

// emptied reports whether the list is cleared or shortened anywhere, or its variable or
// attribute is assigned again.
func emptied(p *pass.Pass, k kept) bool {
	if k.in == nil {
		return false
	}
	found, assigned := false, map[ast.Node]bool{}
	for f := range p.EachFrame {
		query.Own(f, func(n ast.Node) {
			switch n := n.(type) {
			case *ast.Call:
				at, ok := n.Fun.(*ast.Attribute)
				found = found || ok && slices.Contains([]string{"clear", "pop", "popleft", "remove"}, at.Attr) && k.isList(f, at.X)
			case *ast.Delete:
				found = found || slices.ContainsFunc(n.Targets, func(t ast.Expr) bool { return k.isPlace(f, t) })
			case *ast.Assign:
				if slices.ContainsFunc(n.Targets, func(t ast.Expr) bool { return k.isPlace(f, t) }) {
					assigned[n] = true
				}
			}
		})
	}
	return found || len(assigned) > 1
}

// isList reports whether an expression stands for the list.
func (k kept) isList(f *infer.Frame, e ast.Expr) bool {
	v := f.Val(e)
	return v != nil && v.Ref != nil && v.Ref == k.in.Ref
}

// isPlace reports whether a target is the variable or attribute of the list, or a part of it.
func (k kept) isPlace(f *infer.Frame, target ast.Expr) bool {
	switch t := target.(type) {
	case *ast.Name:
		name, ok := k.list.(*ast.Name)
		return ok && f == k.frame && t.Ident == name.Ident
	case *ast.Attribute:
		at, ok := k.list.(*ast.Attribute)
		if !ok || t.Attr != at.Attr {
			return false
		}
		a, b := f.Val(t.X), k.frame.Val(at.X)
		return a != nil && b != nil && a.Ref != nil && a.Ref == b.Ref
	case *ast.Subscript:
		return k.isList(f, t.X)
	}
	return false
}
