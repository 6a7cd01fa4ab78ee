package domain

import "math"

// Shape arithmetic, as torch and numpy do it. Bottom stays bottom, unknown
// rank stays unknown, and an operation that would be an error in Python gives
// UnknownShape: reporting it is the business of a rule, not of the lattice.

// Dim returns dimension i of s, counted from the end when negative.
func (s Shape) Dim(i int) (Dim, bool) {
	i, ok := s.axis(i)
	if !ok {
		return UnknownDim, false
	}
	return s.Dims[i], true
}

// axis normalises a Python axis number.
func (s Shape) axis(i int) (int, bool) {
	if i < 0 {
		i += int(s.Rank)
	}
	return i, s.Known() && i >= 0 && i < int(s.Rank)
}

// dims returns the dimensions of a known shape.
func (s *Shape) dims() []Dim { return s.Dims[:s.Rank] }

// remake builds a shape out of changed dimensions of s.
func (s Shape) remake(change func(d []Dim) []Dim) Shape {
	if !s.Known() {
		return s
	}
	buf := make([]Dim, 0, MaxRank+1)
	d := change(append(buf, s.dims()...))
	if d == nil {
		return UnknownShape
	}
	return MakeShape(d...)
}

// Numel returns the number of elements, if every size is constant.
func (s Shape) Numel() (int, bool) {
	if !s.Known() {
		return 0, false
	}
	p := ConstDim(1)
	for _, d := range s.dims() {
		p = p.Times(d)
	}
	return int(p.N), p.N >= 0
}

// Times returns the dimension of a product of sizes; it is unknown where a
// size is, or where the product is no size that a tensor can have.
func (d Dim) Times(e Dim) Dim {
	if d.N < 0 || e.N < 0 {
		return UnknownDim
	}
	return sizeOf(int64(d.N) * int64(e.N))
}

// sizeOf returns a dimension of n elements, unknown above 2^31.
func sizeOf(n int64) Dim {
	if n > math.MaxInt32 {
		return UnknownDim
	}
	return Dim{N: int32(n)}
}

// Broadcast returns the shape of an element-wise operation on s and o.
func (s Shape) Broadcast(o Shape) Shape {
	switch {
	case !s.set || !o.set:
		return Shape{}
	case !s.Known() || !o.Known():
		return UnknownShape
	}
	if s.Rank < o.Rank {
		s, o = o, s
	}
	off := s.Rank - o.Rank
	for i := range o.Rank {
		d, ok := s.Dims[off+i].broadcast(o.Dims[i])
		if !ok {
			return UnknownShape
		}
		s.Dims[off+i] = d
	}
	return s
}

// broadcast returns the dimension that d and e stretch to; ok is false when
// the sizes contradict each other.
func (d Dim) broadcast(e Dim) (Dim, bool) {
	switch {
	case d.N == 1:
		return e.over(d), true
	case e.N == 1:
		return d.over(e), true
	case d.N >= 0 && e.N >= 0 && d.N != e.N:
		return UnknownDim, false
	}
	return d.merge(e), true
}

// over is d stretched over a dimension of size 1. The meaning is that of d
// unless d may be of size 1 too, where both must agree on what they know.
func (d Dim) over(one Dim) Dim {
	switch {
	case d.N > 1 || one.Axis == AxisUnknown:
	case d.N == 1 && d.Axis == AxisUnknown:
		d.Axis = one.Axis
	case d.Axis != one.Axis:
		d.Axis = AxisUnknown
	}
	return d
}

// merge combines what two equal dimensions say of each other. A known size
// other than 1 wins over an unknown one, which can only be that or 1. An
// unknown size that could be 1 leaves a symbol uncertain.
func (d Dim) merge(e Dim) Dim {
	m := d.Join(e)
	switch {
	case d.N > 1:
		m.N, m.Sym = d.N, d.Sym
	case e.N > 1:
		m.N, m.Sym = e.N, e.Sym
	}
	return m
}

