package measure

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// highest finds the top of a curve of d by a fine grid and no calculus.
func highest(curve func(d float64) float64) (d float64) {
	best := math.Inf(-1)
	for x := 1e-4; x < 30; x += 1e-4 {
		if v := curve(x); v > best {
			best, d = v, x
		}
	}
	return d
}

// TestPeaks: the closed forms d* = exp(a/b - 1) and R* = b d* against the top of the curve;
// points without noise give a and b back.
func TestPeaks(t *testing.T) {
	for _, ab := range [][2]float64{{1, 0.5}, {0.7, 0.3}, {2, 1.5}, {0.3, 0.9}} {
		curve := func(d float64) float64 { return d * (ab[0] - ab[1]*math.Log(d)) }
		var kl, gold []float64
		for _, d := range []float64{0.2, 0.5, 1, 2, 3} {
			kl, gold = append(kl, d*d), append(gold, curve(d))
		}
		got, err := OverOptimisation(kl, gold)
		if err != nil {
			t.Fatal(err)
		}
		top := highest(curve)
		near(t, "a", got.A, ab[0], 1e-9)
		near(t, "b", got.B, ab[1], 1e-9)
		near(t, "the peak", got.PeakD, top, 2e-4)
		near(t, "the peak's divergence", got.PeakKL, top*top, 1e-3*(1+top))
		near(t, "the peak's height", got.PeakGold, curve(top), 1e-6)
		if want := top < 3; got.Passed() != want || got.Before() == want {
			t.Errorf("%v: peak at d = %v of 3, passed %v, before %v", ab, top, got.Passed(), got.Before())
		}
	}
}

// checkpoints draws a run of n checkpoints up to the given d, along a curve with a peak at
// d = e, with noise.
func checkpoints(random *rand.Rand, n int, last, noise float64) (kl, gold []float64) {
	for i := 1; i <= n; i++ {
		d := last * float64(i) / float64(n)
		kl = append(kl, d*d)
		gold = append(gold, d*(1-0.5*math.Log(d))+noise*random.NormFloat64())
	}
	return kl, gold
}

// TestFitCoverage: standard errors and the peak's interval cover the truth; a run that ends
// at the peak is said to have passed it no more often than one time in forty, and so
// for having stayed before it.
func TestFitCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	const runs = 2000
	a, b, peak, bounded, passed, before := 0, 0, 0, 0, 0, 0
	for range runs {
		fit, err := OverOptimisation(checkpoints(random, 10, math.E, 0.1))
		if err != nil {
			t.Fatal(err)
		}
		a += covers(Around(fit.A, fit.AError, 8, 10), 1)
		b += covers(Around(fit.B, fit.BError, 8, 10), 0.5)
		if !math.IsNaN(fit.PeakKLLow) {
			bounded++
			peak += covers(Interval{Low: fit.PeakKLLow, High: fit.PeakKLHigh}, math.E*math.E)
		}
		if fit.Passed() {
			passed++
		}
		if fit.Before() {
			before++
		}
	}
	near(t, "the coverage of a", float64(a)/runs, 0.95, 0.015)
	near(t, "the coverage of b", float64(b)/runs, 0.95, 0.015)
	near(t, "the share with a bounded peak", float64(bounded)/runs, 1, 0.02)
	near(t, "the coverage of the peak", float64(peak)/float64(bounded), 0.95, 0.015)
	near(t, "the share that passed", float64(passed)/runs, 0.025, 0.012)
	near(t, "the share that stayed before", float64(before)/runs, 0.025, 0.012)
}

// TestFourCheckpointsRarelyPassByChance: the fewest that are fitted leave two degrees of
// freedom, and what they say is as sure.
func TestFourCheckpointsRarelyPassByChance(t *testing.T) {
	random := rand.New(rand.NewPCG(43, 44))
	const runs = 4000
	passed := 0
	for range runs {
		fit, err := OverOptimisation(checkpoints(random, 4, math.E, 0.1))
		if err != nil {
			t.Fatal(err)
		}
		if fit.Passed() {
			passed++
		}
	}
	near(t, "the share that passed", float64(passed)/runs, 0.025, 0.01)
}

