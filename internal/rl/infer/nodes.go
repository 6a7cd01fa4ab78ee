package infer

import (
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// nodes are those of a body, listed when they are first asked for: all evaluations of it, by its own
// module and by those that import it, share them.
type nodes struct {
	once sync.Once
	list []ast.Node
}

// Nodes are the nodes of the frame's own body, in source order. A function, class or lambda in it is one of
// them; what it holds is a body of its own. The slice is not to be changed.
func (f *Frame) Nodes() []ast.Node {
	of := &f.code.own
	of.once.Do(func() {
		for _, st := range f.code.body {
			ast.Walk(st, func(n ast.Node) bool {
				of.list = append(of.list, n)
				return !IsBody(n)
			})
		}
	})
	return of.list
}

// IsBody reports whether a node is a body of its own.
func IsBody(n ast.Node) bool {
	switch n.(type) {
	case *ast.FunctionDef, *ast.ClassDef, *ast.Lambda:
		return true
	}
	return false
}
