package cli

import (
	"context"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/source"
)

// soundness is how well a file parses. Errors alone do not tell: in a file that
// is broken already, an open bracket can swallow statements without one more.
type soundness struct{ errors, statements int }

// sound parses a file; ok is false where the parser gives up.
func sound(f *source.File) (s soundness, ok bool) {
	p := parse.New()
	defer p.Close()
	mod, err := p.Parse(context.Background(), f.Path, f.Text)
	if err != nil {
		return s, false
	}
	s.errors = len(mod.Errors)
	ast.InspectStmts(mod.Body, func(st ast.Stmt) bool {
		if _, bad := st.(*ast.BadStmt); !bad {
			s.statements++
		}
		return true
	})
	return s, true
}

// parsesAsWell reports whether after is understood at least as well as before.
func parsesAsWell(after, before *source.File) bool {
	a, ok := sound(after)
	b, okBefore := sound(before)
	return ok && okBefore && a.errors <= b.errors && a.statements >= b.statements
}
