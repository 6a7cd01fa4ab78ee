package measure

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// TestWilson compares with the intervals that Newcombe (1998, Statistics in Medicine 17, 857,
// table I, method 3) prints.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		successes, n int
		low, high    float64
	}{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
	} {
		got := Wilson(float64(c.successes), c.n)
		nearInterval(t, "the rate", got, float64(c.successes)/float64(c.n), c.low, c.high, 5e-5)
	}
}

// TestWilsonInvertsTheScoreTest: at its ends, and nowhere between, the rate lies just 1.96
// standard errors of that end away; that is what the interval is by definition.
func TestWilsonInvertsTheScoreTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		successes := rapid.Float64Range(0, float64(n)).Draw(t, "successes")
		got := Wilson(successes, n)
		for _, end := range []float64{got.Low, got.High} {
			if end > 1e-9 && end < 1-1e-9 {
				z := math.Abs(got.Value-end) / math.Sqrt(end*(1-end)/float64(n))
				near(t, "z", z, normal95, 1e-5)
			}
		}
		mirrored := Wilson(float64(n)-successes, n)
		near(t, "the mirrored end", 1-mirrored.High, got.Low, 1e-12)
		if !(0 <= got.Low && got.Low <= got.Value && got.Value <= got.High && got.High <= 1) {
			t.Fatalf("%+v is out of order", got)
		}
	})
}

func TestRatesOfNothing(t *testing.T) {
	for _, got := range []Interval{Wilson(0, 0), Wilson(-1, 5), Wilson(6, 5), Wilson(math.NaN(), 5)} {
		if got.Defined() || got.Bounded() {
			t.Errorf("%+v is a rate", got)
		}
	}
}

// TestPromptsFor: so many prompts are enough, and one less is not.
func TestPromptsFor(t *testing.T) {
	near(t, "prompts for 0.5 within 0.05", float64(PromptsFor(0.05, 0.5)), 381, 0) // 384.1 - z², solved by hand
	rapid.Check(t, func(t *rapid.T) {
		half := rapid.Float64Range(0.005, 0.4).Draw(t, "half width")
		rate := rapid.Float64Range(0, 1).Draw(t, "rate")
		n := PromptsFor(half, rate)
		if _, reach := wilson(rate, float64(n)); reach > half {
			t.Fatalf("%d prompts reach %v", n, reach)
		}
		if n > 1 {
			if _, reach := wilson(rate, float64(n-1)); reach <= half {
				t.Fatalf("%d prompts are enough", n-1)
			}
		}
	})
	for _, c := range [][2]float64{{0, 0.5}, {-1, 0.5}, {0.1, 2}, {math.NaN(), 0.5}} {
		if n := PromptsFor(c[0], c[1]); n != 0 {
			t.Errorf("%v: %d prompts", c, n)
		}
	}
}

// TestWilsonCoverage adds up, without drawing anything, how often the interval covers: over
// all rates 95 in 100 on average, as Brown, Cai and DasGupta (2001, section 3) have it.
func TestWilsonCoverage(t *testing.T) {
	for _, n := range []int{5, 20, 100} {
		sum := 0.0
		const rates = 400
		for r := range rates {
			p := (float64(r) + 0.5) / rates
			for successes := range n + 1 {
				probability := distuv.Binomial{N: float64(n), P: p}.Prob(float64(successes))
				sum += probability * float64(covers(Wilson(float64(successes), n), p)) / rates
			}
		}
		near(t, "the coverage", sum, 0.95, 0.01)
	}
}

// TestTiesCoverMore: where half of the comparisons are ties, the interval is too wide rather
// than too narrow.
func TestTiesCoverMore(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 40))
	const runs = 2000
	covered := 0
	for range runs {
		won := 0.0
		for range 60 {
			switch x := random.Float64(); {
			case x < 0.3:
				won++
			case x < 0.8:
				won += 0.5
			}
		}
		covered += covers(Wilson(won, 60), 0.55)
	}
	if share := float64(covered) / runs; share < 0.97 {
		t.Errorf("it covers %v", share)
	}
}
