package domain

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// samples are numbers around every bound.
var samples = []float64{
	math.Inf(-1), -1e30, -700, -2, -1.5, -1, -0.5, -1e-8, 0, 1e-8, 0.5, 1, 1.5, 2, 700, 1e30, math.Inf(1),
}

// holds reports whether x is in a range; the margin around 0 that NonZero promises has no
// size, so only 0 itself is left out.
func holds(r Range, x float64) bool {
	return r.set && r.Lo.Float() <= x && x <= r.Hi.Float() && !(r.NonZero && x == 0)
}

// element draws a number that r contains.
func element(t *rapid.T, r Range, label string) float64 {
	var in []float64
	for _, x := range samples {
		if holds(r, x) {
			in = append(in, x)
		}
	}
	if len(in) == 0 {
		t.Skip("empty range")
	}
	return rapid.SampledFrom(in).Draw(t, label)
}

// contains fails if y, computed from elements of the operands, is outside.
func contains(t *rapid.T, name string, r Range, y float64) {
	if math.IsNaN(y) {
		return // outside of every claim
	}
	if !holds(r, y) {
		t.Fatalf("%s: %g is not in %v..%v (away from 0: %v)", name, y, r.Lo, r.Hi, r.NonZero)
	}
}

var genSetRange = genRange.Filter(func(r Range) bool { return !r.IsBottom() })

var unaryRanges = map[string]struct {
	r func(Range) Range
	f func(float64) float64
}{
	"neg":      {Range.Neg, func(x float64) float64 { return -x }},
	"abs":      {Range.Abs, math.Abs},
	"square":   {Range.Square, func(x float64) float64 { return x * x }},
	"sqrt":     {Range.Sqrt, math.Sqrt},
	"exp":      {Range.Exp, math.Exp},
	"log":      {Range.Log, math.Log},
	"sigmoid":  {Range.Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	"tanh":     {Range.Tanh, math.Tanh},
	"softplus": {Range.Softplus, func(x float64) float64 { return math.Log1p(math.Exp(x)) }},
	"relu":     {Range.Relu, func(x float64) float64 { return math.Max(x, 0) }},
	"scale":    {func(r Range) Range { return r.Scale(-0.3) }, func(x float64) float64 { return -0.3 * x }},
}

var binaryRanges = map[string]struct {
	r func(a, b Range) Range
	f func(x, y float64) float64
}{
	"add": {Range.Add, func(x, y float64) float64 { return x + y }},
	"sub": {Range.Sub, func(x, y float64) float64 { return x - y }},
	"mul": {Range.Mul, func(x, y float64) float64 { return x * y }},
	"div": {Range.Div, func(x, y float64) float64 { return x / y }},
	"min": {Range.Min, math.Min},
	"max": {Range.Max, math.Max},
}

// The number that Python computes lies in the range that is claimed.
func TestUnaryRangesAreSound(t *testing.T) {
	for name, op := range unaryRanges {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			r := genSetRange.Draw(t, "r")
			contains(t, name, op.r(r), op.f(element(t, r, "x")))
		}))
	}
}

func TestBinaryRangesAreSound(t *testing.T) {
	for name, op := range binaryRanges {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			a, b := genSetRange.Draw(t, "a"), genSetRange.Draw(t, "b")
			x, y := element(t, a, "x"), element(t, b, "y")
			if name == "add" && x == -y || name == "sub" && x == y || y == 0 && math.Signbit(y) {
				contains(t, name, op.r(a, b), 0)
			}
			contains(t, name, op.r(a, b), op.f(x, y))
		}))
	}
}

// Knowing less never yields a stronger claim.
func TestRangesAreMonotone(t *testing.T) {
	less := func(a, b Range) bool { return a.Join(b) == b }
	for name, op := range unaryRanges {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			a := genRange.Draw(t, "a")
			b := a.Join(genRange.Draw(t, "more"))
			if !less(op.r(a), op.r(b)) {
				t.Fatalf("%s(%+v) = %+v, but %s(%+v) = %+v", name, a, op.r(a), name, b, op.r(b))
			}
		}))
	}
	for name, op := range binaryRanges {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			a, c := genRange.Draw(t, "a"), genRange.Draw(t, "c")
			b, d := a.Join(genRange.Draw(t, "more a")), c.Join(genRange.Draw(t, "more c"))
			if !less(op.r(a, c), op.r(b, d)) {
				t.Fatalf("%s(%+v, %+v) = %+v, but of (%+v, %+v) = %+v", name, a, c, op.r(a, c), b, d, op.r(b, d))
			}
		}))
	}
}

// The guards that people write against a zero denominator, and those that do
// not help.
func TestEpsilonGuards(t *testing.T) {
	std := Between(Zero, PosInf)
	eps := RangeOf(1e-8)
	for _, c := range []struct {
		name string
		r    Range
		away bool
	}{
		{"std", std, false},
		{"std + eps", std.Add(eps), true},
		{"eps + std", eps.Add(std), true},
		{"std - eps", std.Sub(eps), false},
		{"x + eps", AnyRange.Add(eps), false},
		{"max(std, eps)", std.Max(eps), true},
		{"min(std, eps)", std.Min(eps), false},
		{"sqrt(var + eps)", std.Add(eps).Sqrt(), true},
		{"sqrt(var) ", std.Sqrt(), false},
		{"(std + eps) * 0.5", std.Add(eps).Scale(0.5), true},
		{"(std + eps) * 0", std.Add(eps).Scale(0), false},
		{"exp(log_std)", AnyRange.Exp(), false},
		{"softplus(x)", AnyRange.Softplus(), false},
		{"softplus(x) + eps", AnyRange.Softplus().Add(eps), true},
		{"-(std + eps)", std.Add(eps).Neg(), true},
		{"abs(-(std + eps))", std.Add(eps).Neg().Abs(), true},
		{"1 - prob", RangeOf(1).Sub(Between(Zero, One)), false},
	} {
		if c.r.NonZero != c.away {
			t.Errorf("%s: bounded away from 0 is %v, want %v", c.name, c.r.NonZero, c.away)
		}
	}
}

func TestConstantsRoundOutwards(t *testing.T) {
	for x, want := range map[float64]string{
		0: ">=0 <=0", 1: ">=1 <=1", 0.5: ">=0 <=1 !=0", -0.5: ">=-1 <=0 !=0", 1e-8: ">=0 <=1 !=0", 7: ">=1", -7: "<=-1",
	} {
		if got := RangeOf(x).String(); got != want {
			t.Errorf("RangeOf(%g) = %q, want %q", x, got, want)
		}
	}
	if RangeOf(math.NaN()) != AnyRange {
		t.Error("NaN bounds nothing")
	}
}