// TestPassingIsSeen: twice as far as the peak, or half as far, little noise leaves no doubt in
// most runs.
func TestPassingIsSeen(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	passed, before := 0, 0
	for range 200 {
		beyond, _ := OverOptimisation(checkpoints(random, 10, 2*math.E, 0.1))
		within, _ := OverOptimisation(checkpoints(random, 10, math.E/2, 0.05))
		if beyond.Passed() {
			passed++
		}
		if within.Before() {
			before++
		}
	}
	if passed < 190 || before < 190 {
		t.Errorf("of 200 runs %d are seen to have passed, %d to have stayed before", passed, before)
	}
}

// TestFitIsTheLeastSquares: the normal equations against gonum's QR of the same design.
func TestFitIsTheLeastSquares(t *testing.T) {
	kl, gold := checkpoints(rand.New(rand.NewPCG(13, 14)), 10, 4, 0.3)
	fit, err := OverOptimisation(kl, gold)
	if err != nil {
		t.Fatal(err)
	}
	design := mat.NewDense(len(kl), 2, nil)
	for i := range kl {
		d := math.Sqrt(kl[i])
		design.SetRow(i, []float64{d, -d * math.Log(d)})
	}
	var beta mat.VecDense
	if err := beta.SolveVec(design, mat.NewVecDense(len(gold), gold)); err != nil {
		t.Fatal(err)
	}
	near(t, "a", fit.A, beta.AtVec(0), 1e-9)
	near(t, "b", fit.B, beta.AtVec(1), 1e-9)
}

// TestScoresThatOnlyRiseHaveNoPeak: they end before it, and no number is made up.
func TestScoresThatOnlyRiseHaveNoPeak(t *testing.T) {
	fit, err := OverOptimisation([]float64{1, 2, 3, 4, 5}, []float64{1, 2, 3, 4, 5})
	if err != nil {
		t.Fatal(err)
	}
	if fit.B >= 0 || !math.IsNaN(fit.PeakD) || !math.IsNaN(fit.PeakKLHigh) || fit.Passed() || !fit.Before() {
		t.Errorf("%+v", fit)
	}
}

// TestPeaksBeyondNumbers: where b is a thousandth of a the peak is at exp(999).
func TestPeaksBeyondNumbers(t *testing.T) {
	var kl, gold []float64
	for _, d := range []float64{0.5, 1, 2, 3, 4} {
		kl, gold = append(kl, d*d), append(gold, d*(1-0.001*math.Log(d)))
	}
	fit, err := OverOptimisation(kl, gold)
	if err != nil || math.Abs(fit.B-0.001) > 1e-9 || !math.IsNaN(fit.PeakD) || !math.IsNaN(fit.PeakKL) || !math.IsNaN(fit.PeakGold) || !fit.Before() {
		t.Errorf("%+v, %v", fit, err)
	}
}

func TestFitsThatFail(t *testing.T) {
	for want, c := range map[string][2][]float64{
		"the fit needs 4 checkpoints with a score and a KL above 0, and has 3": {{0, -1, 1, 2, 3}, {0, 0, 1, 1, 1}},
		"the fit needs 4 checkpoints with a score and a KL above 0, and has 0": {nil, nil},
		"the fit needs checkpoints at 3 different divergences, and has 2":      {{1, 1, 2, 2}, {1, 1, 1, 1}},
		"point 2 is not finite: KL +Inf, score 1":                              {{1, math.Inf(1), 2, 3}, {1, 1, 1, 1}},
	} {
		if _, err := OverOptimisation(c[0], c[1]); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", c, err, want)
		}
	}
}

// TestFitsScale: scores in another unit scale everything that is in points, and leave the
// peak where it is.
func TestFitsScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kl, gold := checkpoints(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), 10, rapid.Float64Range(0.5, 6).Draw(t, "last"), 0.1)
		scale := rapid.Float64Range(0.01, 100).Draw(t, "scale")
		scaled := make([]float64, len(gold))
		for i, g := range gold {
			scaled[i] = g * scale
		}
		one, err := OverOptimisation(kl, gold)
		if err != nil {
			t.Fatal(err)
		}
		many, err := OverOptimisation(kl, scaled)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "a", many.A, one.A*scale, 1e-7*scale)
		near(t, "the residual", many.Residual, one.Residual*scale, 1e-7*scale)
		if one.B > 0.01 {
			near(t, "the logarithm of the peak", math.Log(many.PeakD), math.Log(one.PeakD), 1e-6*(1+math.Abs(one.A/one.B)))
		}
		if one.Passed() != many.Passed() || one.Passed() && one.Before() {
			t.Fatalf("%+v and %+v", one, many)
		}
	})
}
