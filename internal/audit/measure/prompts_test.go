package measure

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestRateOverPromptsCoverage: prompts differ in how often the policy wins on them, and three
// raters judge each; the win rate is 0.8.
func TestRateOverPromptsCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 42))
	const runs = 3000
	for _, c := range []struct{ prompts, raters int }{{15, 3}, {60, 3}, {40, 1}} {
		covered, loose := 0, 0
		for range runs {
			groups, wins := make([][]float64, c.prompts), 0
			for i := range groups {
				chance := []float64{0.95, 0.35}[min(random.IntN(4)/3, 1)] // 0.8 in the mean
				for range c.raters {
					win := 0
					if random.Float64() < chance {
						win = 1
					}
					groups[i], wins = append(groups[i], float64(win)), wins+win
				}
			}
			covered += covers(RateOverPrompts(groups), 0.8)
			loose += covers(Wilson(float64(wins), c.prompts*c.raters), 0.8)
		}
		near(t, "the coverage", float64(covered)/runs, 0.955, 0.02)
		if share := float64(loose) / runs; c.raters > 1 && share > 0.93 {
			t.Errorf("judgements alone cover %v: the test does not tell them apart", share)
		}
	}
}

// TestOneRaterIsWilson: but for the n - 1 of a variance.
func TestOneRaterIsWilson(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 200).Draw(t, "n")
		wins := rapid.IntRange(0, n).Draw(t, "wins")
		groups := make([][]float64, n)
		for i := range groups {
			groups[i] = []float64{0}
			if i < wins {
				groups[i][0] = 1
			}
		}
		count := n
		if wins > 0 && wins < n {
			count = n - 1
		}
		want := scoreInterval(float64(wins)/float64(n), float64(count), n)
		got := RateOverPrompts(groups)
		nearInterval(t, "the rate", got, want.Value, want.Low, want.High, 1e-9)
	})
}

func TestRatesOverAlikePrompts(t *testing.T) {
	if got := RateOverPrompts([][]float64{{1, 1, 1}, {1, 1, 1}, {1}, {}}); got != Wilson(3, 3) {
		t.Errorf("only wins: %+v", got)
	}
	if got := RateOverPrompts([][]float64{{0.5}, {1, 0}}); got.Value != 0.5 || got.High-got.Low < 0.5 {
		t.Errorf("only ties: %+v", got)
	}
	if got := RateOverPrompts([][]float64{{1, 0}}); got.Value != 0.5 || !got.Bounded() || got.N != 1 {
		t.Errorf("one prompt: %+v", got)
	}
	for _, groups := range [][][]float64{nil, {{}}, {{2}}, {{1}, {math.NaN()}}} {
		if got := RateOverPrompts(groups); got.Defined() {
			t.Errorf("%v: %+v", groups, got)
		}
	}
}
