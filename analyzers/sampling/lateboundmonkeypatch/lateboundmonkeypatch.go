// Package lateboundmonkeypatch is rule DIST020, late-bound-monkeypatch; rule.md
// says what it finds.
package lateboundmonkeypatch

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports patched methods that call the original through a variable that is
// rebound before they run.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	scan(p, p.Source.AST.Body)
	ast.InspectStmts(p.Source.AST.Body, func(st ast.Stmt) bool {
		if fn, ok := st.(*ast.FunctionDef); ok {
			scan(p, fn.Body)
		}
		return true
	})
}

// patch is `owner.attr = replacement`, where the replacement calls what
// `saved = owner.attr` kept before.
type patch struct {
	saved  string
	target *ast.Attribute
	by     ast.Node // the lambda or def
	load   *ast.Name
	after  int // the index of the statement
}

// scan looks at one list of statements, in which the order is plain.
func scan(p *pass.Pass, body []ast.Stmt) {
	saved := map[string]string{} // variable -> text of the attribute that it holds
	defs := map[string]*ast.FunctionDef{}
	var patches []patch
	for i, st := range body {
		switch st := st.(type) {
		case *ast.FunctionDef:
			defs[st.Name] = st
		case *ast.Assign:
			if len(st.Targets) != 1 {
				continue
			}
			switch t := st.Targets[0].(type) {
			case *ast.Name:
				report(p, patches, t, st, i)
				delete(saved, t.Ident)
				if at, ok := st.Value.(*ast.Attribute); ok {
					saved[t.Ident] = p.Source.Text(at)
				}
			case *ast.Attribute:
				by := replacement(st.Value, defs)
				if by == nil {
					continue
				}
				for name, text := range saved {
					if load := callOf(by, name); load != nil && text == p.Source.Text(t) {
						patches = append(patches, patch{name, t, by, load, i})
					}
				}
			}
		}
	}
}

// replacement returns the lambda or def that a value is.
func replacement(e ast.Expr, defs map[string]*ast.FunctionDef) ast.Node {
	switch e := e.(type) {
	case *ast.Lambda:
		return e
	case *ast.Name:
		if d := defs[e.Ident]; d != nil {
			return d
		}
	}
	return nil
}

// callOf returns the name by which a function calls a variable from outside of it.
func callOf(fn ast.Node, name string) *ast.Name {
	var params *ast.Params
	switch fn := fn.(type) {
	case *ast.Lambda:
		params = fn.Params
	case *ast.FunctionDef:
		params = fn.Params
	}
	for _, q := range params.List {
		if q.Name == name {
			return nil
		}
	}
	var found *ast.Name
	bound := false
	ast.Walk(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			if f, ok := n.Fun.(*ast.Name); ok && f.Ident == name && found == nil {
				found = f
			}
		case *ast.Assign:
			for _, t := range n.Targets {
				if x, ok := t.(*ast.Name); ok && x.Ident == name {
					bound = true
				}
			}
		}
		return true
	})
	if bound {
		return nil
	}
	return found
}

// report reports the patches whose variable a later statement binds to another method.
func report(p *pass.Pass, patches []patch, name *ast.Name, st *ast.Assign, at int) {
	other, ok := st.Value.(*ast.Attribute)
	if !ok {
		return
	}
	for i := range patches {
		q := &patches[i]
		if q.saved != name.Ident || q.after >= at || p.Source.Text(other) == p.Source.Text(q.target) {
			continue
		}
		q.saved = "" // once is enough
		p.Report(pass.Finding{
			At:      q.load,
			Related: []pass.Related{{Source: p.Source, Node: name, Message: "the variable is rebound here, before the patched method is called"}},
			Fix:     fix(p, q.by, name.Ident),
		})
	}
}

// fix binds the variable when the function is defined.
func fix(p *pass.Pass, fn ast.Node, name string) *pass.Fix {
	l, ok := fn.(*ast.Lambda)
	if !ok || len(l.Params.List) == 0 {
		return nil
	}
	last := l.Params.List[len(l.Params.List)-1]
	edit := pass.Edit{Span: ast.Span{Start: last.Span().End, End: last.Span().End}, New: fmt.Sprintf(", %s=%s", name, name)}
	if last.Kind == ast.VarKwArgs {
		start := last.Span().Start
		edit = pass.Edit{Span: ast.Span{Start: start, End: start}, New: fmt.Sprintf("%s=%s, ", name, name)}
	}
	return &pass.Fix{Message: "Bind the original method as a default argument", EveryContext: true, Edits: []pass.Edit{edit}}
}
