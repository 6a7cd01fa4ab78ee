// Package oneenvmanytimes is rule ENV018, one-env-many-times; rule.md says what it finds.
package oneenvmanytimes

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports vectors of environments that hold one object several times.
var Analyzer = pass.Rule(Doc, run)

// vectors are the classes of the libraries that step several environments.
var vectors = query.Words(`DummyVecEnv SubprocVecEnv SyncVectorEnv AsyncVectorEnv DummyVectorEnv SubprocVectorEnv ShmemVecEnv RayVectorEnv`)

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		if !vectors[query.CalleeName(call)] || len(call.Args) == 0 {
			continue
		}
		list := origin(f, call.Args[0])
		if one := repeated(list); one != nil && !isMade(f, one) {
			p.Report(pass.Finding{At: list, Frame: f, Evidence: domain.Derived, Related: []pass.Related{{Source: p.In(f), Node: call, Message: "each of them is stepped here"}}})
		}
	}
}

// origin is the expression that computed a list which a variable holds.
func origin(f *infer.Frame, e ast.Expr) ast.Expr {
	if _, ok := e.(*ast.Name); ok {
		if v := f.Val(e); v != nil && v.Frame == f {
			if made, ok := v.Node.(ast.Expr); ok {
				return made
			}
		}
	}
	return e
}

// repeated is the variable of which a list holds the same object many times: of [lambda: env] * n and [lambda: env for _ in range(n)], [env] * n
// and [env for _ in range(n)].
func repeated(list ast.Expr) *ast.Name {
	switch n := list.(type) {
	case *ast.BinOp:
		if l, ok := n.X.(*ast.List); ok && n.Op == ast.Mult && len(l.Elts) == 1 {
			return thunk(l.Elts[0])
		}
	case *ast.Comp:
		if one := thunk(n.Elt); one != nil {
			for _, c := range n.Clauses {
				if query.Reads(c.Target, one.Ident) {
					return nil
				}
			}
			return one
		}
	}
	return nil
}

// thunk is the variable that a function without parameters returns.
func thunk(e ast.Expr) *ast.Name {
	if l, ok := e.(*ast.Lambda); ok && len(l.Params.List) == 0 {
		name, _ := l.Body.(*ast.Name)
		return name
	}
	return nil
}

// isMade is true for a variable that holds no environment but what makes one.
func isMade(f *infer.Frame, name *ast.Name) bool {
	v := f.Val(name)
	if v == nil {
		return false
	}
	switch v.Ref.(type) {
	case *infer.FuncRef, *infer.ClassRef, *infer.LibRef:
		return true
	}
	return false
}
