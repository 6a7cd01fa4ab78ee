package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// tournament is a run of four checkpoints, the third of which is the strongest, and the last,
// of the highest reward, the weakest. On each prompt raters compare checkpoints with each other,
// and the first one with the base, which is as strong.
func tournament(prompts int) *record.Run {
	run := runOf(state{step: 100, kl: 1, reward: 1, length: 50}, state{step: 200, kl: 2, reward: 2, length: 50},
		state{step: 300, kl: 3, reward: 3, length: 50}, state{step: 400, kl: 4, reward: 4, length: 50})
	strengths := map[int64]float64{base: 0, 100: 0, 200: 0.5, 300: 1.5, 400: -1.5}
	random := rand.New(rand.NewPCG(8, 15))
	for p := range prompts {
		for _, pair := range [][2]int64{{100, base}, {200, 100}, {300, 200}, {300, 400}, {400, 100}} {
			o := record.Loss
			if random.Float64() < measure.Chance(strengths[pair[0]], strengths[pair[1]]) {
				o = record.Win
			}
			preference := record.Preference{Step: pair[0], Prompt: fmt.Sprint(p), Rater: "ann", Outcome: o}
			if pair[1] != base {
				preference.Against = &pair[1]
			}
			run.Judgements.Preferences = append(run.Judgements.Preferences, preference)
		}
	}
	return run
}

// TestArena: checkpoints that were compared with each other, and hardly with the base, are ranked
// by their chance to win against the base.
func TestArena(t *testing.T) {
	r := Examine(tournament(120), Options{Rounds: 200})
	if r.Primary != "arena_win_rate" || r.Recommended == nil || r.Recommended.Step != 300 {
		t.Fatalf("by %q it takes %+v", r.Primary, r.Recommended)
	}
	for step, strength := range map[int64]float64{100: 0, 200: 0.5, 300: 1.5, 400: -1.5} {
		at := slices.IndexFunc(r.Checkpoints, func(c Checkpoint) bool { return c.Step == step })
		m, want := r.Checkpoints[at].Metrics["arena_win_rate"], measure.Chance(strength, 0)
		if math.Abs(m.Value-want) > 0.15 || m.Low == nil || !(*m.Low < m.Value && m.Value < *m.High) || m.N != 120 {
			t.Errorf("at %d it is %+v, want %v", step, m, want)
		}
	}
	if by := r.ByRewardAlone; by.Step != 400 || by.Cost == nil || *by.Cost.Low < 0.3 || !strings.Contains(by.Note, "prompt by prompt over 120 prompts") {
		t.Errorf("the reward alone: %+v", by)
	}
}

// TestArenaSides: who stands first in a comparison changes nothing.
func TestArenaSides(t *testing.T) {
	run, turned := tournament(40), tournament(40)
	for i, p := range turned.Judgements.Preferences {
		if p.Against != nil && i%2 == 0 {
			step := p.Step
			turned.Judgements.Preferences[i] = record.Preference{Step: *p.Against, Against: &step, Prompt: p.Prompt, Rater: p.Rater, Outcome: -p.Outcome}
		}
	}
	one, other := Examine(run, Options{Rounds: 50}), Examine(turned, Options{Rounds: 50})
	if a, b := encoded(t, one), encoded(t, other); string(a) != string(b) {
		t.Errorf("%s\n%s", a, b)
	}
}

// TestArenaWithoutARanking: where one checkpoint won always, or nobody links two groups, it is
// said that they cannot be ranked, and nothing is.
func TestArenaWithoutARanking(t *testing.T) {
	run := tournament(30)
	for i, p := range run.Judgements.Preferences {
		if p.Step == 300 {
			run.Judgements.Preferences[i].Outcome = record.Win
		}
	}
	r := Examine(run, Options{Rounds: 50})
	if r.Primary == "arena_win_rate" || !strings.Contains(strings.Join(r.Notes, "\n"), "do not rank them") {
		t.Errorf("by %q: %v", r.Primary, r.Notes)
	}
}
