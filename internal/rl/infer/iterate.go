package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// element is what a loop over x binds: the join of all elements.
func (in *interp) element(f *Frame, s *state, n ast.Node, x *Val) *Val {
	if !in.follow() {
		return in.opaque(f, s, n, OpIterate, x)
	}
	v := in.elementOf(f, s, n, x)
	in.back()
	return v
}

func (in *interp) elementOf(f *Frame, s *state, n ast.Node, x *Val) *Val {
	switch r := x.Ref.(type) {
	case *SeqRef:
		if e := in.seqElem(r); e != nil {
			return e
		}
	case *DictRef:
		v := in.val(f, s, n, OpIterate, domain.Of(domain.Text), x)
		return v
	case *Instance:
		if m := r.Class.Lookup("__iter__"); m != nil && in.begin(r) {
			defer in.end(r)
			it := in.callVal(f, s, n, in.bindAttr(f, s, n, m, x, r.Class), callArgs{})
			if it.Ref != x.Ref {
				return in.element(f, s, n, it)
			}
		} else if m := r.Class.Lookup("__getitem__"); m != nil && in.begin(r) {
			defer in.end(r)
			i := in.val(f, s, n, OpUnknown, domain.Of(domain.Index))
			i.Q.Shape = domain.MakeShape()
			return in.callVal(f, s, n, in.bindAttr(f, s, n, m, x, r.Class), callArgs{pos: []*Val{i}})
		}
	case *LibObject:
		if v := in.sample(f, s, n, r); v != nil {
			return v
		}
		if r.Name == sequentialName || r.Name == moduleListName {
			if len(r.Pos) == 1 && r.Pos[0].Ref != nil && r.Name == moduleListName && in.begin(r) {
				defer in.end(r)
				return in.element(f, s, n, r.Pos[0])
			}
			var out *Val
			for _, p := range r.Pos {
				if isContainer(p) && in.begin(r) {
					p = in.element(f, s, n, p)
					in.end(r)
				}
				out = in.join(out, p)
			}
			return in.joinOr(f, s, n, out, x)
		}
	case nil:
		if v := in.phiElement(f, s, n, x); v != nil {
			return v
		}
		if x.Q.Kind.Known() && !x.Is(domain.Other|domain.Text) {
			// Iterating a tensor yields its rows.
			v := in.val(f, s, n, OpIterate, x.Q, x)
			v.Q.Shape, v.Lib = x.Q.Shape.Index(0), x.Lib
			return v
		}
	}
	v := in.opaque(f, s, n, OpIterate, x)
	if isData(x) {
		v.Q.Grad = domain.Detached
	}
	if x.Ref == nil && x.Q.Shape.MinRank() > 0 { // an array of unknown quantity
		v.Q.Shape, v.Lib = x.Q.Shape.Index(0), x.Lib
	}
	return v
}

// phiElement joins the elements of what x may be where one of it is a sequence, as of a tensor that is put into a list where it is no
// list yet; nil elsewhere.
func (in *interp) phiElement(f *Frame, s *state, n ast.Node, x *Val) *Val {
	isSeq := func(y *Val) bool { _, ok := y.Ref.(*SeqRef); return ok }
	if x.Op != OpPhi || !slices.ContainsFunc(x.In, isSeq) || !in.beginJoin(f, x) {
		return nil
	}
	defer in.endJoin(f, x)
	var out *Val
	for _, y := range x.In {
		if !y.IsNone() {
			out = in.join(out, in.element(f, s, n, y))
		}
	}
	return out
}

func callZip(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if v := in.zipExactly(f, s, n, a); v != nil {
		return v
	}
	if v := in.transpose(f, s, n, a); v != nil {
		return v
	}
	t := &SeqRef{Elems: []*Val{}, owner: in}
	for _, x := range a.pos {
		t.Elems = append(t.Elems, in.element(f, s, n, x))
	}
	if a.open { // zip(*rows): nobody knows how many there are
		t = &SeqRef{Elem: in.unknown, owner: in}
	}
	return in.listOf(f, s, n, in.tuple(f, s, n, t), a)
}

// transpose is zip(*rows), which makes a tuple of columns out of rows that are tuples or
// records; nil for anything else.
func (in *interp) transpose(f *Frame, s *state, n ast.Node, a callArgs) *Val {
	call, ok := n.(*ast.Call)
	if !ok || !a.open || len(a.pos) > 0 || len(call.Args) != 1 {
		return nil
	}
	star, ok := call.Args[0].(*ast.Starred)
	if !ok {
		return nil
	}
	rows := f.Val(star.X)
	if rows == nil {
		return nil
	}
	var cells []*Val
	switch row := in.element(f, s, n, rows).Ref.(type) {
	case *SeqRef:
		cells = row.Elems
	case *Instance:
		for _, x := range row.Class.Fields {
			cells = append(cells, row.Attrs[x.Name])
		}
	}
	if len(cells) == 0 || len(cells) > maxElems || slices.Contains(cells, nil) {
		return nil
	}
	columns := make([]*Val, len(cells))
	for i, cell := range cells {
		columns[i] = in.listOf(f, s, n, cell, callArgs{pos: []*Val{rows}})
	}
	return in.list(f, s, n, rows, columns)
}

