package infer

import (
	"strconv"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// maxPlaceDepth bounds the length of a path: longer ones are not followed.
const maxPlaceDepth = 4

// PlaceOf returns the place that e names, ok false where it is not a path of
// names, attributes and constant subscripts.
func PlaceOf(e ast.Expr) (Place, bool) { return placeOf(e, maxPlaceDepth) }

func placeOf(e ast.Expr, depth int) (Place, bool) {
	if depth == 0 {
		return "", false
	}
	switch e := e.(type) {
	case *ast.Name:
		return Place(e.Ident), true
	case *ast.Attribute:
		base, ok := placeOf(e.X, depth-1)
		return base + "." + Place(e.Attr), ok
	case *ast.Subscript:
		key, ok := constKey(e.Index)
		if !ok {
			return "", false
		}
		base, ok := placeOf(e.X, depth-1)
		return base + Place("["+key+"]"), ok
	}
	return "", false
}

func constKey(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.String:
		return strconv.Quote(e.Value), !e.Bytes
	case *ast.Number:
		return e.Text, true
	}
	return "", false
}
