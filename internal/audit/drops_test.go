package audit

import (
	"fmt"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// judgedRun is a run of twelve checkpoints whose reward follows a path, and of which the
// answers to 64 prompts were preferred at the rates.
func judgedRun(reward func(int) float64, rates ...float64) *record.Run {
	run := &record.Run{Dir: "/run"}
	series := record.NewSeries("trainer_state.json", "reward")
	series.Quantity, series.Unit = record.Reward, record.Points
	for step := range 10 * len(rates) {
		series.Add(int64(step), reward(step)+0.1*float64(step%3))
	}
	run.Series = []*record.Series{series}
	for i, rate := range rates {
		for prompt := range 64 {
			p := record.Preference{Step: int64(10 * i), Prompt: fmt.Sprint(prompt), Rater: "a", Outcome: record.Loss}
			if float64((prompt*29+i*7)%64) < rate*64 {
				p.Outcome = record.Win
			}
			run.Judgements.Preferences = append(run.Judgements.Preferences, p)
		}
	}
	return run
}

// TestDrops: a win rate that falls by a step while the reward rises alerts, from the last
// checkpoint that is not surely below the best; one that stays, one that falls by what chance
// does, and one that falls while the reward falls too, do not.
func TestDrops(t *testing.T) {
	up := func(step int) float64 { return float64(step) / 10 }
	down := func(step int) float64 { return -float64(step) / 10 }
	for _, c := range []struct {
		name   string
		reward func(int) float64
		rates  []float64
		level  Level
		since  int64
	}{
		{"falls by a step", up, []float64{0.55, 0.6, 0.6, 0.55, 0.2, 0.15, 0.15, 0.15}, Alert, 30},
		{"stays", up, []float64{0.55, 0.6, 0.6, 0.55, 0.55, 0.6, 0.5, 0.55}, OK, 0},
		{"falls by what chance does", up, []float64{0.5, 0.6, 0.45, 0.55, 0.4, 0.5, 0.45, 0.5}, OK, 0},
		{"falls with the reward", down, []float64{0.55, 0.6, 0.6, 0.55, 0.2, 0.15, 0.15, 0.15}, OK, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Examine(judgedRun(c.reward, c.rates...), Options{})
			for _, s := range r.Signals {
				if s.Name != "proxy-against-held-out" {
					continue
				}
				if s.Level != c.level || c.level == Alert && *s.Step != c.since {
					t.Errorf("%s: %s", s.Level, s.Note)
				}
				return
			}
			t.Fatal("there is no such signal")
		})
	}
}
