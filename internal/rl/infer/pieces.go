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
	piece.Q.Shape, piece.Lib = pieceShape(name, x.Q.Shape, a), x.Lib
	in.gradOf(s, piece)
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), x)
	v.Ref = &SeqRef{Elem: piece, owner: in}
	return v
}

// pieceShape is the shape of each piece: one axis is shorter, or gone.
func pieceShape(name string, of domain.Shape, a callArgs) domain.Shape {
	axis := int64(0)
	at := 1
	if name == "unbind" {
		at = 0
	}
	d := a.get("dim")
	if d == nil {
		d = a.get("axis")
	}
	if d == nil && at < len(a.pos) {
		d = a.pos[at]
	}
	if d != nil {
		n, ok := d.Int()
		if !ok || n < -domain.MaxRank || n >= domain.MaxRank {
			return domain.UnknownShape
		}
		axis = n
	}
	size := domain.UnknownDim
	switch name {
	case "unbind":
		return of.Index(int(axis))
	case "chunk":
		was, known := of.Dim(int(axis))
		if n, ok := a.arg(0, "chunks").Int(); ok && known && was.N >= 0 && n > 0 && int64(was.N)%n == 0 {
			size = domain.ConstDim(int(int64(was.N) / n))
		}
	case "split", "tensor_split", "array_split", "split_with_sizes":
	default:
		return domain.UnknownShape
	}
	return of.Slice(int(axis), size)
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
