package domain

import (
	"math"
	"slices"
)

// Shape arithmetic, as torch and numpy do it. Bottom stays bottom, of an unknown
// rank the last axes are followed as far as they surely stay the last, and an
// operation that would be an error in Python gives UnknownShape: reporting it is the
// business of a rule, not of the lattice.

// Dim returns dimension i of s, counted from the end when negative; of an unknown rank
// only the last ones can be known.
func (s Shape) Dim(i int) (Dim, bool) {
	i, ok := s.axis(i)
	if !ok {
		return UnknownDim, false
	}
	return s.Dims[i], true
}

// axis normalises a Python axis number to a position in dims.
func (s Shape) axis(i int) (int, bool) {
	n := len(s.dims())
	if i < 0 {
		i += n
	} else if !s.Known() {
		return i, false
	}
	return i, s.set && i >= 0 && i < n
}

// remake builds a shape out of changed dimensions of s, of known rank if that of s is.
func (s Shape) remake(change func(d []Dim) []Dim) Shape {
	if !s.set {
		return s
	}
	buf := make([]Dim, 0, MaxRank+1)
	d := change(append(buf, s.dims()...))
	switch {
	case d == nil:
		return UnknownShape
	case s.Known():
		return MakeShape(d...)
	}
	return EndingIn(d...)
}

// last returns a shape of unknown rank with only the n last of the known axes.
func (s Shape) last(n int) Shape {
	d := s.dims()
	return EndingIn(d[len(d)-min(max(n, 0), len(d)):]...)
}

// behind returns how many of the known last axes of a shape of unknown rank surely stand
// behind axis i, counted from the front.
func (s Shape) behind(i int) int { return max(0, int(s.Tail)-1-i) }

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
		return s.broadcastEnds(o)
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

