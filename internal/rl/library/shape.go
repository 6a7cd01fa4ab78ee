package library

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// shapeRules is the closed list of shape rules.
var shapeRules = map[string]ruleDef[domain.Shape]{
	"unknown":   fixed(domain.UnknownShape),
	"scalar":    fixed(domain.MakeShape()),
	"vector":    fixed(domain.MakeShape(domain.UnknownDim)),
	"matrix":    fixed(domain.MakeShape(domain.UnknownDim, domain.UnknownDim)),
	"same":      {fn: sameShape, min: 1, max: 1},
	"broadcast": {fn: broadcast, min: 2, max: 4},
	"reduce":    {fn: reduce, min: 2, max: 3},
	"droplast":  {fn: dropLast, min: 1, max: 2},
	"setlast":   {fn: setLast, min: 2, max: 2},
	"append":    {fn: appendDim, min: 2, max: 2},
	"view":      {fn: view, min: 2, max: 2},
	"flatten":   {fn: flatten, min: 3, max: 3},
	"unflatten": {fn: unflatten, min: 3, max: 3},
	"squeeze":   {fn: squeeze, min: 2, max: 2},
	"unsqueeze": {fn: unsqueeze, min: 2, max: 2},
	"transpose": {fn: transpose, min: 3, max: 3},
	"permute":   {fn: permute, min: 2, max: 2},
	"expand":    {fn: expand, min: 2, max: 2},
	"tile":      {fn: tile, min: 2, max: 2},
	"tiled":     {fn: tiled, min: 2, max: 2},
	"repeated":  {fn: repeated, min: 3, max: 3},
	"cat":       {fn: cat, min: 2, max: 2},
	"stack":     {fn: stack, min: 2, max: 2},
	"vstack":    {fn: vstack, min: 1, max: 1},
	"matmul":    {fn: matmul, min: 2, max: 2},
	"atleast":   {fn: atLeast, min: 1, max: 1},
	"size":      {fn: size, min: 1, max: 1},
	"drawn":     {fn: drawn, min: 1, max: 3},
	"created":   {fn: created, min: 2, max: 2},
	"index":     {fn: indexSelect, min: 3, max: 3},
	"rearrange": {fn: rearrange, min: 2, max: 2},
	"loss":      {fn: lossShape, min: 2, max: 2},
	"getitem":   {fn: getItem, min: 2, max: 2},
	"join":      {fn: joinShapes, min: 2, max: 2},
}

// shapeOf returns the shape of an argument, unknown where it is not given.
func shapeOf(a Args, p ref) domain.Shape {
	if o := a.operand(p); o != nil {
		return o.displayShape()
	}
	return domain.UnknownShape
}

func sameShape(a Args, p []ref) domain.Shape { return shapeOf(a, p[0]) }

// broadcast stretches the arguments that are given; scalars do not matter. Where none is given,
// they are in a list that is not known.
func broadcast(a Args, p []ref) domain.Shape {
	s, given := domain.MakeShape(), false
	for _, name := range p {
		if o := a.operand(name); o != nil && o.Const != (None{}) {
			s, given = s.Broadcast(o.displayShape()), true
		}
	}
	if !given {
		return domain.UnknownShape
	}
	return s
}

// joinShapes is the shape of either of two values.
func joinShapes(a Args, p []ref) domain.Shape { return shapeOf(a, p[0]).Join(shapeOf(a, p[1])) }

// reduce removes the axes; the third parameter is keepdim.
func reduce(a Args, p []ref) domain.Shape {
	s := shapeOf(a, p[0])
	list, all, ok := axes(a, p[1])
	keep, sure := false, true
	if len(p) > 2 {
		keep, sure = flag(a, p[2])
	}
	switch {
	case s.IsBottom():
		return s
	case !ok || !sure:
		return domain.UnknownShape
	case all && !keep:
		return domain.MakeShape()
	}
	return s.Reduce(keep, list...)
}

// flag reads a bool argument that is False where it is not given.
func flag(a Args, p ref) (value, sure bool) {
	o, ok := a.get(p)
	if !ok {
		return false, true
	}
	b, ok := o.Const.(bool)
	return b, ok
}

