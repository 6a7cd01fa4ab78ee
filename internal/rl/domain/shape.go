package domain

// Shape is a tensor's shape as far as it is known. Rank -1 is unknown rank, as
// is every rank above MaxRank; of such a shape the last axes may be known all the
// same: what a linear layer yields ends in as many features as the layer has. Dims
// beyond the known ones are zero, so that equal shapes are ==. The zero Shape is
// bottom.
type Shape struct {
	set  bool
	Rank int8 // -1 unknown; 0 a scalar
	Tail int8 // of a shape of unknown rank: how many last axes are known to exist; Dims holds them
	Dims [MaxRank]Dim
}

// MaxRank bounds the ranks that are followed.
const MaxRank = 4

// Dim is one dimension: a constant size, a symbol (equal symbols are equal
// sizes), or unknown, with a meaning where it is known.
type Dim struct {
	N    int32 // >= 0 constant size; -1 unknown
	Sym  uint32
	Axis Axis
}

// Axis is the meaning of a dimension.
type Axis uint8

// The meanings.
const (
	AxisUnknown Axis = iota
	AxisBatch
	AxisGroup
	AxisTime
	AxisAction
	AxisVocab
	AxisFeature
)

// UnknownShape is a tensor or scalar of which not even the last axis is known.
var UnknownShape = Shape{set: true, Rank: -1}

// UnknownDim is a dimension of unknown size and meaning.
var UnknownDim = Dim{N: -1}

// ConstDim is a dimension of known size.
func ConstDim(n int) Dim { return Dim{N: int32(n)} }

// MakeShape returns the shape with these dims; above MaxRank only the last are kept.
func MakeShape(dims ...Dim) Shape {
	if len(dims) > MaxRank {
		return EndingIn(dims...)
	}
	s := Shape{set: true, Rank: int8(len(dims))}
	copy(s.Dims[:], dims)
	return s
}

// EndingIn returns the shape of unknown rank whose last axes are these.
func EndingIn(dims ...Dim) Shape {
	dims = dims[max(0, len(dims)-MaxRank):]
	s := Shape{set: true, Rank: -1, Tail: int8(len(dims))}
	copy(s.Dims[:], dims)
	return s
}

// Known reports whether the rank is known.
func (s Shape) Known() bool { return s.set && s.Rank >= 0 }

// dims returns the known dimensions: all of a shape of known rank, else the last.
func (s *Shape) dims() []Dim {
	if s.Rank >= 0 {
		return s.Dims[:s.Rank]
	}
	return s.Dims[:s.Tail]
}

// MinRank returns the least rank that the shape may have.
func (s Shape) MinRank() int { return len(s.dims()) }

// Join keeps what both shapes agree on: of different ranks the last axes.
func (s Shape) Join(o Shape) Shape {
	switch {
	case s == o || !o.set:
		return s
	case !s.set:
		return o
	case s.Rank == o.Rank && s.Tail == o.Tail:
		for i := range s.Dims {
			s.Dims[i] = s.Dims[i].Join(o.Dims[i])
		}
		return s
	}
	x, y := s.dims(), o.dims()
	if len(x) > len(y) {
		x = x[len(x)-len(y):]
	}
	y = y[len(y)-len(x):]
	out := EndingIn(x...)
	for i := range x {
		out.Dims[i] = x[i].Join(y[i])
	}
	return out
}

// Join keeps size and meaning where both agree.
func (d Dim) Join(o Dim) Dim {
	if d.N != o.N || d.Sym != o.Sym {
		d.N, d.Sym = -1, 0
	}
	if d.Axis != o.Axis {
		d.Axis = AxisUnknown
	}
	return d
}
