package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"maps"
	"slices"
)

// What comes out of a data loader is what the program put into the data set: records
// from a replay buffer with __getitem__, put together by the program's own collate_fn,
// or rows of the tensors of a TensorDataset.

const (
	loaderName  = "torch.utils.data.DataLoader"
	tensorsName = "torch.utils.data.TensorDataset"
)

// sample is what iterating a data set or a loader of a library yields; nil where o is
// neither.
func (in *interp) sample(f *Frame, s *state, n ast.Node, o *LibObject) *Val {
	switch o.Name {
	case tensorsName:
		rows := make([]*Val, 0, len(o.Pos))
		for _, x := range o.Pos {
			rows = append(rows, in.element(f, s, n, x))
		}
		return in.tuple(f, s, n, &SeqRef{Elems: rows, owner: in})
	case loaderName:
		return in.batch(f, s, n, o)
	case datasetName:
		v := in.val(f, s, n, OpIterate, domain.Of(domain.Other), o.Args[rowArg])
		v.Ref = in.rowOf(&Val{Ref: o})
		return v
	}
	return nil
}

// batch is what a loader yields: its data set's elements, put together.
func (in *interp) batch(f *Frame, s *state, n ast.Node, o *LibObject) *Val {
	a := callArgs{pos: o.Pos}
	for _, k := range slices.Sorted(maps.Keys(o.Args)) {
		a.kw = append(a.kw, kwArg{k, o.Args[k]})
	}
	data := a.arg(0, "dataset")
	if data == nil || data.Ref == nil || !in.begin(o) {
		return nil
	}
	defer in.end(o)
	elem := in.element(f, s, n, data)
	if collate := a.arg(6, "collate_fn"); collate != nil && !collate.IsNone() {
		return in.callVal(f, s, n, collate, callArgs{pos: []*Val{in.listOf(f, s, n, elem, callArgs{pos: []*Val{data}})}})
	}
	size := a.arg(1, "batch_size")
	switch {
	case size != nil && size.IsNone(): // elements as they are
		return elem
	case size == nil && a.get("batch_sampler") == nil && !a.open:
		return in.stacked(f, s, n, elem, domain.ConstDim(1), maxSameDepth)
	}
	return in.stacked(f, s, n, elem, domain.UnknownDim, maxSameDepth)
}

// stacked is as many elements of one structure put together: tensors have one more axis, and numbers are a vector.
func (in *interp) stacked(f *Frame, s *state, n ast.Node, x *Val, rows domain.Dim, depth int) *Val {
	if depth == 0 {
		return in.opaque(f, s, n, OpIterate, x)
	}
	switch r := x.Ref.(type) {
	case *SeqRef:
		t := &SeqRef{Names: r.Names, owner: in}
		for _, e := range r.Elems {
			t.Elems = append(t.Elems, in.stacked(f, s, n, e, rows, depth-1))
		}
		if r.Elem != nil {
			t.Elem = in.stacked(f, s, n, r.Elem, rows, depth-1)
		}
		return in.tuple(f, s, n, t)
	case *DictRef:
		d := in.newDict()
		for _, k := range slices.Sorted(maps.Keys(r.Fields)) {
			d.set(k, in.stacked(f, s, n, r.Fields[k], rows, depth-1))
		}
		d.Open = r.Open
		v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), x)
		v.Ref = d
		return v
	}
	shape := domain.UnknownShape
	if x.Ref == nil && !x.Is(domain.Text|domain.Other) {
		shape = x.Q.Shape.Stack(0, rows)
	}
	if x.Const != nil || !x.Q.Kind.Known() {
		v := in.opaque(f, s, n, OpIterate, x)
		v.Q.Grad, v.Q.Shape = x.Q.Grad, shape
		return v
	}
	v := in.val(f, s, n, OpIterate, x.Q, x)
	v.Q.Shape, v.Lib = shape, LibTorch
	return v
}
