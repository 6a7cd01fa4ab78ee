package domain

// Bound is an end of a Range, out of five numbers: finite, so loops converge.
type Bound int8

// The bounds.
const (
	NegInf Bound = iota - 2
	NegOne
	Zero
	One
	PosInf
)

// Range bounds every element of a value: Lo <= x <= Hi. NonZero says that the
// value is bounded away from 0 (an epsilon, a clamp, a max), which neither
// exp nor softplus gives in floating point.
type Range struct {
	set     bool // false is bottom
	Lo, Hi  Bound
	NonZero bool
}

// AnyRange is the whole line.
var AnyRange = Between(NegInf, PosInf)

// Between returns the range lo..hi.
func Between(lo, hi Bound) Range { return Range{set: true, Lo: lo, Hi: hi} }

// AwayFromZero returns r with the claim that the value is bounded away from 0.
func (r Range) AwayFromZero() Range {
	r.NonZero = true
	return r
}

// Join returns the hull.
func (r Range) Join(o Range) Range {
	switch {
	case !r.set:
		return o
	case !o.set:
		return r
	}
	return Range{set: true, Lo: min(r.Lo, o.Lo), Hi: max(r.Hi, o.Hi), NonZero: r.NonZero && o.NonZero}
}

// NonNegative reports whether no element is below 0.
func (r Range) NonNegative() bool { return r.set && r.Lo >= Zero }
