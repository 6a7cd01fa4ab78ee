package measure

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/optimize"
	"pgregory.net/rapid"
)

// TestBradleyTerryOfBaseball: the eastern teams of the American League of 1987, as Agresti
// fits them (Categorical Data Analysis, 2nd edition, section 10.6): strengths
// above Baltimore's of 1.58, 1.44, 1.29, 1.25, 1.11 and 0.68.
func TestBradleyTerryOfBaseball(t *testing.T) {
	got, err := BradleyTerry([][]float64{
		{0, 7, 9, 7, 7, 9, 11}, // Milwaukee
		{6, 0, 7, 5, 11, 9, 9}, // Detroit
		{4, 6, 0, 7, 7, 8, 12}, // Toronto
		{6, 8, 6, 0, 6, 7, 10}, // New York
		{6, 2, 6, 7, 0, 7, 12}, // Boston
		{4, 4, 5, 6, 6, 0, 6},  // Cleveland
		{2, 4, 1, 3, 1, 7, 0},  // Baltimore
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0} {
		near(t, "the strength", got[i]-got[6], want, 5e-3)
	}
}

// TestBradleyTerryIsTheLikeliest: a search that knows no derivatives finds no better
// strengths; of two models the odds are the wins.
func TestBradleyTerryIsTheLikeliest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 4).Draw(t, "models")
		wins := make([][]float64, k)
		for i := range wins {
			wins[i] = rapid.SliceOfN(rapid.Map(rapid.IntRange(1, 40), func(w int) float64 { return float64(w) / 2 }), k, k).Draw(t, "wins")
		}
		got, err := BradleyTerry(wins)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, b := range got {
			sum += b
		}
		near(t, "the sum", sum, 0, 1e-9)
		if k == 2 {
			near(t, "the odds", got[0]-got[1], math.Log(wins[0][1]/wins[1][0]), 1e-8)
		}
		unlikely := func(b []float64) float64 {
			sum := 0.0
			for i := range wins {
				for j := range wins {
					if i != j {
						sum -= wins[i][j] * math.Log(math.Exp(b[i])/(math.Exp(b[i])+math.Exp(b[j])))
					}
				}
			}
			return sum
		}
		found, err := optimize.Minimize(optimize.Problem{Func: unlikely}, make([]float64, k), nil, &optimize.NelderMead{})
		if err != nil {
			t.Fatal(err)
		}
		if best := unlikely(got); best > found.F+1e-9 {
			t.Fatalf("the search finds %v, better than %v", found.F, best)
		}
	})
}

// TestBradleyTerryOfRoutsConverges: results that are all but one-sided, where Newton's steps
// go too far.
func TestBradleyTerryOfRoutsConverges(t *testing.T) {
	got, err := BradleyTerry([][]float64{{0, 1e6, 0}, {0.5, 0, 1e6}, {0, 0.5, 0}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the upper gap", got[0]-got[1], math.Log(2e6), 1e-6)
	near(t, "the lower gap", got[1]-got[2], math.Log(2e6), 1e-6)
}

// TestNewtonsStepsMayGoTooFar: results of few links, one of them lopsided by thousands.
func TestNewtonsStepsMayGoTooFar(t *testing.T) {
	wins := [][]float64{{0, 7363, 3, 0, 6}, {0, 0, 6, 0, 19579}, {0, 0, 0, 17, 458}, {1930, 71, 0, 0, 0}, {0, 2, 0, 0, 0}}
	got, err := BradleyTerry(wins)
	if err != nil {
		t.Fatal(err)
	}
	// At the likeliest strengths each model is expected to win as often as it did.
	for i := range wins {
		expected, won := 0.0, 0.0
		for j := range wins {
			expected += (wins[i][j] + wins[j][i]) * logistic(got[i]-got[j])
			won += wins[i][j]
		}
		near(t, "the wins to expect", expected, won, 1e-4)
	}
}

func TestBradleyTerryWithoutAMaximum(t *testing.T) {
	for want, wins := range map[string][][]float64{
		"1 models":               {{0}},
		"row 2 has 1 entries":    {{0, 1}, {1}},
		"model 2 is said to":     {{0, 1}, {-1, 0}},
		"won NaN times":          {{0, math.NaN()}, {1, 0}},
		"model 1 and model 2 in": {{0, 3}, {0, 0}},
		"model 1 and model 3 in": {{0, 1, 0, 0}, {1, 0, 2, 2}, {0, 0, 0, 1}, {0, 0, 1, 0}},
	} {
		if got, err := BradleyTerry(wins); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, %v, want %q", wins, got, err, want)
		}
	}
}
