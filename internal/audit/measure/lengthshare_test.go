package measure

import (
	"math"
	"math/rand/v2"
	"testing"
)

// completions draws lengths around a mean of 100 or so, and rewards of so many points a
// token, so many for quality, and noise.
func completions(random *rand.Rand, n int, length, perToken, quality float64) (lengths, rewards []float64) {
	for range n {
		l := math.Max(1, length+40*random.NormFloat64())
		lengths = append(lengths, math.Round(l))
		rewards = append(rewards, perToken*l+quality+0.3*random.NormFloat64())
	}
	return lengths, rewards
}

// TestLengthShare: rewards that are made of length, of quality, and of both.
func TestLengthShare(t *testing.T) {
	random := rand.New(rand.NewPCG(29, 30))
	const runs, n = 10, 200
	for _, c := range []struct{ longer, perToken, quality, share float64 }{
		{40, 0.01, 0, 1}, {40, 0, 0.4, 0}, {40, 0.01, 0.4, 0.5}, {0, 0.01, 0.4, 0}, {-20, 0.01, 0.6, -0.5},
	} {
		sum, covered := 0.0, 0
		for range runs {
			l0, r0 := completions(random, n, 120, c.perToken, 0)
			l1, r1 := completions(random, n, 120+c.longer, c.perToken, c.quality)
			got := LengthShare(l0, r0, l1, r1)
			sum += got.Share.Value / runs
			covered += covers(got.Share, c.share)
			if !got.Share.Bounded() || got.Overlap < 0.9 || got.Gain <= 0 {
				t.Fatalf("%+v: %+v", c, got)
			}
		}
		near(t, "the share", sum, c.share, 0.1)
		if covered < runs*7/10 {
			t.Errorf("%+v: %d of %d intervals cover", c, covered, runs)
		}
	}
}

// TestLengthShareByHand: of 16 completions before, 12 are short; of 16 after, 4. Short ones
// gained 1 and long ones 3, known by 12·4/16 pairs each: 2 at equal length.
func TestLengthShareByHand(t *testing.T) {
	side := func(short int, reward [2]float64) (lengths, rewards []float64) {
		for i := range 16 {
			long := 0
			if i >= short {
				long = 1
			}
			lengths, rewards = append(lengths, float64(10+10*long)), append(rewards, reward[long])
		}
		return lengths, rewards
	}
	l0, r0 := side(12, [2]float64{0, 4})
	l1, r1 := side(4, [2]float64{1, 7})
	got := LengthShare(l0, r0, l1, r1)
	near(t, "the gain", got.Gain, 5.5-1, 1e-12)
	near(t, "the gain at equal length", got.Within, 2, 1e-12)
	near(t, "the share", got.Share.Value, 1-2/4.5, 1e-12)
	// Eight more short ones after: they are known by 12·12/24 pairs, long ones by 3.
	for range 8 {
		l1, r1 = append(l1, 10), append(r1, 1)
	}
	near(t, "the gain at equal length", LengthShare(l0, r0, l1, r1).Within, (6*1+3*3)/9.0, 1e-12)
}

// TestFewBinsLeaveNothingToLength: thirty completions make five bins; the later completions of
// a bin are longer than the earlier ones, and yet none of the gain is quality's.
func TestFewBinsLeaveNothingToLength(t *testing.T) {
	random := rand.New(rand.NewPCG(37, 38))
	const runs = 60
	sum, covered := 0.0, 0
	for range runs {
		l0, r0 := completions(random, 30, 120, 0.02, 0)
		l1, r1 := completions(random, 100, 180, 0.02, 0)
		got := LengthShare(l0, r0, l1, r1)
		sum += got.Share.Value / runs
		covered += covers(got.Share, 1)
	}
	near(t, "the share", sum, 1, 0.03)
	near(t, "the coverage", float64(covered)/runs, 0.95, 0.08)
}

// TestLengthsWithoutOverlap: a policy that only writes what was never that long before: there is
// nothing at equal length to compare.
func TestLengthsWithoutOverlap(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	l0, r0 := completions(random, 200, 100, 0.01, 0)
	l1, r1 := completions(random, 200, 800, 0.01, 0)
	if got := LengthShare(l0, r0, l1, r1); got.Share.Defined() || got.Overlap != 0 || got.Shared != 0 || !(got.Gain > 6) {
		t.Errorf("%+v", got)
	}
	// One in ten is as short as before, and no better.
	l2, r2 := completions(random, 20, 100, 0.01, 0)
	got := LengthShare(l0, r0, append(l1[:180], l2...), append(r1[:180], r2...))
	near(t, "the overlap", got.Overlap, 0.1, 0.05)
	near(t, "the share", got.Share.Value, 1, 0.1)
}

func TestGainsThatAreNone(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 34))
	l0, r0 := completions(random, 200, 100, 0, 0)
	l1, r1 := completions(random, 200, 140, 0, -0.5)
	if got := LengthShare(l0, r0, l1, r1); got.Share.Defined() || !(got.Gain < 0) {
		t.Errorf("a loss: %+v", got)
	}
	l1, r1 = completions(random, 200, 140, 0, 0.005)
	if got := LengthShare(l0, r0, l1, r1); got.Share.Bounded() {
		t.Errorf("a gain that may be none: %+v", got)
	}
	for _, got := range []Shares{LengthShare(nil, nil, nil, nil), LengthShare(l0, r0, nil, nil), LengthShare(nil, nil, l1, r1)} {
		if got.Share.Defined() {
			t.Errorf("nothing: %+v", got)
		}
	}
	if got := LengthShare([]float64{5, 5}, []float64{0, 0}, []float64{5, 5}, []float64{1, 1}); got.Share.Value != 0 || got.Overlap != 1 {
		t.Errorf("one length: %+v", got)
	}
}