// Reduce returns the shape after a reduction over the axes; no axes means all.
func (s Shape) Reduce(keepdim bool, axes ...int) Shape {
	if !s.set {
		return s
	}
	if len(axes) == 0 && !keepdim {
		return MakeShape()
	}
	if !s.Known() {
		return s
	}
	gone := [MaxRank]bool{}
	for _, a := range axes {
		i, ok := s.axis(a)
		if !ok {
			return UnknownShape
		}
		gone[i] = true
	}
	return s.remake(func(d []Dim) []Dim {
		out := d[:0]
		for i := range d {
			switch {
			case !gone[i] && len(axes) > 0:
				out = append(out, d[i])
			case keepdim:
				out = append(out, ConstDim(1))
			}
		}
		return out
	})
}

// Unsqueeze inserts a dimension of size 1 before axis at.
func (s Shape) Unsqueeze(at int) Shape {
	return s.remake(func(d []Dim) []Dim {
		if at < 0 {
			at += len(d) + 1
		}
		if at < 0 || at > len(d) {
			return nil
		}
		d = append(d, Dim{})
		copy(d[at+1:], d[at:])
		d[at] = ConstDim(1)
		return d
	})
}

// Squeeze drops the given axes where their size is 1; no axes means all. A
// dropped axis must have a known size, else the rank is unknown.
func (s Shape) Squeeze(axes ...int) Shape {
	if !s.Known() {
		return s
	}
	chosen := [MaxRank]bool{}
	for i := range s.dims() {
		chosen[i] = len(axes) == 0
	}
	for _, a := range axes {
		i, ok := s.axis(a)
		if !ok {
			return UnknownShape
		}
		chosen[i] = true
	}
	return s.remake(func(d []Dim) []Dim {
		out := d[:0]
		for i, x := range d {
			switch {
			case !chosen[i] || x.N > 1 || x.N == 0:
				out = append(out, x)
			case x.N < 0:
				return nil
			}
		}
		return out
	})
}

// View returns the shape with the given sizes; one of them may be -1, the
// rest of the elements, which is computed when the others divide constants.
func (s Shape) View(sizes ...Dim) Shape {
	if !s.set {
		return s
	}
	out := MakeShape(sizes...)
	if !out.Known() {
		return out
	}
	total, ok := s.Numel()
	for i, d := range out.dims() {
		if d == Rest {
			out.Dims[i] = UnknownDim
			if rest, known := restOf(out, i); ok && known && rest > 0 && total%rest == 0 {
				out.Dims[i] = ConstDim(total / rest)
			}
		}
	}
	return out
}

// Rest is the size -1 of a view: whatever is left.
var Rest = Dim{N: -2}

// restOf returns the product of all sizes but the i-th.
func restOf(s Shape, i int) (int, bool) {
	s.Dims[i] = ConstDim(1)
	return s.Numel()
}

// Index returns the shape after x[i] with an integer: the axis is gone.
func (s Shape) Index(axis int) Shape { return s.Reduce(false, axis) }

// Slice returns the shape after a slice of an axis: its size becomes d.
func (s Shape) Slice(axis int, d Dim) Shape {
	i, ok := s.axis(axis)
	if !s.Known() {
		return s
	}
	if !ok {
		return UnknownShape
	}
	if d.Axis == AxisUnknown {
		d.Axis = s.Dims[i].Axis
	}
	s.Dims[i] = d
	return s
}

// Transpose swaps two axes.
func (s Shape) Transpose(a, b int) Shape {
	i, ok := s.axis(a)
	j, ok2 := s.axis(b)
	switch {
	case !s.Known():
		return s
	case !ok || !ok2:
		return UnknownShape
	}
	s.Dims[i], s.Dims[j] = s.Dims[j], s.Dims[i]
	return s
}

