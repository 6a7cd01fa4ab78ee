package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Mentions are the places in a frame's body where a variable stands, those in nested functions among them.
func Mentions(f *infer.Frame, name string) (out []*ast.Name) {
	for _, st := range f.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			if x, ok := n.(*ast.Name); ok && x.Ident == name {
				out = append(out, x)
			}
			return true
		})
	}
	return out
}

// Binds reports whether a node binds a variable: an assignment, a loop, a with, an import, a walrus.
func Binds(n ast.Node, name string) bool {
	switch n := n.(type) {
	case *ast.Assign:
		for _, t := range n.Targets {
			if bindsName(t, name, 8) {
				return true
			}
		}
	case *ast.AnnAssign:
		return n.Value != nil && bindsName(n.Target, name, 8)
	case *ast.AugAssign:
		return bindsName(n.Target, name, 8)
	case *ast.For:
		return bindsName(n.Target, name, 8)
	case *ast.NamedExpr:
		return n.Target.Ident == name
	case *ast.With:
		for _, item := range n.Items {
			if item.Target != nil && bindsName(item.Target, name, 8) {
				return true
			}
		}
	case *ast.Import, *ast.ImportFrom, *ast.Global, *ast.Nonlocal, *ast.Delete:
		return true // whatever they bind
	case *ast.FunctionDef:
		return n.Name == name
	}
	return false
}

func bindsName(t ast.Expr, name string, depth int) bool {
	switch t := t.(type) {
	case *ast.Name:
		return t.Ident == name
	case *ast.Starred:
		return depth > 0 && bindsName(t.X, name, depth-1)
	case *ast.Tuple:
		return depth > 0 && anyBinds(t.Elts, name, depth-1)
	case *ast.List:
		return depth > 0 && anyBinds(t.Elts, name, depth-1)
	}
	return false
}

func anyBinds(list []ast.Expr, name string, depth int) bool {
	for _, e := range list {
		if bindsName(e, name, depth) {
			return true
		}
	}
	return false
}
