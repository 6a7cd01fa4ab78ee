package audit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// scored is a run with a KL, a reward that rises, and the scores of a few checkpoints on 40
// prompts that differ a little.
func scored(kl []float64, scores ...float64) *record.Run {
	run := runOf()
	for i, score := range scores {
		step := int64(100 * i)
		for near := int64(-2); near <= 2; near++ {
			run.Series[0].Add(step+near, kl[i])
			run.Series[1].Add(step+near, float64(i))
		}
		for p := range 40 {
			run.Judgements.Scores = append(run.Judgements.Scores, record.Score{Step: step, Prompt: fmt.Sprint(p), Rater: "judge", Value: score + 0.05*math.Sin(float64(7*p+i))})
		}
	}
	return run
}

// TestPeaksInWords: what the law of over-optimisation says of scores that have no peak, or one
// that is not to be seen; never that the score rises where it does not, and no peak that
// rounding or a lucky fit made.
func TestPeaksInWords(t *testing.T) {
	kl := []float64{1e-9, 1, 4, 9, 16, 25, 36, 49}
	law := func(a, b float64) (scores []float64) {
		for _, k := range kl {
			d := math.Sqrt(k)
			scores = append(scores, 1+d*(a-b*math.Log(d)))
		}
		return scores
	}
	for _, c := range []struct {
		name   string
		scores []float64
		level  Level
		says   string
		peak   bool
	}{
		{"a peak within", law(0.4, 0.25), Alert, "is highest at 3", true},
		{"a peak beyond what the run reached", law(0.4, 0.13), OK, "would be highest beyond that, at 65.9", true},
		{"still rising, to a peak that nobody will see", law(0.4, 0.01), OK, "still rises, without a peak", false},
		{"rising ever faster", law(0.1, -0.1), OK, "still rises, without a peak", false},
		{"falling from the start", law(-0.4, 0.1), Alert, "falls almost from the start", false},
		{"fallen at once, and low ever since", []float64{1, 1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, Unknown, "falls", false},
		{"at one level", []float64{1, 1.001, 1, 0.999, 1.001, 1, 1.001, 0.999}, OK, "no peak", false},
		{"two checkpoints", []float64{1, 2}, Unknown, "needs 4 checkpoints with a score and a KL above 0, and has 2", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Examine(scored(kl, c.scores...), Options{Rounds: 200})
			got := find(t, r, "over-optimisation")
			t.Log(got.Note)
			if got.Level != c.level || !strings.Contains(got.Note, c.says) || (r.OverOptimisation != nil) != c.peak {
				t.Errorf("%s: %s (%+v)", got.Level, got.Note, r.OverOptimisation)
			}
		})
	}
}
