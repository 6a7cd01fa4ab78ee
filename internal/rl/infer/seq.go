package infer

import (
	"slices"

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

// ofTensors corrects the shape of torch.tensor(list): torch takes the tensors in a list for numbers, also those
// of one axis with one element, so what it makes of them is a vector. Where it is not known whether they are
// tensors or arrays, there is one axis at least.
func ofTensors(v *Val) {
	if v.Op != "torch.tensor" && v.Op != "torch.as_tensor" || len(v.In) == 0 || v.In[0] == nil {
		return
	}
	r, ok := v.In[0].Ref.(*SeqRef)
	if !ok || len(r.Elems) == 0 && r.Elem == nil {
		return
	}
	tensors, unsure := true, false
	for _, e := range append(slices.Clip(r.Elems), r.Elem) {
		if e == nil {
			continue
		}
		tensors = tensors && e.Ref == nil && e.Lib == LibTorch
		if _, list := e.Ref.(*SeqRef); list && !ofNumbers(e, maxNesting) { // rows that are written, of what may be tensors
			v.Q.Shape = domain.EndingIn(domain.UnknownDim, domain.UnknownDim)
			return
		}
		unsure = unsure || e.Ref == nil && e.Lib != LibNumpy && !(e.Q.Shape.Known() && e.Q.Shape.Rank == 0)
	}
	switch {
	case tensors && r.Elems != nil:
		v.Q.Shape = domain.MakeShape(domain.ConstDim(len(r.Elems)))
	case tensors:
		v.Q.Shape = domain.MakeShape(domain.UnknownDim)
	case unsure:
		v.Q.Shape = domain.EndingIn(domain.UnknownDim)
	}
}

// ofNumbers reports whether what a list holds, and the lists in it, are numbers or arrays of numpy.
func ofNumbers(v *Val, depth int) bool {
	r, ok := v.Ref.(*SeqRef)
	if !ok || depth == 0 {
		return v.Ref == nil && (v.Lib == LibNumpy || v.Q.Shape.Known() && v.Q.Shape.Rank == 0)
	}
	for _, e := range append(slices.Clip(r.Elems), r.Elem) {
		if e != nil && !ofNumbers(e, depth-1) {
			return false
		}
	}
	return true
}
