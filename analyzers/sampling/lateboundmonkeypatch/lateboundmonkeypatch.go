// Package lateboundmonkeypatch is rule DIST020, late-bound-monkeypatch; rule.md
// says what it finds.
package lateboundmonkeypatch

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports patched methods that call the original through a variable that is
// rebound before they run.
var Analyzer = pass.Rule(Doc, run)

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

// run reads each list of statements in order.
func run(p *pass.Pass) {
	for f := range p.EachFrame {
		saved := map[string]method{} // by variable
		var patches []patch
		for _, st := range f.Body() {
			set, ok := st.(*ast.Assign)
			if !ok || len(set.Targets) != 1 {
				continue
			}
			switch t := set.Targets[0].(type) {
			case *ast.Name:
				delete(saved, t.Ident)
				if m, ok := methodOf(f, set.Value); ok {
					patches = report(p, f, patches, t, m)
					saved[t.Ident] = m
				}
			case *ast.Attribute:
				patches = append(patches, patchesOf(f, t, set.Value, saved)...)
			}
		}
	}
}

// methodOf returns the method that an expression reads or assigns.
func methodOf(f *infer.Frame, e ast.Expr) (m method, ok bool) {
	at, ok := e.(*ast.Attribute)
	if !ok {
		return m, false
	}
	switch owner := infer.Strip(f.Val(at.X)); {
	case owner == nil:
		return m, false
	case owner.Ref == nil:
		return method{owner, at.Attr}, true
	default:
		if lib, ok := owner.Ref.(*infer.LibRef); ok {
			return method{lib.Name, at.Attr}, true
		}
		return method{owner.Ref, at.Attr}, true
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

// callOf returns the name by which a function calls a variable from outside of it.
func callOf(fn *infer.FuncRef, name string) *ast.Name {
	var node ast.Node = fn.Lambda
	params := paramsOf(fn)
	if fn.Def != nil {
		node = fn.Def
	}
	for _, q := range params {
		if q.Name == name {
			return nil
		}
	}
	var found *ast.Name
	bound := false
	ast.Walk(node, func(n ast.Node) bool {
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

func paramsOf(fn *infer.FuncRef) []*ast.Param {
	if fn.Def != nil {
		return fn.Def.Params.List
	}
	return fn.Lambda.Params.List
}

// report reports the patches whose variable is bound to another method here, and returns
// the others.
func report(p *pass.Pass, f *infer.Frame, patches []patch, name *ast.Name, other method) []patch {
	var kept []patch
	for _, q := range patches {
		if q.saved != name.Ident || q.original == other {
			kept = append(kept, q)
			continue
		}
		src := p.In(f)
		p.Report(pass.Finding{
			At: q.load, Frame: f,
			Related: []pass.Related{{Source: src, Node: name, Message: "the variable is rebound here, before the patched method is called"}},
			Fix:     fix(q.by, name.Ident),
		})
	}
	return kept
}

// fix binds the variable when the function is defined.
func fix(fn *infer.FuncRef, name string) *pass.Fix {
	params := paramsOf(fn)
	if fn.Lambda == nil || len(params) == 0 {
		return nil
	}
	last := params[len(params)-1]
	edit := pass.Edit{Span: ast.Span{Start: last.Span().End, End: last.Span().End}, New: fmt.Sprintf(", %s=%s", name, name)}
	if last.Kind == ast.VarKwArgs {
		start := last.Span().Start
		edit = pass.Edit{Span: ast.Span{Start: start, End: start}, New: fmt.Sprintf("%s=%s, ", name, name)}
	}
	return &pass.Fix{Message: "Bind the original method as a default argument", EveryContext: true, Edits: []pass.Edit{edit}}
}
