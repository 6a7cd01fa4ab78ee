package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// pieceOps cut a tensor into a tuple of tensors of the same quantity. Their
// number is rarely known, so they stand in no table.
var pieceOps = map[string]bool{
	"chunk": true, "split": true, "tensor_split": true, "unbind": true, "array_split": true, "hsplit": true, "vsplit": true,
	"split_with_sizes": true,
}

// pieces is x.chunk(n) and its like: a sequence of unknown length whose elements
// are what x is. It returns nil for what is no tensor: text is split too.
func (in *interp) pieces(f *Frame, s *state, n ast.Node, name string, x *Val, a callArgs) *Val {
	if x.Ref != nil || x.Is(domain.Text) || len(a.pos) > 0 && a.pos[0].Is(domain.Text) {
		return nil
	}
	if name == "split" && len(a.pos)+len(a.kw) == 0 { // only text is split without a size
		return nil
	}
	piece := in.val(f, s, n, "torch."+name, x.Q, a.after(x)...)
	piece.Q.Shape, piece.Lib = domain.UnknownShape, x.Lib
	in.gradOf(s, piece)
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), x)
	v.Ref = &SeqRef{Elem: piece, owner: in}
	return v
}

// callPieces is torch.chunk(x, n) and its like.
func callPieces(name string) special {
	return func(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
		if len(a.pos) == 0 {
			return nil
		}
		return in.pieces(f, s, n, name, a.pos[0], callArgs{pos: a.pos[1:], kw: a.kw})
	}
}
