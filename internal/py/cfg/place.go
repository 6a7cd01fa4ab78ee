package cfg

import (
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// Place names a storage location that assignments can set and uses can read: a
// variable, an attribute path or a constant subscript, as written in Python:
// x, self.net.bias, batch["logp"], out[0].
type Place string

// PlaceOf returns the place that an expression denotes, if it denotes one.
func PlaceOf(e ast.Expr) (Place, bool) {
	var b strings.Builder
	if !writePlace(&b, e) {
		return "", false
	}
	return Place(b.String()), true
}

func writePlace(b *strings.Builder, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Name:
		b.WriteString(e.Ident)
		return true
	case *ast.Attribute:
		if !writePlace(b, e.X) {
			return false
		}
		b.WriteByte('.')
		b.WriteString(e.Attr)
		return true
	case *ast.Subscript:
		key, ok := keyOf(e.Index)
		if !ok || !writePlace(b, e.X) {
			return false
		}
		b.WriteString(key)
		return true
	}
	return false
}

// keyOf returns a constant subscript as it stands in a place: ["logp"] or [-1].
func keyOf(index ast.Expr) (string, bool) {
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