// zipExactly is zip of sequences of known elements; nil where one is not known.
func (in *interp) zipExactly(f *Frame, s *state, n ast.Node, a callArgs) *Val {
	length := maxElems
	for _, x := range a.pos {
		r, ok := x.Ref.(*SeqRef)
		if !ok || r.Elems == nil {
			return nil
		}
		length = min(length, len(r.Elems))
	}
	if len(a.pos) == 0 || length == 0 {
		return nil
	}
	list := &SeqRef{List: true, owner: in}
	for i := range length {
		t := &SeqRef{owner: in}
		for _, x := range a.pos {
			t.Elems = append(t.Elems, x.Ref.(*SeqRef).Elems[i])
		}
		list.Elems = append(list.Elems, in.tuple(f, s, n, t))
	}
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), a.all()...)
	v.Ref = list
	return v
}

func callEnumerate(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 0 {
		return nil
	}
	if r, ok := a.pos[0].Ref.(*SeqRef); ok && len(a.pos)+len(a.kw) == 1 && len(r.Elems) > 0 && len(r.Elems) <= maxElems {
		return in.numbered(f, s, n, a.pos[0], r.Elems)
	}
	i := in.val(f, s, n, "builtins.enumerate", domain.Of(domain.Index))
	i.Q.Shape = domain.MakeShape()
	t := &SeqRef{Elems: []*Val{i, in.element(f, s, n, a.pos[0])}, owner: in}
	return in.listOf(f, s, n, in.tuple(f, s, n, t), a)
}

// numbered is enumerate of known elements.
func (in *interp) numbered(f *Frame, s *state, n ast.Node, x *Val, elems []*Val) *Val {
	pairs := make([]*Val, len(elems))
	for i, e := range elems {
		number := in.val(f, s, n, "builtins.enumerate", domain.Of(domain.Index))
		number.Q.Shape, number.Q.Grad, number.Q.Range = domain.MakeShape(), domain.Detached, domain.RangeOf(float64(i))
		number.Const = int64(i)
		pairs[i] = in.tuple(f, s, n, &SeqRef{Elems: []*Val{number, e}, owner: in})
	}
	return in.list(f, s, n, x, pairs)
}

// callTuple is tuple(x) and list(x): a copy that keeps known elements apart.
func callTuple(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 1 {
		if r, ok := a.pos[0].Ref.(*SeqRef); ok && len(r.Elems) > 0 && len(r.Elems) <= maxElems {
			return in.list(f, s, n, a.pos[0], slices.Clone(r.Elems))
		}
	}
	return callList(in, f, s, n, a)
}

// callDraws is a list of elements that were drawn from another.
func callDraws(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 0 || a.pos[0].Ref == nil {
		return nil
	}
	return in.listOf(f, s, n, in.element(f, s, n, a.pos[0]), a)
}

// callChain is one sequence after another.
func callChain(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 0 || a.open {
		return nil
	}
	var elem *Val
	for _, x := range a.pos {
		if x.Ref == nil {
			return nil
		}
		elem = in.join(elem, in.element(f, s, n, x))
	}
	return in.listOf(f, s, n, elem, a)
}

// callChainOf chains the sequences in another.
func callChainOf(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) != 1 {
		return nil
	}
	return callChain(in, f, s, n, callArgs{pos: []*Val{in.element(f, s, n, a.pos[0])}})
}

// callIslice is the elements of its first argument.
func callIslice(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	return callChain(in, f, s, n, callArgs{pos: a.pos[:min(1, len(a.pos))]})
}

// callCollate puts the elements of a list together, as a data loader does.
func callCollate(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) != 1 || a.pos[0].Ref == nil {
		return nil
	}
	return in.stacked(f, s, n, in.element(f, s, n, a.pos[0]), domain.UnknownDim, maxSameDepth)
}

func callList(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 0 || isEmptyList(a.pos[0]) {
		v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other))
		v.Ref = in.listAt(f, n)
		return v
	}
	if r, ok := a.pos[0].Ref.(*SeqRef); ok && r.Elems != nil {
		v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), a.pos...)
		v.Ref = &SeqRef{Elem: in.seqElem(r), List: true, owner: in}
		return v
	}
	return in.listOf(f, s, n, in.element(f, s, n, a.pos[0]), a)
}

func callDeque(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	return callList(in, f, s, n, callArgs{pos: a.pos[:min(1, len(a.pos))]})
}

func callNext(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 0 {
		return nil
	}
	return in.element(f, s, n, a.pos[0])
}

func callMap(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) < 2 {
		return nil
	}
	if r, ok := a.pos[1].Ref.(*SeqRef); ok && len(a.pos) == 2 && len(r.Elems) > 0 && len(r.Elems) <= maxElems {
		out := make([]*Val, len(r.Elems))
		for i, x := range r.Elems {
			out[i] = in.callVal(f, s, n, a.pos[0], callArgs{pos: []*Val{x}})
		}
		return in.list(f, s, n, a.pos[1], out)
	}
	var args callArgs
	for _, x := range a.pos[1:] {
		args.pos = append(args.pos, in.element(f, s, n, x))
	}
	return in.listOf(f, s, n, in.callVal(f, s, n, a.pos[0], args), a)
}

func callRange(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	q := domain.Of(domain.Index)
	q.Grad, q.Shape = domain.Detached, domain.MakeShape()
	return in.listOf(f, s, n, in.val(f, s, n, "builtins.range", q, a.pos...), a)
}

func (in *interp) tuple(f *Frame, s *state, n ast.Node, r *SeqRef) *Val {
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), r.Elems...)
	v.Ref = r
	return v
}

// listOf is a sequence of unknown length with that element.
func (in *interp) listOf(f *Frame, s *state, n ast.Node, elem *Val, a callArgs) *Val {
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), a.all()...)
	v.Ref = &SeqRef{Elem: elem, List: true, owner: in}
	return v
}