// Permute reorders all axes.
func (s Shape) Permute(order ...int) Shape {
	if !s.Known() {
		return s
	}
	if len(order) != int(s.Rank) {
		return UnknownShape
	}
	out := s
	seen := [MaxRank]bool{}
	for i, a := range order {
		j, ok := s.axis(a)
		if !ok || seen[j] {
			return UnknownShape
		}
		seen[j] = true
		out.Dims[i] = s.Dims[j]
	}
	return out
}

// Cat returns the shape of s and o joined along an axis.
func (s Shape) Cat(axis int, o Shape) Shape {
	switch {
	case !s.set || !o.set:
		return Shape{}
	case !s.Known() || s.Rank != o.Rank:
		return UnknownShape
	}
	i, ok := s.axis(axis)
	if !ok {
		return UnknownShape
	}
	sum := UnknownDim
	if a, b := s.Dims[i].N, o.Dims[i].N; a >= 0 && b >= 0 {
		sum = sizeOf(int64(a) + int64(b))
	}
	out := s.Join(o)
	sum.Axis = out.Dims[i].Axis
	out.Dims[i] = sum
	return out
}

// Stack returns the shape of n values of shape s under a new axis; n is a
// Dim since the number is often not constant.
func (s Shape) Stack(axis int, n Dim) Shape {
	u := s.Unsqueeze(axis)
	if !u.Known() {
		return u
	}
	if axis < 0 {
		axis += int(u.Rank)
	}
	return u.Slice(axis, n)
}

// Expand returns the shape stretched to sizes; Rest (-1) keeps a size.
func (s Shape) Expand(sizes ...Dim) Shape {
	if !s.set {
		return s
	}
	out := MakeShape(sizes...)
	if !out.Known() {
		return out
	}
	off := int(out.Rank) - int(s.Rank)
	for i, d := range out.dims() {
		switch {
		case d != Rest:
		case s.Known() && i >= off && off >= 0:
			out.Dims[i] = s.Dims[i-off]
		default:
			out.Dims[i] = UnknownDim
		}
	}
	return out
}

// DropLast returns the shape without its last n axes.
func (s Shape) DropLast(n int) Shape {
	return s.remake(func(d []Dim) []Dim {
		if n > len(d) {
			return nil
		}
		return d[:len(d)-n]
	})
}

// Append returns the shape with one more axis at the end.
func (s Shape) Append(d Dim) Shape {
	return s.remake(func(ds []Dim) []Dim { return append(ds, d) })
}

// MatMul returns the shape of s @ o.
func (s Shape) MatMul(o Shape) Shape {
	switch {
	case !s.set || !o.set:
		return Shape{}
	case !s.Known() || !o.Known() || s.Rank == 0 || o.Rank == 0:
		return UnknownShape
	case s.Rank == 1 && o.Rank == 1:
		return MakeShape()
	case o.Rank == 1:
		return s.DropLast(1)
	case s.Rank == 1:
		return o.Transpose(-1, -2).DropLast(1)
	}
	row, _ := s.Dim(-2)
	col, _ := o.Dim(-1)
	batch := s.DropLast(2).Broadcast(o.DropLast(2))
	return batch.Append(row).Append(col)
}

// Flatten joins the axes from..to into one.
func (s Shape) Flatten(from, to int) Shape {
	if !s.Known() {
		if s.set && from == 0 && to == -1 {
			return MakeShape(UnknownDim)
		}
		return s
	}
	if s.Rank == 0 {
		return MakeShape(ConstDim(1))
	}
	i, ok := s.axis(from)
	j, ok2 := s.axis(to)
	if !ok || !ok2 || i > j {
		return UnknownShape
	}
	return s.remake(func(d []Dim) []Dim {
		joined := ConstDim(1)
		for _, x := range d[i : j+1] {
			joined = joined.Times(x)
		}
		if i == j {
			joined = d[i]
		}
		return append(append(d[:i:i], joined), d[j+1:]...)
	})
}

// IsBottom reports whether nothing flows here.
func (s Shape) IsBottom() bool { return !s.set }
