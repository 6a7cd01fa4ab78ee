package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// seqMethod is a method of list, tuple or deque; nil where the name is none.
func (in *interp) seqMethod(f *Frame, s *state, n ast.Node, recv *Val, l *SeqRef, name string, a callArgs) *Val {
	switch name {
	case "append", "appendleft", "add":
		if len(a.pos) == 1 && l.owner == in {
			in.blur(l)
			l.Elem = in.join(l.Elem, a.pos[0])
		}
		return in.none()
	case "insert":
		if len(a.pos) == 2 && l.owner == in {
			in.blur(l)
			l.Elem = in.join(l.Elem, a.pos[1])
		}
		return in.none()
	case "extend":
		if len(a.pos) == 1 {
			in.extend(l, a.pos[0])
		}
		return in.none()
	case "pop", "popleft":
		if e := in.seqElem(l); e != nil {
			return e
		}
		return in.opaque(f, s, n, OpItem, recv)
	case "copy", "reverse", "sort", "clear", "remove":
		return recv
	case "index", "count":
		return in.size(f, s, n, recv, domain.UnknownDim)
	}
	return nil
}
