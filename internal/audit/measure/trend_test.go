package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSpearman: the example of Wikipedia, ten people's IQ and hours before the television.
func TestSpearman(t *testing.T) {
	iq := []float64{106, 100, 86, 101, 99, 103, 97, 113, 112, 110}
	hours := []float64{7, 27, 2, 50, 28, 29, 20, 12, 6, 17}
	got := Spearman(iq, hours)
	near(t, "rho", got.Value, -29.0/165, 1e-12)
	if !(got.Low < -0.6 && got.High > 0.4) {
		t.Errorf("ten pairs bound it to %+v", got)
	}
}

func TestFewPairsAreNotCertain(t *testing.T) {
	got := Spearman([]float64{1, 2, 3, 4}, []float64{2, 4, 6, 8})
	if got.Value != 1 || got.High != 1 || got.Low > 0 {
		t.Errorf("%+v", got)
	}
}

// TestSpearmanOfTies: without any ranks, rho is the correlation of the signs of all
// comparisons: a rank is half of how many are below less how many are above, and a constant.
func TestSpearmanOfTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		draw := func(name string) []float64 {
			return rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 6), func(i int) float64 { return float64(i) }), n, n).Draw(t, name)
		}
		x, y := draw("x"), draw("y")
		got, xy, xx, yy := Spearman(x, y), 0.0, 0.0, 0.0
		for i := range n {
			a, b := 0.0, 0.0
			for j := range n {
				a += sign(x[i] - x[j])
				b += sign(y[i] - y[j])
			}
			xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
		}
		near(t, "rho", got.Value, xy/math.Sqrt(xx*yy), 1e-12)
		near(t, "rho the other way round", Spearman(y, x).Value, got.Value, 1e-12)
		if got.Bounded() && !(-1 <= got.Low && got.Low <= got.Value+1e-12 && got.Value <= got.High+1e-12 && got.High <= 1) {
			t.Fatalf("%+v", got)
		}
		grown := make([]float64, n)
		for i := range x {
			grown[i] = math.Exp(x[i])
		}
		near(t, "rho of a growing function", Spearman(grown, y).Value, got.Value, 1e-12)
	})
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// TestSpearmanCoverage: for normal pairs of correlation r, rho is 6/pi asin(r/2).
func TestSpearmanCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	const runs = 1500
	x, y := make([]float64, 40), make([]float64, 40)
	for _, r := range []float64{0, 0.6, 0.9} {
		covered := 0
		for range runs {
			for i := range x {
				x[i] = random.NormFloat64()
				y[i] = r*x[i] + math.Sqrt(1-r*r)*random.NormFloat64()
			}
			covered += covers(Spearman(x, y), 6/math.Pi*math.Asin(r/2))
		}
		near(t, "the coverage", float64(covered)/runs, 0.95, 0.02)
	}
}

// TestSlopeOfAnscombe: the slope and error that Anscombe (1973, The American Statistician 27)
// prints for his quartet, where neighbours are not alike.
func TestSlopeOfAnscombe(t *testing.T) {
	x := []float64{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	y := []float64{4.26, 5.68, 7.24, 4.82, 6.95, 8.81, 8.04, 8.33, 10.84, 7.58, 9.96}
	slope, stderr, _ := slopeOf(x, y, 0)
	near(t, "the slope", slope, 0.500, 5e-4)
	near(t, "its error", stderr, 0.118, 5e-4)
}

// noise is a series in which a share of each value is left of the one before.
func noise(random *rand.Rand, n int, share float64) []float64 {
	out := make([]float64, n)
	last := random.NormFloat64() / math.Sqrt(1-share*share)
	for i := range out {
		last = share*last + random.NormFloat64()
		out[i] = last
	}
	return out
}

func steps(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

// TestSlopeCoverage: an interval of the slope of series that go nowhere covers 0, whether
// or not a step resembles the one before.
func TestSlopeCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 18))
	const runs = 1500
	for _, c := range []struct {
		n                      int
		share, covered, within float64
	}{
		{5, 0, 0.95, 0.02}, {12, 0, 0.96, 0.02}, {100, 0, 0.96, 0.02},
		{100, 0.5, 0.95, 0.02}, {100, 0.9, 0.94, 0.02}, {200, 0.9, 0.94, 0.02},
	} {
		covered := 0
		for range runs {
			slope, stderr, freedom := slopeOf(steps(c.n), noise(random, c.n, c.share), 0)
			if math.IsInf(stderr, 1) {
				covered++
			} else {
				covered += covers(Around(slope, stderr, freedom, c.n), 0)
			}
		}
		near(t, "the coverage", float64(covered)/runs, c.covered, c.within)
	}
}

// TestRandomWalksLookLikeTrends holds the documentation to its word.
func TestRandomWalksLookLikeTrends(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 20))
	const runs, n = 1500, 200
	beyond := 0
	for range runs {
		walk := make([]float64, n)
		for i := 1; i < n; i++ {
			walk[i] = walk[i-1] + random.NormFloat64()
		}
		if slope, stderr, _ := slopeOf(steps(n), walk, 0); math.Abs(slope) > 2*stderr {
			beyond++
		}
	}
	near(t, "the share that looks like a trend", float64(beyond)/runs, 0.2, 0.05)
}

func TestSlopesAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		name          string
		x, y          []float64
		slope, stderr float64
	}{
		{"nothing", nil, nil, nan, nan},
		{"one", []float64{1}, []float64{1}, nan, nan},
		{"two", []float64{1, 2}, []float64{1, 3}, 2, nan},
		{"constant y", steps(10), make([]float64, 10), 0, 0},
		{"constant x", make([]float64, 10), steps(10), nan, nan},
		{"a line", steps(10), steps(10), 1, 0},
	} {
		slope, stderr, _ := slopeOf(c.x, c.y, 0)
		near(t, c.name, slope, c.slope, 1e-12)
		near(t, "the error of "+c.name, stderr, c.stderr, 1e-12)
	}
	// A step up in the middle: neighbours are all alike, so that few of them count.
	y := append(make([]float64, 10), slices.Repeat([]float64{1}, 10)...)
	if slope, stderr, _ := slopeOf(steps(20), y, 0); !(slope > 0) || stderr < 0.01 {
		t.Errorf("a step has slope %v, error %v", slope, stderr)
	}
}
