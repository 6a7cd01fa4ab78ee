package lateboundmonkeypatch

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// What a function captures is a variable, so a name: which value it finds there is decided when it is
// called. Variables are told apart by their names within one body; methods by the object that they are read from.

// method is a method of a class or object, such as Normal.entropy.
type method struct {
	owner any
	name  string
}

// patch is `owner.name = replacement`, where the replacement calls the original through
// the variable in which `saved = owner.name` kept it.
type patch struct {
	saved    string
	original method
	by       *infer.FuncRef
	load     *ast.Name
}

// methodOf returns the method that an expression reads or assigns.
func methodOf(f *infer.Frame, e ast.Expr) (m method, ok bool) {
	at, ok := e.(*ast.Attribute)
	if !ok {
		return m, false
	}
	owner := infer.Strip(f.Val(at.X))
	if owner == nil {
		return m, false
	}
	switch r := owner.Ref.(type) {
	case nil:
		return method{owner, at.Attr}, true
	case *infer.LibRef:
		return method{r.Name, at.Attr}, true
	default:
		return method{r, at.Attr}, true
	}
}

// patchesOf returns the patches that an assignment to a method makes.
func patchesOf(f *infer.Frame, target *ast.Attribute, value ast.Expr, saved map[string]method) []patch {
	var out []patch
	m, ok := methodOf(f, target)
	by := f.Val(value)
	if !ok || by == nil {
		return nil
	}
	fn, ok := by.Ref.(*infer.FuncRef)
	if !ok {
		return nil
	}
	for name, original := range saved {
		if load := callOf(fn, name); load != nil && original == m {
			out = append(out, patch{name, m, fn, load})
		}
	}
	return out
}

// callOf returns the name by which a function calls a variable from outside it.
func callOf(fn *infer.FuncRef, name string) *ast.Name {
	isName := func(e ast.Expr) bool { x, ok := e.(*ast.Name); return ok && x.Ident == name }
	bound := slices.ContainsFunc(paramsOf(fn), func(q *ast.Param) bool { return q.Name == name })
	var node ast.Node = fn.Lambda
	if fn.Def != nil {
		node = fn.Def
	}
	var found *ast.Name
	ast.Walk(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			if found == nil && isName(n.Fun) {
				found = n.Fun.(*ast.Name)
			}
		case *ast.Assign:
			bound = bound || slices.ContainsFunc(n.Targets, isName)
		}
		return true
	})
	if bound {
		return nil
	}
	return found
}

func paramsOf(fn *infer.FuncRef) []*ast.Param {
	if fn.Def != nil {
		return fn.Def.Params.List
	}
	return fn.Lambda.Params.List
}
