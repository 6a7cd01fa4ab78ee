// Package lateboundmonkeypatch is rule DIST020, late-bound-monkeypatch; rule.md
// says what it finds.
package lateboundmonkeypatch

import (
	_ "embed"
	"fmt"
	"slices"

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
				if m, ok := methodOf(f, t); ok { // what stood there before is called no more
					patches = slices.DeleteFunc(patches, func(q patch) bool { return q.original == m })
				}
				patches = append(patches, patchesOf(f, t, set.Value, saved)...)
			}
		}
	}
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
