package deterministicflaginverted

import (
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
)

// sense reports whether a condition is the flag (true) or its negation.
func (c *checker) sense(cond ast.Expr) (set, ok bool) {
	switch e := cond.(type) {
	case *ast.Name:
		return true, e.Ident == c.flag.Name
	case *ast.UnaryOp:
		if e.Op == ast.Not {
			set, ok = c.sense(e.X)
			return !set, ok
		}
	case *ast.Compare:
		if k, isConst := e.Ys[0].(*ast.Constant); isConst && len(e.Ops) == 1 && (e.Ops[0] == ast.Eq || e.Ops[0] == ast.Is) && k.Kind != ast.None {
			set, ok = c.sense(e.X)
			return set == (k.Kind == ast.True), ok
		}
	}
	return false, false
}

func (c *checker) negate(cond ast.Expr) *pass.Fix {
	text := "not " + c.p.Source.Operand(cond)
	if not, ok := cond.(*ast.UnaryOp); ok && not.Op == ast.Not {
		text = c.p.Source.Text(not.X)
	}
	return &pass.Fix{Message: "Negate the condition", Edits: c.p.Source.Replace(cond, text)}
}
