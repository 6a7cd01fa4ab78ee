package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Place is a node in one evaluation.
type Place struct {
	Frame *infer.Frame
	Node  ast.Node
}
