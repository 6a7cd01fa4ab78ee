package domain

import "math"

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

// Float returns the number that b stands for.
func (b Bound) Float() float64 {
	switch b {
	case NegInf:
		return math.Inf(-1)
	case PosInf:
		return math.Inf(1)
	}
	return float64(b)
}

// Floor returns the largest bound below infinity that is at most x.
func Floor(x float64) Bound {
	switch {
	case x >= 1:
		return One
	case x >= 0:
		return Zero
	case x >= -1:
		return NegOne
	}
	return NegInf
}

// Ceil returns the smallest bound above -infinity that is at least x. NaN has
// no bound: Floor and Ceil of it are the two ends of the line.
func Ceil(x float64) Bound { return -Floor(-x) }

// Range bounds every element of a value that is not NaN: Lo <= x <= Hi.
// NonZero says that the value is bounded away from 0 (an epsilon, a clamp, a
// max), which neither exp nor softplus gives in floating point. Ranges are
// kept normal: an interval that excludes 0 is always NonZero, and no interval
// lies beyond 1 or -1.
type Range struct {
	set     bool // false is bottom
	Lo, Hi  Bound
	NonZero bool
}

// AnyRange is the whole line.
var AnyRange = Between(NegInf, PosInf)

// Between returns the range lo..hi.
func Between(lo, hi Bound) Range {
	return Range{set: true, Lo: min(lo, One), Hi: max(hi, NegOne), NonZero: lo > Zero || hi < Zero}
}

// RangeOf returns the tightest range around the constant x.
func RangeOf(x float64) Range { return hullOf(x, x) }

// hullOf rounds the interval lo..hi outwards to bounds. It is bounded away
// from 0 exactly when it leaves 0 out.
func hullOf(lo, hi float64) Range {
	r := Between(Floor(lo), Ceil(hi))
	r.NonZero = lo > 0 || hi < 0
	return r
}

// IsBottom reports whether nothing flows here.
func (r Range) IsBottom() bool { return !r.set }

// AwayFromZero returns r with the claim that the value is bounded away from 0.
func (r Range) AwayFromZero() Range {
	r.NonZero = r.set
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

// Widen returns the hull of r and of what r becomes again and again: it has no end where o is beyond one of r.
func (r Range) Widen(o Range) Range {
	out := r.Join(o)
	if r.set && out.Lo < r.Lo {
		out.Lo = NegInf
	}
	if r.set && out.Hi > r.Hi {
		out.Hi = PosInf
	}
	return out
}

// NonNegative reports whether no element is below 0.
func (r Range) NonNegative() bool { return r.set && r.Lo >= Zero }

// NonPositive reports whether no element is above 0.
func (r Range) NonPositive() bool { return r.set && r.Hi <= Zero }

// Positive reports whether every element is above 0 by some margin.
func (r Range) Positive() bool { return r.NonNegative() && r.NonZero }
