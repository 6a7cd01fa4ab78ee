package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// judged draws judges who like quality, and length too: the odds of a win are exp(quality +
// taste tanh(difference/std)). Answers are longer by 50 ± 100.
func judged(random *rand.Rand, n int, quality, taste float64) (outcomes, differences []float64) {
	outcomes, differences = make([]float64, n), make([]float64, n)
	for i := range n {
		differences[i] = 50 + 100*random.NormFloat64()
	}
	spread := math.Sqrt(stat.PopVariance(differences, nil))
	for i := range n {
		if random.Float64() < logistic(quality+taste*math.Tanh(differences[i]/spread)) {
			outcomes[i] = 1
		}
	}
	return outcomes, differences
}

// TestLengthControlledSeesThroughLength: equal quality, judges with a taste for length: the
// raw rate says better, the controlled one does not, and its interval covers.
func TestLengthControlledSeesThroughLength(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 24))
	const runs = 250
	raw, controlled, covered, better := 0.0, 0.0, 0, 0
	for range runs {
		outcomes, differences := judged(random, 300, 0, 1.5)
		raw += mean(outcomes) / runs
		got := LengthControlled(outcomes, differences)
		controlled += got.Value / runs
		covered += covers(got, 0.5)
		outcomes, differences = judged(random, 300, 1, 1.5)
		better += covers(LengthControlled(outcomes, differences), logistic(1))
	}
	if raw < 0.58 {
		t.Errorf("the raw rate is %v: the judges have no taste for length", raw)
	}
	near(t, "the controlled rate", controlled, 0.5, 0.01)
	near(t, "the coverage", float64(covered)/runs, 0.95, 0.04)
	near(t, "the coverage of a better model", float64(better)/runs, 0.95, 0.04)
}

// TestFirthIsTheHighestPenalisedLikelihood: a search without derivatives over the likelihood
// times the root of the information's determinant finds the same.
func TestFirthIsTheHighestPenalisedLikelihood(t *testing.T) {
	outcomes, differences := judged(rand.New(rand.NewPCG(25, 26)), 40, 0.7, 1)
	spread := math.Sqrt(stat.PopVariance(differences, nil))
	unlikely := func(b []float64) float64 {
		likelihood, aa, ab, bb := 0.0, 0.0, 0.0, 0.0
		for i, y := range outcomes {
			x := math.Tanh(differences[i] / spread)
			p := logistic(b[0] + b[1]*x)
			likelihood += y*math.Log(p) + (1-y)*math.Log(1-p)
			w := p * (1 - p)
			aa, ab, bb = aa+w, ab+w*x, bb+w*x*x
		}
		return -likelihood - math.Log(aa*bb-ab*ab)/2
	}
	found, err := optimize.Minimize(optimize.Problem{Func: unlikely}, []float64{0, 0}, nil, &optimize.NelderMead{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the rate", LengthControlled(outcomes, differences).Value, logistic(found.X[0]), 1e-4)
}

// TestSeparatedOutcomesStayFinite: all longer answers win, all shorter ones lose, whatever the
// lengths. Where all answers are longer by about as much there may be no rate at all.
func TestSeparatedOutcomesStayFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(-10000, 10000), 2, 60).Draw(t, "differences")
		border := rapid.IntRange(-10000, 10000).Draw(t, "border")
		outcomes, differences := make([]float64, len(lengths)), make([]float64, len(lengths))
		for i, d := range lengths {
			differences[i] = float64(d)
			if d > border {
				outcomes[i] = 1
			}
		}
		got := LengthControlled(outcomes, differences)
		if !got.Defined() && (slices.Min(lengths) > 0 || slices.Max(lengths) < 0) {
			return
		}
		if !got.Bounded() || !(0 <= got.Low && got.Low <= got.Value && got.Value <= got.High && got.High <= 1) {
			t.Fatalf("%+v", got)
		}
	})
	// Here full steps do not settle, or settle slowly.
	for _, differences := range [][]float64{
		{-3469, -697, 235, 22, -10000, -1016, 0},
		{-3, 0, -1431, 0, 254, 9, 1948, 1, 6640, 14, -9084, -4, -827, 4797},
		{-5, -9, 1071, -14, 32, -19, -40, -6639},
	} {
		outcomes := make([]float64, len(differences))
		for i, d := range differences {
			if d > -5 && d != 22 {
				outcomes[i] = 1
			}
		}
		if got := LengthControlled(outcomes, differences); !got.Bounded() {
			t.Errorf("%v: %+v", differences, got)
		}
	}
	outcomes, differences := []float64{0, 0, 0, 0, 1, 1, 1, 1}, []float64{-40, -30, -20, -10, 10, 20, 30, 40}
	got := LengthControlled(outcomes, differences)
	near(t, "the rate between them", got.Value, 0.5, 1e-9)
	if got.High-got.Low < 0.5 {
		t.Errorf("eight separated outcomes bound it to %+v", got)
	}
}

// TestEqualLengthsNeedNoControl: it is the raw rate, pulled to one half by at most half an
// outcome.
func TestEqualLengthsNeedNoControl(t *testing.T) {
	outcomes := append(make([]float64, 30), slices.Repeat([]float64{1}, 70)...)
	got, want := LengthControlled(outcomes, make([]float64, 100)), Wilson(70, 100)
	near(t, "the rate", got.Value, 70.5/101, 1e-9)
	nearInterval(t, "the interval", got, want.Value, want.Low, want.High, 0.01)
}

// TestSwappedModels: what the one wins at equal length the other loses.
func TestSwappedModels(t *testing.T) {
	outcomes, differences := judged(rand.New(rand.NewPCG(27, 28)), 80, 0.5, 1)
	outcomes[0], outcomes[1] = 0.5, 0.25 // a tie, and raters of which one in four liked it
	got := LengthControlled(outcomes, differences)
	for i := range outcomes {
		outcomes[i], differences[i] = 1-outcomes[i], -differences[i]
	}
	swapped := LengthControlled(outcomes, differences)
	nearInterval(t, "the swapped rate", swapped, 1-got.Value, 1-got.High, 1-got.Low, 1e-9)
}

func TestLengthControlledOfNothing(t *testing.T) {
	for _, c := range [][2][]float64{{nil, nil}, {{2}, {1}}, {{nan, 1}, {1, 2}}, {{1, 0}, {5, 5}}, {{1, 0}, {nan, 1}}} {
		if got := LengthControlled(c[0], c[1]); got.Defined() {
			t.Errorf("%v: %+v", c, got)
		}
	}
}
