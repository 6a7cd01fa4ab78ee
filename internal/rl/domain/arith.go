package domain

import "math"

// Interval arithmetic on ranges. Every function rounds outwards to the five
// bounds, is monotone, and gives bottom for a bottom operand. A result is
// NonZero only where floating point keeps it so: products may be taken as
// bounded away from 0 when both factors are, exponentials may not.

// strict applies f unless an operand is bottom.
func strict(f func() Range, rs ...Range) Range {
	for _, r := range rs {
		if !r.set {
			return Range{}
		}
	}
	return f()
}

// awayIf returns r bounded away from 0 where ok holds.
func (r Range) awayIf(ok bool) Range {
	r.NonZero = r.NonZero || ok && r.set
	return r
}

// monotone maps both ends through a non-decreasing f.
func (r Range) monotone(f func(float64) float64) Range {
	return strict(func() Range { return hullOf(f(r.Lo.Float()), f(r.Hi.Float())) }, r)
}

// Neg returns the range of -x.
func (r Range) Neg() Range {
	return strict(func() Range { return Between(-r.Hi, -r.Lo).awayIf(r.NonZero) }, r)
}

// Add returns the range of x + y. A sum of two values of one sign is bounded
// away from 0 when one of them is: `std + eps`.
func (r Range) Add(o Range) Range {
	return strict(func() Range {
		sum := hullOf(sumOf(r.Lo, o.Lo, -1), sumOf(r.Hi, o.Hi, 1))
		oneSign := r.NonNegative() && o.NonNegative() || r.NonPositive() && o.NonPositive()
		return sum.awayIf(oneSign && (r.NonZero || o.NonZero))
	}, r, o)
}

// sumOf adds two ends; opposite infinities give the infinity of sign.
func sumOf(a, b Bound, sign int) float64 {
	s := a.Float() + b.Float()
	if math.IsNaN(s) {
		return math.Inf(sign)
	}
	return s
}

// Sub returns the range of x - y.
func (r Range) Sub(o Range) Range { return r.Add(o.Neg()) }

// Mul returns the range of x * y.
func (r Range) Mul(o Range) Range {
	return strict(func() Range { return corners(r, o, times).awayIf(r.NonZero && o.NonZero) }, r, o)
}

// times multiplies two ends; 0 times infinity is the limit 0.
func times(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// corners returns the hull of f at the four corners of two ranges.
func corners(r, o Range, f func(a, b float64) float64) Range {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, a := range [2]Bound{r.Lo, r.Hi} {
		for _, b := range [2]Bound{o.Lo, o.Hi} {
			v := f(a.Float(), b.Float())
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return Between(Floor(lo), Ceil(hi))
}

// Div returns the range of x / y. The quotient is bounded away from 0 when x
// is and y is bounded.
func (r Range) Div(o Range) Range {
	return strict(func() Range {
		away := r.NonZero && o.Lo > NegInf && o.Hi < PosInf
		return r.Mul(o.inverse()).awayIf(away)
	}, r, o)
}

// inverse returns the range of 1/y, taking 0 for the end of the side that y
// lies on. A divisor that may be on both sides of 0, or 0 with the sign lost,
// bounds nothing.
func (r Range) inverse() Range {
	switch {
	case r.NonNegative():
		return hullOf(1/r.Hi.Float(), 1/math.Abs(r.Lo.Float()))
	case r.NonPositive() && r.NonZero:
		return r.Neg().inverse().Neg()
	}
	return AnyRange
}

// Scale returns the range of c * x, which stays bounded away from 0 for any
// finite c other than 0.
func (r Range) Scale(c float64) Range {
	return r.Mul(RangeOf(c)).awayIf(r.NonZero && c != 0 && !math.IsInf(c, 0) && !math.IsNaN(c))
}

// Abs returns the range of |x|.
func (r Range) Abs() Range {
	switch {
	case !r.set || r.NonNegative():
		return r
	case r.NonPositive():
		return r.Neg()
	}
	return Between(Zero, max(-r.Lo, r.Hi)).awayIf(r.NonZero)
}

// Square returns the range of x * x.
func (r Range) Square() Range {
	a := r.Abs()
	return a.Mul(a)
}

// Sqrt returns the range of the square root; of a negative it is NaN, which
// is outside of every claim.
func (r Range) Sqrt() Range {
	return strict(func() Range { return Between(max(r.Lo, Zero), max(r.Hi, Zero)).awayIf(r.NonZero) }, r)
}

// Exp returns the range of e^x. It underflows to 0 unless x is bounded below.
func (r Range) Exp() Range {
	return strict(func() Range { return r.monotone(math.Exp).awayIf(r.Lo > NegInf) }, r)
}

// Log returns the range of the natural logarithm; of a negative it is NaN.
func (r Range) Log() Range {
	return strict(func() Range {
		lo, hi := max(r.Lo, Zero).Float(), max(r.Hi, Zero).Float()
		return Between(Floor(math.Log(lo)), Ceil(math.Log(hi)))
	}, r)
}

// Sigmoid returns the range of 1 / (1 + e^-x).
func (r Range) Sigmoid() Range {
	return r.monotone(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) })
}

// Tanh returns the range of the hyperbolic tangent, which keeps the sign.
func (r Range) Tanh() Range { return r.monotone(math.Tanh).awayIf(r.NonZero) }

// Softplus returns the range of log(1 + e^x).
func (r Range) Softplus() Range {
	return r.monotone(func(x float64) float64 { return math.Log1p(math.Exp(x)) })
}

// Relu returns the range of max(x, 0).
func (r Range) Relu() Range { return r.Max(RangeOf(0)) }

// Min returns the range of the smaller of x and y.
func (r Range) Min(o Range) Range { return r.Neg().Max(o.Neg()).Neg() }

// Max returns the range of the larger of x and y. It is bounded away from 0
// when one is surely above 0, or when both are bounded away.
func (r Range) Max(o Range) Range {
	return strict(func() Range {
		away := r.Positive() || o.Positive() || r.NonZero && o.NonZero
		return Between(max(r.Lo, o.Lo), max(r.Hi, o.Hi)).awayIf(away)
	}, r, o)
}