// dropLast removes the last axes, one or as many as the second argument says.
func dropLast(a Args, p []ref) domain.Shape {
	if len(p) == 1 {
		return shapeOf(a, p[0]).DropLast(1)
	}
	n, ok := constOf(a, p[1])
	if !ok || n < 0 {
		return domain.UnknownShape
	}
	return shapeOf(a, p[0]).DropLast(small(int64(n)))
}

// setLast gives the last axis the size of an argument. What it meant is over: the
// features of a layer are not those of its input.
func setLast(a Args, p []ref) domain.Shape {
	s := shapeOf(a, p[0])
	if s.Known() && s.Rank == 0 {
		return domain.UnknownShape
	}
	return s.DropLast(1).Append(dimOf(a, p[1]))
}

// appendDim adds an axis of the size of an argument.
func appendDim(a Args, p []ref) domain.Shape { return shapeOf(a, p[0]).Append(dimOf(a, p[1])) }

func view(a Args, p []ref) domain.Shape {
	s := shapeOf(a, p[0])
	list, ok := sizes(a, p[1])
	if !ok {
		return domain.UnknownShape
	}
	return s.View(list...)
}

func expand(a Args, p []ref) domain.Shape {
	list, ok := sizes(a, p[1])
	if !ok {
		return domain.UnknownShape
	}
	return shapeOf(a, p[0]).Expand(list...)
}

// tiled is the shape of tile(x, sizes), where fewer numbers than axes are those of the last ones: of how many there are, x has to tell.
func tiled(a Args, p []ref) domain.Shape {
	if !shapeOf(a, p[0]).Known() {
		return domain.UnknownShape
	}
	return tile(a, p)
}

// tile multiplies sizes, as Tensor.repeat does, which takes no fewer numbers than there are axes.
func tile(a Args, p []ref) domain.Shape {
	s := shapeOf(a, p[0])
	list, ok := sizes(a, p[1])
	if !ok || s.IsBottom() || len(list) > domain.MaxRank {
		return domain.UnknownShape
	}
	for s.Known() && len(list) < int(s.Rank) {
		list = append([]domain.Dim{domain.ConstDim(1)}, list...)
	}
	out := make([]domain.Dim, len(list))
	for i, n := range list {
		d, ok := s.Dim(i - len(list))
		if !ok && s.Known() {
			d = domain.ConstDim(1)
		}
		switch {
		case n.N == 1:
			out[i] = d
		default:
			out[i] = d.Times(n)
			out[i].Axis = d.Axis
		}
	}
	return domain.MakeShape(out...)
}

// repeated is repeat_interleave(x, n, dim): one axis is n times as long, and without dim there is
// one axis only.
func repeated(a Args, p []ref) domain.Shape {
	s := shapeOf(a, p[0])
	dim := a.operand(p[2])
	if s.IsBottom() {
		return s
	}
	if dim == nil || dim.Const == (None{}) {
		return domain.MakeShape(domain.UnknownDim)
	}
	axis, ok := dim.Const.(int64)
	if !ok || axis < -domain.MaxRank || axis >= domain.MaxRank {
		return domain.UnknownShape
	}
	size := domain.UnknownDim
	if was, known := s.Dim(int(axis)); known {
		if o := a.operand(p[1]); o != nil {
			if n, ok := o.Const.(int64); ok && n > 0 && n < 1<<20 {
				size = was.Times(domain.ConstDim(int(n)))
			}
		}
		size.Axis = was.Axis
	}
	return s.Slice(int(axis), size)
}

// flatten joins the axes from a start to an end.
func flatten(a Args, p []ref) domain.Shape {
	s := shapeOf(a, p[0])
	from, to := 0, -1
	for i, at := range []*int{&from, &to} {
		if o, ok := a.get(p[1+i]); ok {
			n, isInt := o.Const.(int64)
			if !isInt {
				return domain.UnknownShape
			}
			*at = small(n)
		}
	}
	return s.Flatten(from, to)
}

// unflatten takes one axis apart.
func unflatten(a Args, p []ref) domain.Shape {
	s := shapeOf(a, p[0])
	at, ok := axis(a, p[1])
	list, known := sizes(a, p[2])
	rank := int(s.Rank)
	if at < 0 {
		at += rank
	}
	if !ok || !known || !s.Known() || at < 0 || at >= rank || rank-1+len(list) > domain.MaxRank {
		return domain.UnknownShape
	}
	var out []domain.Dim
	for i := range rank {
		d, _ := s.Dim(i)
		if i != at {
			out = append(out, d)
			continue
		}
		parts := domain.MakeShape(d).View(list...)
		for j := range len(list) {
			part, _ := parts.Dim(j)
			out = append(out, part)
		}
	}
	return domain.MakeShape(out...)
}

