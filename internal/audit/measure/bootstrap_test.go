package measure

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func mean(values []float64) float64 { return stat.Mean(values, nil) }

// normals draws prompts of so many values each; values of one prompt share a part.
func normals(random *rand.Rand, prompts, each int) [][]float64 {
	groups := make([][]float64, prompts)
	for i := range groups {
		shared := random.NormFloat64()
		for range each {
			groups[i] = append(groups[i], shared+0.5*random.NormFloat64())
		}
	}
	return groups
}

// TestBootstrapOfAMeanIsStudents: for the mean of normal values the interval is known.
func TestBootstrapOfAMeanIsStudents(t *testing.T) {
	values := []float64{5.1, 4.2, 6.3, 5.7, 4.9, 5.5, 6.1, 4.4, 5.2, 5.8, 3.9, 5.0, 6.6, 5.3, 4.7}
	groups := make([][]float64, len(values))
	for i, v := range values {
		groups[i] = []float64{v}
	}
	m, e := MeanError(values)
	want := Around(m, e, float64(len(values)-1), len(values))
	got := Bootstrap(groups, mean, 20000, 1)
	nearInterval(t, "the mean", got, want.Value, want.Low, want.High, 0.05*(want.High-want.Low))
}

// TestBootstrapCoverage: with four judgements a prompt that resemble each other, drawing
// prompts covers, and drawing judgements does not.
func TestBootstrapCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const runs = 400
	prompts, judgements := 0, 0
	for run := range uint64(runs) {
		groups := normals(random, 20, 4)
		var loose [][]float64
		for _, g := range groups {
			for _, v := range g {
				loose = append(loose, []float64{v})
			}
		}
		prompts += covers(Bootstrap(groups, mean, 400, run), 0)
		judgements += covers(Bootstrap(loose, mean, 400, run), 0)
	}
	near(t, "the coverage over prompts", float64(prompts)/runs, 0.95, 0.03)
	if share := float64(judgements) / runs; share > 0.8 {
		t.Errorf("judgements alone cover %v: the test does not tell them apart", share)
	}
}

func TestBootstrapIsSeeded(t *testing.T) {
	groups := normals(rand.New(rand.NewPCG(7, 8)), 12, 2)
	one, again, other := Bootstrap(groups, mean, 200, 1), Bootstrap(groups, mean, 200, 1), Bootstrap(groups, mean, 200, 2)
	if one != again || one == other {
		t.Errorf("seed 1 gives %+v and %+v, seed 2 %+v", one, again, other)
	}
}

func TestBootstrapOfLittle(t *testing.T) {
	if got := Bootstrap([][]float64{{}, {}}, mean, 100, 1); got.Defined() || got.N != 0 {
		t.Errorf("nothing: %+v", got)
	}
	if got := Bootstrap([][]float64{{1, 2}, {}}, mean, 100, 1); got.Value != 1.5 || got.Bounded() || got.N != 1 {
		t.Errorf("one prompt: %+v", got)
	}
	if got := Bootstrap([][]float64{{1}, {2}}, mean, 0, 1); got.Value != 1.5 || got.Bounded() {
		t.Errorf("no rounds: %+v", got)
	}
	// A statistic that most resamples have no value for has no interval.
	largest := func(v []float64) float64 {
		for _, x := range v {
			if x == 9 {
				return x
			}
		}
		return math.NaN()
	}
	if got := Bootstrap([][]float64{{9}, {2}, {3}}, largest, 500, 1); got.Value != 9 || got.Bounded() {
		t.Errorf("a statistic with holes: %+v", got)
	}
	if got := Bootstrap([][]float64{{2}, {2}, {2}}, mean, 100, 1); got.Value != 2 || got.Bounded() {
		t.Errorf("constant: %+v", got)
	}
}
