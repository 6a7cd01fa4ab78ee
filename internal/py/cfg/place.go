package cfg

import (
	"strconv"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// Place names a storage location that assignments can set and uses can read: a
// variable, an attribute path or a constant subscript, as written in Python:
// x, self.net.bias, batch["logp"], out[0].
type Place string

// KeyOf returns a constant subscript as it stands in a place: ["logp"] or [-1].
func KeyOf(index ast.Expr) (string, bool) {
	switch x := index.(type) {
	case *ast.String:
		if !x.Bytes {
			return "[" + strconv.Quote(x.Value) + "]", true
		}
	case *ast.Number:
		if n, err := strconv.Atoi(x.Text); err == nil {
			return "[" + strconv.Itoa(n) + "]", true
		}
	case *ast.UnaryOp:
		if n, ok := x.X.(*ast.Number); ok && x.Op == ast.USub {
			if v, err := strconv.Atoi(n.Text); err == nil && v > 0 {
				return "[-" + strconv.Itoa(v) + "]", true
			}
		}
	}
	return "", false
}