func squeeze(a Args, p []ref) domain.Shape {
	list, _, ok := axes(a, p[1])
	if !ok {
		return domain.UnknownShape
	}
	return shapeOf(a, p[0]).Squeeze(list...)
}

// axis reads one constant axis.
func axis(a Args, p ref) (int, bool) {
	o, ok := a.get(p)
	if !ok {
		return 0, false
	}
	n, ok := o.Const.(int64)
	return small(n), ok
}

func unsqueeze(a Args, p []ref) domain.Shape {
	at, ok := axis(a, p[1])
	if !ok {
		return domain.UnknownShape
	}
	return shapeOf(a, p[0]).Unsqueeze(at)
}

func transpose(a Args, p []ref) domain.Shape {
	i, ok := axis(a, p[1])
	j, ok2 := axis(a, p[2])
	if !ok || !ok2 {
		return domain.UnknownShape
	}
	return shapeOf(a, p[0]).Transpose(i, j)
}

func permute(a Args, p []ref) domain.Shape {
	list, ok := sizes(a, p[1])
	if !ok {
		return domain.UnknownShape
	}
	order := make([]int, len(list))
	for i, d := range list {
		switch {
		case d == domain.Rest:
			order[i] = -1
		case d.N >= 0:
			order[i] = int(d.N)
		default:
			return domain.UnknownShape
		}
	}
	return shapeOf(a, p[0]).Permute(order...)
}

// elems returns the elements of a list argument, and the axis, which is 0 where it is
// not given. Of a list of unknown length, which many says, there is one that stands for all.
func elems(a Args, p []ref) (list []Operand, many bool, at int, ok bool) {
	if list, many, ok = listed(a, p[0]); !ok {
		return nil, false, 0, false
	}
	if _, given := a.get(p[1]); given {
		if at, ok = axis(a, p[1]); !ok {
			return nil, false, 0, false
		}
	}
	return list, many, at, true
}

// listed returns the elements of a list argument as elems does.
func listed(a Args, p ref) (list []Operand, many, ok bool) {
	o, given := a.get(p)
	switch {
	case given && len(o.Elems) > 0:
		return o.Elems, false, true
	case given && o.List && o.Elems == nil:
		return []Operand{{V: o.V}}, true, true
	}
	return nil, false, false
}

func cat(a Args, p []ref) domain.Shape {
	list, many, at, ok := elems(a, p)
	if !ok {
		return domain.UnknownShape
	}
	s := complete(list[0]).V.Shape
	if many {
		return s.Slice(at, domain.UnknownDim)
	}
	for _, e := range list[1:] {
		s = s.Cat(at, complete(e).V.Shape)
	}
	return s
}

func stack(a Args, p []ref) domain.Shape {
	list, many, at, ok := elems(a, p)
	if !ok {
		return domain.UnknownShape
	}
	var s domain.Shape
	for _, e := range list {
		s = s.Join(complete(e).V.Shape)
	}
	if many {
		return s.Stack(at, domain.UnknownDim)
	}
	return s.Stack(at, domain.ConstDim(len(list)))
}

// vstack is the shape of rows one below another, where each is a number or a vector; of
// others they are joined along the first axis.
func vstack(a Args, p []ref) domain.Shape {
	list, many, ok := listed(a, p[0])
	if !ok {
		return domain.UnknownShape.AtLeast(2)
	}
	var s domain.Shape
	for _, e := range list {
		s = s.Join(complete(e).V.Shape)
	}
	rows := domain.UnknownDim
	if !many {
		rows = domain.ConstDim(len(list))
	}
	switch {
	case s.IsBottom():
		return s
	case s.Known() && s.Rank == 0:
		return domain.MakeShape(rows, domain.ConstDim(1))
	case s.Known() && s.Rank == 1:
		return s.Stack(0, rows)
	case s.Known():
		return s.Slice(0, domain.UnknownDim)
	}
	return domain.UnknownShape.AtLeast(2)
}

