package library

import (
	"math"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// rangeRules is the closed list of range rules.
var rangeRules = map[string]ruleDef[domain.Range]{
	"any":      fixed(domain.AnyRange),
	"same":     unary(func(r domain.Range) domain.Range { return r }),
	"neg":      unary(domain.Range.Neg),
	"abs":      unary(domain.Range.Abs),
	"square":   unary(domain.Range.Square),
	"sqrt":     unary(domain.Range.Sqrt),
	"exp":      unary(domain.Range.Exp),
	"log":      unary(domain.Range.Log),
	"log1p":    unary(func(r domain.Range) domain.Range { return r.Add(domain.RangeOf(1)).Log() }),
	"sigmoid":  unary(domain.Range.Sigmoid),
	"tanh":     unary(domain.Range.Tanh),
	"softplus": unary(domain.Range.Softplus),
	"relu":     unary(domain.Range.Relu),
	"mean":     unary(meanRange),
	"sum":      unary(sumRange),
	"orzero":   unary(func(r domain.Range) domain.Range { return r.Join(domain.RangeOf(0)) }),
	"add":      binary(domain.Range.Add),
	"sub":      binary(domain.Range.Sub),
	"min":      binary(domain.Range.Min),
	"max":      binary(domain.Range.Max),
	"join":     binary(domain.Range.Join),
	"mul":      {fn: mulRange, min: 2, max: 2},
	"div":      {fn: divRange, min: 2, max: 2},
	"pow":      {fn: powRange, min: 2, max: 2},
	"clamp":    {fn: clampRange, min: 3, max: 3},
	"elems":    {fn: elemsRange, min: 1, max: 1},
	"data":     {fn: dataRange, min: 1, max: 1},
}

// rangeOf returns the range of an argument; one that is not given is unknown.
func rangeOf(a Args, p ref) domain.Range {
	if o := a.operand(p); o != nil {
		return o.V.Range
	}
	return domain.AnyRange
}

// unary lifts a function of one range.
func unary(f func(domain.Range) domain.Range) ruleDef[domain.Range] {
	return ruleDef[domain.Range]{fn: func(a Args, p []ref) domain.Range { return f(rangeOf(a, p[0])) }, min: 1, max: 1}
}

// binary lifts a function of two ranges.
func binary(f func(x, y domain.Range) domain.Range) ruleDef[domain.Range] {
	return ruleDef[domain.Range]{
		fn:  func(a Args, p []ref) domain.Range { return f(rangeOf(a, p[0]), rangeOf(a, p[1])) },
		min: 2, max: 2,
	}
}

// meanRange stays in the hull; values of both signs can cancel.
func meanRange(r domain.Range) domain.Range {
	if !r.NonNegative() && !r.NonPositive() {
		r.NonZero = false
	}
	return r
}

// sumRange keeps the sign; the sum of nothing is 0.
func sumRange(r domain.Range) domain.Range {
	switch {
	case r.NonNegative():
		return domain.Between(domain.Zero, domain.PosInf)
	case r.NonPositive():
		return domain.Between(domain.NegInf, domain.Zero)
	case r.IsBottom():
		return r
	}
	return domain.AnyRange
}

// constOf returns an argument that is a constant number.
func constOf(a Args, p ref) (float64, bool) {
	if o := a.operand(p); o != nil {
		return number(o.Const)
	}
	return 0, false
}

// mulRange multiplies; a constant factor keeps a value away from 0.
func mulRange(a Args, p []ref) domain.Range {
	x, y := rangeOf(a, p[0]), rangeOf(a, p[1])
	if c, ok := constOf(a, p[1]); ok {
		return x.Scale(c)
	}
	if c, ok := constOf(a, p[0]); ok {
		return y.Scale(c)
	}
	return x.Mul(y)
}

// divRange divides; a constant divisor other than 0 is a factor.
func divRange(a Args, p []ref) domain.Range {
	x := rangeOf(a, p[0])
	if c, ok := constOf(a, p[1]); ok && c != 0 {
		return x.Scale(1 / c)
	}
	return x.Div(rangeOf(a, p[1]))
}

// powRange knows even powers, roots, and powers of what is not negative.
func powRange(a Args, p []ref) domain.Range {
	x := rangeOf(a, p[0])
	c, ok := constOf(a, p[1])
	switch {
	case ok && c == 1:
		return x
	case ok && c == 0.5:
		return x.Sqrt()
	case ok && c > 0 && math.Mod(c, 2) == 0:
		return x.Square()
	case x.NonNegative():
		return domain.Between(domain.Zero, domain.PosInf)
	}
	return domain.AnyRange
}

// clampRange clamps to constants, or to the range of what is not constant.
func clampRange(a Args, p []ref) domain.Range {
	r := rangeOf(a, p[0])
	if o, ok := a.get(p[1]); ok && o.Const != (None{}) {
		r = r.Max(o.V.Range)
	}
	if o, ok := a.get(p[2]); ok && o.Const != (None{}) {
		r = r.Min(o.V.Range)
	}
	return r
}

// elemsRange joins the ranges of the elements of a list.
func elemsRange(a Args, p []ref) domain.Range {
	o, ok := a.get(p[0])
	if !ok || len(o.Elems) == 0 {
		return domain.AnyRange
	}
	var r domain.Range
	for _, e := range o.Elems {
		r = r.Join(complete(e).V.Range)
	}
	return r
}

// dataRange is the range of tensor(data): of the elements of a display, else
// of the data itself.
func dataRange(a Args, p []ref) domain.Range {
	if o, ok := a.get(p[0]); ok && len(o.Elems) > 0 {
		return elemsRange(a, p)
	}
	return rangeOf(a, p[0])
}
