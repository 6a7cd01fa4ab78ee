package engine_test

import (
	"go/token"
	"reflect"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// span is a node as an analysis.Range.
type span struct {
	base token.Pos
	node ast.Node
}

func (s span) Pos() token.Pos { return s.base + token.Pos(s.node.Span().Start) }
func (s span) End() token.Pos { return s.base + token.Pos(s.node.Span().End) }

var marksType = reflect.TypeFor[int]()