func matmul(a Args, p []ref) domain.Shape { return shapeOf(a, p[0]).MatMul(shapeOf(a, p[1])) }

// size is the shape that a factory is told to make: zeros(2, 3), randn(n).
func size(a Args, p []ref) domain.Shape {
	list, ok := sizes(a, p[0])
	if !ok {
		return domain.UnknownShape
	}
	return domain.MakeShape(list...)
}

// drawn is the shape of draws: the size that was asked for, else that of the law's parameters together.
func drawn(a Args, p []ref) domain.Shape {
	if o := a.operand(p[0]); o != nil && o.Const != (None{}) {
		return size(a, p[:1])
	}
	s := domain.MakeShape()
	for _, name := range p[1:] {
		if o := a.operand(name); o != nil && o.Const != (None{}) {
			s = s.Broadcast(o.displayShape())
		}
	}
	return s
}

// created is the shape of Tensor(data), or of Tensor(n, *more), which has these sizes. There is one axis at least: a
// number that is no size raises.
func created(a Args, p []ref) domain.Shape {
	o, ok := a.get(p[0])
	if !ok {
		return domain.UnknownShape.AtLeast(1)
	}
	s := o.displayShape()
	_, constant := o.Const.(int64)
	switch {
	case !s.Known() || s.Rank > 0:
		return s.AtLeast(1)
	case !constant && !o.V.Is(domain.Count|domain.Index):
		return domain.UnknownShape.AtLeast(1)
	}
	sizes := []domain.Dim{sizeDim(o)}
	for _, n := range a.rest {
		sizes = append(sizes, sizeDim(n))
	}
	return domain.MakeShape(sizes...)
}

// atLeast is a shape of which only the least rank is known.
func atLeast(a Args, p []ref) domain.Shape {
	n, _ := axis(a, p[0])
	return domain.UnknownShape.AtLeast(n)
}

// DisplayShape is the shape of the array that a list makes, or a value.
func (o *Operand) DisplayShape() domain.Shape { return o.displayShape() }

// displayShape is the shape of the array that an operand makes: its own, or
// that of its elements under one more axis.
func (o *Operand) displayShape() domain.Shape {
	switch {
	case o.Elems == nil && !o.List:
		return o.constShape()
	case o.Elems == nil: // V is what each of the elements is
		return o.V.Shape.Stack(0, domain.UnknownDim)
	}
	var s domain.Shape
	for _, e := range o.Elems {
		e = complete(e)
		s = s.Join(e.displayShape())
	}
	if s.IsBottom() {
		s = domain.MakeShape()
	}
	return s.Stack(0, domain.ConstDim(len(o.Elems)))
}

// constShape is the shape of an operand; a constant list is a vector.
func (o *Operand) constShape() domain.Shape {
	switch c := o.Const.(type) {
	case []int64:
		return domain.MakeShape(domain.ConstDim(len(c)))
	case []any:
		return domain.UnknownShape
	}
	return o.V.Shape
}

// indexSelect replaces an axis by the shape of a one-dimensional index.
func indexSelect(a Args, p []ref) domain.Shape {
	at, ok := axis(a, p[1])
	if !ok {
		return domain.UnknownShape
	}
	d, _ := shapeOf(a, p[2]).Dim(0)
	return shapeOf(a, p[0]).Slice(at, d)
}

// lossShape is the shape of a loss: a scalar, unless reduction is "none".
func lossShape(a Args, p []ref) domain.Shape {
	o, ok := a.get(p[1])
	switch {
	case !ok || o.Const == "mean" || o.Const == "sum" || o.Const == "batchmean":
		return domain.MakeShape()
	case o.Const == "none":
		return shapeOf(a, p[0])
	}
	return domain.UnknownShape
}

// getItem is the shape of x[index] for integers and None; what a slice or an
// index tensor leaves is for the caller to say.
func getItem(a Args, p []ref) domain.Shape {
	s := shapeOf(a, p[0])
	o, _ := a.get(p[1])
	list := o.Elems
	if list == nil {
		list = []Operand{o}
	}
	at := 0
	for _, e := range list {
		switch e.Const.(type) {
		case int64:
			s = s.Index(at)
		case None:
			s = s.Unsqueeze(at)
			at++
		default:
			return domain.UnknownShape
		}
	}
	return s
}
