package measure

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRisingHoldsItsLevel: of lines through independent noise, one in twenty rises so that
// Rising says at most 0.05, for windows short and long.
func TestRisingHoldsItsLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{5, 7, 20} {
		const rounds = 4000
		hits := 0
		for range rounds {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i], y[i] = float64(i), random.NormFloat64()
			}
			if Rising(x, y, 0) <= 0.05 {
				hits++
			}
		}
		if rate := Wilson(float64(hits), rounds); rate.High < 0.03 || rate.Low > 0.06 {
			t.Errorf("%d steps: %v of lines rise", n, rate.Value)
		}
	}
}

// TestRisingOfLines: a straight line rises for certain, its negative never, and of two points
// or a constant nothing is known.
func TestRisingOfLines(t *testing.T) {
	for _, c := range []struct {
		y    []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4, 5, 6}, 0},
		{[]float64{6, 5, 4, 3, 2, 1}, 1},
		{[]float64{1, 2}, 1},
		{[]float64{3, 3, 3, 3, 3}, 1},
		{[]float64{1, 2, math.NaN(), 3, 4}, 1},
	} {
		x := make([]float64, len(c.y))
		for i := range x {
			x[i] = float64(10 * i)
		}
		if got := Rising(x, c.y, 0); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("Rising(%v) is %v, want %v", c.y, got, c.want)
		}
	}
}

// TestMean: by hand, 1 to 5 have the mean 3, the error sqrt(0.5), and Student's 2.776 of it.
func TestMean(t *testing.T) {
	got := Mean([]float64{1, 2, 3, 4, 5})
	if got.Value != 3 || math.Abs(got.High-3-2.7764*math.Sqrt(0.5)) > 1e-3 || math.Abs(got.High+got.Low-6) > 1e-9 || got.N != 5 {
		t.Errorf("%+v", got)
	}
	if one := Mean([]float64{7}); one.Value != 7 || one.Bounded() {
		t.Errorf("a single value has an interval: %+v", one)
	}
}
