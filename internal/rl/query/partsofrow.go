package query

import (
	"slices"

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
		if len(n.Keywords) == 0 {
			return n.Args
		}
		out := slices.Clone(n.Args)
		for _, k := range n.Keywords {
			out = append(out, k.Value)
		}
		return out
	}
	return nil
}
