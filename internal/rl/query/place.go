package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Place is a node in one evaluation: also where no value is computed, as at the
// target of an assignment.
type Place struct {
	Frame *infer.Frame
	Node  ast.Node
}

// PlaceOf returns where a value was computed; no place for one that no syntax of the
// program computed.
func PlaceOf(v *infer.Val) Place {
	if v == nil || v.Frame == nil || v.Node == nil {
		return Place{}
	}
	return Place{v.Frame, v.Node}
}

// Known reports whether there is a place.
func (at Place) Known() bool { return at.Frame != nil && at.Node != nil }
