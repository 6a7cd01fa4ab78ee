package audit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// TestWorseThanBase: checkpoints that judges like less than the base are no choice, however
// good the best of them is.
func TestWorseThanBase(t *testing.T) {
	r := Examine(runOf(
		state{step: 100, wins: 0.2, kl: 2, reward: 1, length: 50, judgedBy: 80},
		state{step: 200, wins: 0.3, kl: 3, reward: 2, length: 50, judgedBy: 80},
	), Options{Rounds: 200})
	s := find(t, r, "worse-than-base")
	if s.Level != Alert || *s.Step != 100 || s.Threshold != "significantly < 0.5" || !strings.Contains(s.Note, "30 % at step 200") {
		t.Errorf("%+v", s)
	}
	if r.Recommended != nil || !strings.Contains(strings.Join(r.Notes, "\n"), "keep the base model") {
		t.Errorf("recommended is %+v, and the notes are %v", r.Recommended, r.Notes)
	}
}

// TestWorseThanBaseOnce: one that was worse on the way is left out, and no alarm is given.
func TestWorseThanBaseOnce(t *testing.T) {
	r := Examine(runOf(
		state{step: 100, wins: 0.2, kl: 2, reward: 1, length: 50, judgedBy: 80},
		state{step: 200, wins: 0.8, kl: 3, reward: 2, length: 50, judgedBy: 80},
	), Options{Rounds: 200})
	if s := find(t, r, "worse-than-base"); s.Level != Warn || *s.Step != 100 {
		t.Errorf("%+v", s)
	}
	if rec := r.Recommended; rec == nil || rec.Step != 200 || rec.Better == nil || !*rec.Better || !strings.Contains(rec.Why, "better than the base model") {
		t.Errorf("%+v", rec)
	}
}

// TestAsGoodAsBase: of a checkpoint that is not surely better it is said, and nothing warns.
func TestAsGoodAsBase(t *testing.T) {
	r := Examine(runOf(state{step: 100, wins: 0.55, kl: 2, reward: 1, length: 50, judgedBy: 80}), Options{Rounds: 200})
	if s := find(t, r, "worse-than-base"); s.Level != OK {
		t.Errorf("%+v", s)
	}
	if rec := r.Recommended; rec == nil || rec.Better == nil || *rec.Better || !strings.Contains(rec.Why, "not shown to be better than the base model (50 %)") {
		t.Errorf("%+v", rec)
	}
}

// TestScoresAgainstBase: scores are compared with those of step 0, and without them nothing is said.
func TestScoresAgainstBase(t *testing.T) {
	run := func(first int64) *record.Run {
		random := rand.New(rand.NewPCG(1, 2))
		run := &record.Run{}
		for i, mean := range []float64{10, 5, 6} {
			for p := range 30 {
				run.Judgements.Scores = append(run.Judgements.Scores, record.Score{Step: first + 100*int64(i), Prompt: fmt.Sprint(p), Value: mean + random.NormFloat64()})
			}
		}
		return run
	}
	if s := find(t, Examine(run(0), Options{Rounds: 200}), "worse-than-base"); s.Level != Alert || *s.Step != 100 {
		t.Errorf("%+v", s)
	}
	if s := find(t, Examine(run(100), Options{Rounds: 200}), "worse-than-base"); s.Level != Unknown {
		t.Errorf("without a base: %+v", s)
	}
}

// TestConstantDifference: a difference that is the same at every prompt is sure without an error.
func TestConstantDifference(t *testing.T) {
	run := &record.Run{}
	for p := range 30 {
		for step, value := range map[int64]float64{100: 8, 200: 3} {
			run.Judgements.Scores = append(run.Judgements.Scores, record.Score{Step: step, Prompt: fmt.Sprint(p), Value: value})
		}
	}
	r := Examine(run, Options{Rounds: 200})
	if rec := r.Recommended; rec == nil || rec.Step != 100 || strings.Contains(rec.Why, "not distinguishable") {
		t.Errorf("%+v", rec)
	}
}

// TestNothingToCompare: of one evaluation of one checkpoint nothing can be chosen.
func TestNothingToCompare(t *testing.T) {
	run := &record.Run{Checkpoints: []record.Checkpoint{{Step: 100, Path: "checkpoint-100"}, {Step: 200, Path: "checkpoint-200"}}}
	held := record.NewSeries("log", "eval_reward")
	held.Quantity, held.Unit, held.Evaluation = record.HeldOut, record.Points, true
	held.Add(200, 0.7)
	run.Series = []*record.Series{held}
	r := Examine(run, Options{})
	if r.Recommended != nil || !strings.Contains(strings.Join(r.Notes, "\n"), "too few of them have a held-out score to compare") {
		t.Errorf("recommended is %+v, notes %v", r.Recommended, r.Notes)
	}
}
