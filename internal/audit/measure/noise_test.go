package measure

import (
	"math"
	"math/rand/v2"
	"testing"
)

// remembering draws values with a standard deviation of 1, each keeping so much of the last.
func remembering(random *rand.Rand, n int, memory float64) []float64 {
	values, state := make([]float64, n), random.NormFloat64()
	for i := range values {
		state = memory*state + math.Sqrt(1-memory*memory)*random.NormFloat64()
		values[i] = state
	}
	return values
}

// TestNoiseOf: of many values deviation and memory are found, whatever the trend, and a step
// does not matter.
func TestNoiseOf(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 52))
	for _, memory := range []float64{0, 0.3, 0.6} {
		for _, path := range []func(int) float64{
			func(int) float64 { return 0 },
			func(i int) float64 { return float64(i) / 1000 },
			func(i int) float64 { return 40 * float64(i/20000) },
		} {
			values := remembering(random, 40000, memory)
			for i := range values {
				values[i] += path(i)
			}
			got := NoiseOf(values)
			near(t, "the memory", got.Memory, memory, 0.08)
			near(t, "the deviation", got.Std, 1, 0.08)
		}
	}
}

// TestNoiseOfFew: the memory of a few values is the usual one; fewer tell nothing, and those on
// a line have no noise.
func TestNoiseOfFew(t *testing.T) {
	random := rand.New(rand.NewPCG(53, 54))
	if got := NoiseOf(remembering(random, 9, 0.9)); got.Memory != usualMemory || !(got.Std > 0) {
		t.Errorf("%+v", got)
	}
	if got := NoiseOf(remembering(random, 4, 0)); !math.IsNaN(got.Std) {
		t.Errorf("%+v", got)
	}
	if got := NoiseOf([]float64{1, 2, 3, 4, 5, 6, 7}); got.Std != 0 {
		t.Errorf("%+v", got)
	}
	if got := NoiseOf([]float64{1, 1, 1, 1, 5, 1, 1, 1, 1, 1, 1, 1}); !(got.Std > 0) {
		t.Errorf("%+v", got)
	}
}

// TestReach: the table of Student's distribution, and the normal one for many degrees.
func TestReach(t *testing.T) {
	near(t, "10 degrees, 1 in 40", Reach(0.025, 10), 2.228, 5e-4)
	near(t, "5 degrees, 1 in 1000", Reach(0.001, 5), 5.893, 5e-4)
	near(t, "many", Reach(0.025, 1e9), normal95, 1e-4)
	for _, c := range [][2]float64{{0, 5}, {1, 5}, {0.1, 0}, {0.1, math.NaN()}, {math.NaN(), 5}} {
		if got := Reach(c[0], c[1]); !math.IsNaN(got) {
			t.Errorf("%v: %v", c, got)
		}
	}
}
