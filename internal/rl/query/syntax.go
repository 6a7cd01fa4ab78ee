package query

import "github.com/rlvet/rlvet/internal/py/ast"

// IsNone reports whether an expression is None, as it is written.
func IsNone(e ast.Expr) bool {
	c, ok := e.(*ast.Constant)
	return ok && c.Kind == ast.None
}

// OnlyAssignment is the assignment to one target that a body consists of; nil where it does more, or something else.
func OnlyAssignment(body []ast.Stmt) *ast.Assign {
	if len(body) != 1 {
		return nil
	}
	if as, ok := body[0].(*ast.Assign); ok && len(as.Targets) == 1 {
		return as
	}
	return nil
}
