package domain

// Shape is a tensor's shape as far as it is known. Rank -1 is unknown rank, as
// is every rank above MaxRank; dims beyond the rank are zero, so that equal
// shapes are ==. The zero Shape is bottom.
type Shape struct {
	set  bool
	Rank int8 // -1 unknown; 0 a scalar
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

// UnknownShape is a tensor or scalar of unknown rank.
var UnknownShape = Shape{set: true, Rank: -1}

// UnknownDim is a dimension of unknown size and meaning.
var UnknownDim = Dim{N: -1}

// ConstDim is a dimension of known size.
func ConstDim(n int) Dim { return Dim{N: int32(n)} }

// MakeShape returns the shape with these dims, or UnknownShape above MaxRank.
func MakeShape(dims ...Dim) Shape {
	if len(dims) > MaxRank {
		return UnknownShape
	}
	s := Shape{set: true, Rank: int8(len(dims))}
	copy(s.Dims[:], dims)
	return s
}

// Known reports whether the rank is known.
func (s Shape) Known() bool { return s.set && s.Rank >= 0 }

// Join keeps what both shapes agree on.
func (s Shape) Join(o Shape) Shape {
	switch {
	case s == o || !o.set:
		return s
	case !s.set:
		return o
	case s.Rank != o.Rank:
		return UnknownShape
	}
	for i := range s.Dims {
		s.Dims[i] = s.Dims[i].Join(o.Dims[i])
	}
	return s
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
