package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
)

// PartsOfRow are what a tuple, list or dict puts together, or a call that may store it; none of a call of a logger.
func PartsOfRow(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.Tuple:
		return n.Elts
	case *ast.List:
		return n.Elts
	case *ast.Dict:
		return n.Values
	case *ast.Call:
		if Loggers[CalleeName(n)] {
			return nil
		}
		return ast.Given(n)
	}
	return nil
}
