package audit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// TestScalesThatDiffer: a rater of points from 0 to 1 and one of points from 50 to 60 can be put
// together where both scored everything, and not where each scored half of the checkpoints.
func TestScalesThatDiffer(t *testing.T) {
	for _, both := range []bool{true, false} {
		run := runOf(state{step: 100, kl: 1, reward: 1, length: 50}, state{step: 200, kl: 2, reward: 2, length: 50})
		for _, step := range []int64{100, 200} {
			for p := range 20 {
				part := 0.5 + 0.5*math.Sin(float64(p))
				for rater, score := range map[string]float64{"ann": part, "bob": 50 + 10*part} {
					if both || (rater == "ann") == (step == 100) {
						run.Judgements.Scores = append(run.Judgements.Scores, record.Score{Step: step, Prompt: fmt.Sprint(p), Rater: rater, Value: score})
					}
				}
			}
		}
		r := Examine(run, Options{Rounds: 50})
		said := strings.Contains(strings.Join(r.Notes, "\n"), "who scored would decide")
		if (r.Primary == "score") != both || said == both {
			t.Errorf("both scored everything: %v; by %q: %v", both, r.Primary, r.Notes)
		}
	}
}

// TestJudgementsOfNoCheckpoint: judgements of steps that were not saved are counted.
func TestJudgementsOfNoCheckpoint(t *testing.T) {
	run := runOf(state{step: 100, kl: 1, reward: 1, length: 50, wins: 0.6, judgedBy: 20})
	for p := range 3 {
		for _, step := range []int64{110, 120} {
			run.Judgements.Preferences = append(run.Judgements.Preferences, record.Preference{Step: step, Prompt: fmt.Sprint(p), Rater: "ann"})
		}
	}
	if notes := strings.Join(Examine(run, Options{Rounds: 50}).Notes, "\n"); !strings.Contains(notes, "6 judgements are of 2 steps from 110 to 120, where no checkpoint was saved") {
		t.Error(notes)
	}
}