// broadcastEnds is Broadcast where not both ranks are known.
func (s Shape) broadcastEnds(o Shape) Shape {
	if s.MinRank() < o.MinRank() {
		s, o = o, s
	}
	if s.MinRank() == 0 { // of most values nothing is known
		return UnknownShape
	}
	x, y := s.dims(), o.dims()
	out := EndingIn(x...)
	off := len(x) - len(y)
	for i, d := range x {
		switch {
		case i >= off:
			m, ok := d.broadcast(y[i-off])
			if !ok {
				return UnknownShape
			}
			out.Dims[i] = m
		case !o.Known(): // whatever else stands here is of this size, or 1
			out.Dims[i] = UnknownDim
			if d.N > 1 {
				out.Dims[i] = Dim{N: d.N, Sym: d.Sym}
			}
		}
	}
	return out
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
	for _, a := range axes {
		s = s.having(a)
	}
	gone := [MaxRank]bool{}
	for _, a := range axes {
		i, ok := s.axis(a)
		switch {
		case ok:
			gone[i] = true
		case s.Known():
			return UnknownShape
		}
	}
	if !s.Known() {
		return s.reduceEnd(keepdim, gone, axes)
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

// reduceEnd is Reduce of an unknown rank: gone are the axes that are counted from the
// end. One that is counted from the front leaves what surely stands behind it.
func (s Shape) reduceEnd(keepdim bool, gone [MaxRank]bool, axes []int) Shape {
	sure := int(s.Tail)
	for _, a := range axes {
		if a >= 0 {
			sure = min(sure, s.behind(a))
		}
	}
	n := int(s.Tail)
	out := make([]Dim, 0, MaxRank)
	for i, d := range s.dims() {
		switch {
		case keepdim && (gone[i] || len(axes) == 0):
			out = append(out, ConstDim(1))
		case gone[i]:
		case i >= n-sure:
			out = append(out, d)
		case keepdim:
			out = append(out, d.Join(ConstDim(1)))
		}
	}
	if keepdim {
		return EndingIn(out...)
	}
	return EndingIn(out...).AtLeast(n - len(axes))
}

// having returns s where it is known to have axis a.
func (s Shape) having(a int) Shape {
	if a < 0 {
		return s.AtLeast(-a)
	}
	return s.AtLeast(min(a, MaxRank) + 1)
}

// Unsqueeze inserts a dimension of size 1 before axis at.
func (s Shape) Unsqueeze(at int) Shape { return s.insert(at, ConstDim(1)) }

// insert inserts a dimension before axis at, which counts the new one.
func (s Shape) insert(at int, x Dim) Shape {
	if s.set && !s.Known() {
		switch {
		case at >= 0:
			s = s.AtLeast(min(at, MaxRank))
			return s.last(int(s.Tail) - at).AtLeast(min(int(s.Tail)+1, MaxRank))
		case at < -1-MaxRank:
			return s // somewhere before the known axes
		}
		s = s.AtLeast(-1 - at)
	}
	return s.remake(func(d []Dim) []Dim {
		if at < 0 {
			at += len(d) + 1
		}
		if at < 0 || at > len(d) {
			return nil
		}
		return slices.Insert(d, at, x)
	})
}

// Squeeze drops the given axes where their size is 1; no axes means all. Where the
// size of one is not known the rank is unknown from then on, and only what stands
// behind it is left.
func (s Shape) Squeeze(axes ...int) Shape {
	if !s.set {
		return s
	}
	chosen := [MaxRank]bool{}
	for i := range s.dims() {
		chosen[i] = len(axes) == 0
	}
	sure := len(s.dims())
	for _, a := range axes {
		i, ok := s.axis(a)
		switch {
		case ok:
			chosen[i] = true
		case s.Known():
			return UnknownShape
		case a >= 0:
			sure = min(sure, s.behind(a))
		}
	}
	d := s.dims()
	out, known := make([]Dim, 0, MaxRank), s.Known()
	for i, x := range d {
		switch {
		case i < len(d)-sure || chosen[i] && x.N < 0:
			out, known = out[:0], false
		case !chosen[i] || x.N != 1:
			out = append(out, x)
		}
	}
	if !known {
		return EndingIn(out...)
	}
	return MakeShape(out...)
}

// View returns the shape with the given sizes; one of them may be -1, the
// rest of the elements, which is computed when the others divide constants.
func (s Shape) View(sizes ...Dim) Shape {
	if !s.set {
		return s
	}
	out := MakeShape(sizes...)
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
	s = s.having(axis)
	i, ok := s.axis(axis)
	switch {
	case !s.set:
		return s
	case !ok && s.Known():
		return UnknownShape
	case !ok && axis < 0:
		return s // before the known axes
	case !ok:
		for j := range int(s.Tail) - s.behind(axis) {
			s.Dims[j].N, s.Dims[j].Sym = -1, 0
			if d.Axis != AxisUnknown && d.Axis != s.Dims[j].Axis {
				s.Dims[j].Axis = AxisUnknown
			}
		}
		return s
	}
	if d.Axis == AxisUnknown {
		d.Axis = s.Dims[i].Axis
	}
	s.Dims[i] = d
	return s
}

// Transpose swaps two axes.
func (s Shape) Transpose(a, b int) Shape {
	s = s.having(a).having(b)
	i, ok := s.axis(a)
	j, ok2 := s.axis(b)
	switch {
	case !s.set:
		return s
	case ok && ok2:
		s.Dims[i], s.Dims[j] = s.Dims[j], s.Dims[i]
		return s
	case !s.Known() && a >= 0 && b >= 0:
		return s.last(s.behind(max(a, b))).AtLeast(int(s.Tail))
	case !s.Known():
		return UnknownShape.AtLeast(int(s.Tail))
	}
	return UnknownShape
}

// Ranked returns s where it is known that the rank is n.
func (s Shape) Ranked(n int) Shape {
	d := s.dims()
	if !s.set || s.Known() || n > MaxRank || n < len(d) {
		return s
	}
	out := Shape{set: true, Rank: int8(n)}
	for i := range n {
		out.Dims[i] = UnknownDim
	}
	copy(out.Dims[n-len(d):], d)
	return out
}

// AtLeast returns s where it is known that there are n axes or more.
func (s Shape) AtLeast(n int) Shape {
	n = min(n, MaxRank)
	if !s.set || s.Known() || n <= int(s.Tail) {
		return s
	}
	r := s.Ranked(n)
	if r.Known() {
		r.Rank, r.Tail = -1, int8(n)
	}
	return r
}

// Permute reorders all axes.
func (s Shape) Permute(order ...int) Shape {
	if !s.set {
		return s
	}
	s = s.Ranked(len(order))
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
	case s.Known():
		o = o.Ranked(int(s.Rank)) // what is joined is of one rank
	case o.Known():
		s = s.Ranked(int(o.Rank))
	}
	if s.Rank != o.Rank {
		return UnknownShape
	}
	if !s.Known() {
		n := max(s.Tail, o.Tail) // what one of them has, the other has too
		s, o = s.AtLeast(int(n)), o.AtLeast(int(n))
	}
	i, ok := s.axis(axis)
	switch {
	case !ok && s.Known():
		return UnknownShape
	case !ok:
		return s.Join(o).Slice(axis, UnknownDim)
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
func (s Shape) Stack(axis int, n Dim) Shape { return s.insert(axis, n) }

// Expand returns the shape stretched to sizes; Rest (-1) keeps a size.
func (s Shape) Expand(sizes ...Dim) Shape {
	if !s.set {
		return s
	}
	out := MakeShape(sizes...)
	off := out.MinRank() - s.MinRank()
	if off < 0 && out.Known() {
		return UnknownShape
	}
	for i, d := range out.dims() {
		switch {
		case d != Rest:
		case i >= off:
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
		if n > len(d) && s.Known() {
			return nil
		}
		return d[:max(0, len(d)-n)]
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
	case s.Rank == 0 || o.Rank == 0:
		return UnknownShape
	case !s.Known() && o.Rank == 1:
		return s.DropLast(1)
	case s.MinRank() < 2 && !s.Known() || o.MinRank() < 2 && !o.Known(): // a vector or a matrix
		if col, ok := o.Dim(-1); ok && o.MinRank() > 1 {
			return EndingIn(col)
		}
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
	switch {
	case !s.set:
		return s
	case s.Rank == 0 && from > 0:
		return UnknownShape
	case s.Rank == 0:
		return MakeShape(ConstDim(1))
	case !s.Known() && from >= 0 && from < MaxRank && to == -1:
		return UnknownShape.Ranked(from + 1)
	case !s.Known() && from >= 0 && to >= 0:
		return s.last(s.behind(to))
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
