// Package detachedcopyunused is rule GRAD015, detached-copy-unused; rule.md says what it
// finds.
package detachedcopyunused

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

// Analyzer reports detached copies that are never used, of values that go into a loss.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if len(p.Roles.Backwards) == 0 {
		return
	}
	for f := range p.EachFrame {
		query.OwnStmts(f, func(st ast.Stmt) {
			if e, as := dropped(f, st); e != nil {
				check(p, f, e, as)
			}
		})
	}
}

// dropped returns a call of detach() whose result is not used: a statement of its own, or
// the value of a local variable, as, that is never read.
func dropped(f *infer.Frame, st ast.Stmt) (e ast.Expr, as *ast.Name) {
	switch n := st.(type) {
	case *ast.ExprStmt:
		return n.X, nil
	case *ast.Assign:
		if name, ok := n.Targets[0].(*ast.Name); ok && len(n.Targets) == 1 && f.Func != nil && f.Func.Def != nil && detaching(n.Value) != nil {
			if mentions(f.Func.Def, name.Ident) == 1 {
				return n.Value, name
			}
		}
	}
	return nil, nil
}

// That nothing reads a variable is a claim about its name in the function: inference follows values, and one that
// is never read leaves no trace.

// mentions counts how often a function mentions a name; a call such as locals() counts too.
func mentions(def *ast.FunctionDef, name string) int {
	n := 0
	ast.Walk(def, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.Name:
			if x.Ident == name || x.Ident == "locals" || x.Ident == "vars" || x.Ident == "eval" {
				n++
			}
		case *ast.Global:
			if slices.Contains(x.Names, name) {
				n++
			}
		case *ast.Nonlocal:
			if slices.Contains(x.Names, name) {
				n++
			}
		}
		return true
	})
	return n
}

// check reports the call if the original value is read below under its old name and reaches
// a loss.
func check(p *pass.Pass, f *infer.Frame, e ast.Expr, as *ast.Name) {
	call := detaching(e)
	if call == nil {
		return
	}
	v := f.Val(call)
	name, ok := call.Fun.(*ast.Attribute).X.(*ast.Name)
	if !ok || v == nil || v.Fn == nil || !v.IsOp("detach") || len(v.In) == 0 || !query.HasGraph(v.In[0]) {
		return
	}
	if use := readsBelow(p, f, call, v.In[0], name.Ident); use != nil {
		report(p, f, call, use, name, as)
	}
}

// detaching is x.detach(), also in x if c else x.detach().
func detaching(e ast.Expr) *ast.Call {
	switch e := e.(type) {
	case *ast.IfExp:
		if c := detaching(e.Then); c != nil {
			return c
		}
		return detaching(e.Else)
	case *ast.Call:
		if at, ok := e.Fun.(*ast.Attribute); ok && at.Attr == "detach" && len(e.Args) == 0 {
			return e
		}
	}
	return nil
}

// readsBelow returns the first value below the call, in its function, that is computed from
// name and reaches a loss; nil if there is none.
func readsBelow(p *pass.Pass, f *infer.Frame, call *ast.Call, of *infer.Val, name string) *infer.Val {
	for u := range f.Each {
		if u.Node == nil || u.Node.Span().Start < call.Span().End || !slices.Contains(u.In, of) || u.Op == infer.OpDelegate {
			continue
		}
		operand, ok := p.Operand(u, of).(*ast.Name)
		if ok && operand.Ident == name && slices.ContainsFunc(p.Roles.Losses(), func(l roles.Loss) bool { return query.GraphHolds(l.Value.Val, u) }) {
			return u
		}
	}
	return nil
}

func report(p *pass.Pass, f *infer.Frame, call *ast.Call, use *infer.Val, name, as *ast.Name) {
	src := p.In(f)
	if src == nil {
		return
	}
	out := pass.Finding{
		At: call, Frame: f, Evidence: domain.Derived,
		Related: []pass.Related{{Source: src, Node: use.Node, Message: "the gradient still flows here"}},
	}
	if as == nil {
		out.Help = fmt.Sprintf("write `%s = %s`", name.Ident, src.Text(call))
		out.Fix = &pass.Fix{Message: "Assign the result of detach()", Edits: src.Replace(call, name.Ident+" = "+src.Text(call))}
	} else {
		out.Help = fmt.Sprintf("use `%s` below, or remove it", as.Ident)
	}
	p.Report(out)
}
