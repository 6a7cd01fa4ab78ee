package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// seqMethod is a method of list, tuple or deque; nil where the name is none.
func (in *interp) seqMethod(f *Frame, s *state, n ast.Node, recv *Val, l *SeqRef, name string, a callArgs) *Val {
	switch name {
	case "append":
		if len(a.pos) == 1 {
			in.grow(f, s, n, l, a.pos, true)
		}
		return in.none()
	case "appendleft", "add":
		if len(a.pos) == 1 {
			in.grow(f, s, n, l, a.pos, false)
		}
		return in.none()
	case "insert":
		if len(a.pos) == 2 {
			in.grow(f, s, n, l, a.pos[1:], false)
		}
		return in.none()
	case "extend":
		if len(a.pos) == 1 {
			in.extend(f, s, n, l, a.pos[0])
		}
		return in.none()
	case "pop", "popleft":
		i := in.constant(int64(-1))
		if len(a.pos) > 0 || name == "popleft" {
			i = a.arg(0, "index")
		}
		in.shorten(f, s, recv, i)
		if e := in.seqElem(l); e != nil {
			return e
		}
		return in.opaque(f, s, n, OpItem, recv)
	case "reverse", "sort", "clear", "remove":
		if l.owner == in {
			l.tail = nil
		}
		return recv
	case "copy":
		return recv
	case "index", "count":
		return in.size(f, s, n, recv, domain.UnknownDim)
	}
	return nil
}
