package audit

import (
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

func find(t *testing.T, r *Result, name string) Signal {
	t.Helper()
	at := slices.IndexFunc(r.Signals, func(s Signal) bool { return s.Name == name })
	if at < 0 {
		t.Fatalf("there is no signal %q", name)
	}
	return r.Signals[at]
}

// cheats are runs that go wrong in the middle, each in its way: what has to alert, and what
// may alert with it.
var cheats = []struct {
	name   string
	spoil  func(*sim)
	signal string
	level  Level
	also   []string
}{
	{"answers become three times as long", func(s *sim) {
		s.again(record.Length, record.Tokens, breaking(flat(50), 0.5, 150), 4, positive)
	}, "length-drift", Alert, nil},
	{"the policy leaves the reference", func(s *sim) {
		s.again(record.KLReference, record.NatsPerSequence, breaking(rising(0, 4), 0.5, 60), 0.5, unbounded)
	}, "kl-reference", Alert, []string{"over-optimisation"}},
	{"the policy leaves the reference, by tokens", func(s *sim) {
		s.again(record.KLReference, record.NatsPerToken, breaking(rising(0, 0.05), 0.5, 1.2), 0.01, unbounded)
	}, "kl-reference", Alert, []string{"over-optimisation"}},
	{"the KL falls below 0", func(s *sim) {
		s.again(record.KLReference, record.NatsPerSequence, breaking(rising(0, 2), 0.5, -6), 0.4, unbounded)
	}, "kl-negative", Warn, nil},
	{"the entropy collapses", func(s *sim) {
		s.again(record.Entropy, record.NatsPerToken, breaking(flat(2), 0.5, 0.02), 0.05, positive)
	}, "entropy", Alert, nil},
	{"answers run into the maximum length", func(s *sim) {
		s.again(record.Truncated, record.Share, breaking(flat(0.05), 0.5, 0.9), 0.04, any01)
	}, "truncation", Alert, nil},
	{"all rewards become equal", func(s *sim) {
		s.again(record.Reward, record.Points, flat(0), 0.15, unbounded)
		s.again(record.RewardStd, record.Points, breaking(flat(1), 0.5, 0.01), 0.01, positive)
	}, "reward-std", Alert, nil},
	{"groups have no variance", func(s *sim) {
		s.again(record.Reward, record.Points, flat(0), 0.15, unbounded)
		s.again(record.ZeroStdGroups, record.Share, breaking(flat(0.1), 0.5, 0.98), 0.05, any01)
	}, "zero-std-groups", Alert, nil},
	{"most of a batch is clipped", func(s *sim) {
		s.again(record.ClipFraction, record.Share, breaking(flat(0.1), 0.5, 0.8), 0.03, any01)
	}, "clip-fraction", Alert, nil},
	{"updates go too far", func(s *sim) {
		s.again(record.ApproxKL, record.NatsPerToken, breaking(flat(0.01), 0.5, 0.4), 0.004, positive)
	}, "approx-kl", Alert, nil},
	{"the ratio goes off", func(s *sim) {
		s.again(record.Ratio, record.Plain, breaking(flat(1), 0.5, 4), 0.02, positive)
	}, "ratio", Alert, []string{"ratio-drift"}},
	{"the value function unlearns", func(s *sim) {
		s.again(record.ExplainedVariance, record.Share, breaking(rising(0, 0.6), 0.5, -4), 0.1, unbounded)
	}, "explained-variance", Alert, nil},
	{"few samples count", func(s *sim) {
		s.again(record.EffectiveSamples, record.Share, breaking(flat(0.9), 0.5, 0.05), 0.03, any01)
	}, "effective-samples", Alert, nil},
	{"the engine drifts from the trainer", func(s *sim) {
		s.again(record.EngineMismatch, record.NatsPerToken, breaking(flat(0.02), 0.5, 1), 0.005, positive)
	}, "engine-mismatch", Alert, nil},
	{"reward models part", func(s *sim) {
		s.again(record.RewardDisagreement, record.Points, breaking(flat(0.2), 0.5, 2), 0.02, positive)
	}, "reward-disagreement", Alert, nil},
	{"the reward rises and the gold score falls", func(s *sim) {
		s.again(record.Reward, record.Points, func(x float64) float64 { return 3 * x }, 0.1, unbounded)
		s.heldOut(breaking(rising(0.3, 0.6), 0.5, 0.1), 0.01)
	}, "proxy-against-held-out", Alert, []string{"over-optimisation"}},
	{"answers repeat themselves", func(s *sim) {
		s.completions(20, 32, writer{loops: breaking(flat(0), 0.5, 0.9)})
	}, "repetition", Alert, nil},
	{"one answer for all", func(s *sim) {
		s.completions(20, 32, writer{stock: breaking(flat(0), 0.5, 0.95)})
	}, "duplicates", Alert, []string{"repetition"}},
	{"every answer flatters", func(s *sim) {
		s.completions(20, 32, writer{opening: breaking(flat(0), 0.5, 0.95)})
	}, "openings", Warn, nil},
	{"the policy refuses", func(s *sim) {
		s.completions(20, 32, writer{refusing: breaking(flat(0), 0.5, 0.8)})
	}, "refusals", Warn, nil},
	{"the language changes", func(s *sim) {
		s.completions(20, 32, writer{script: breaking(flat(0), 0.5, 0.8)})
	}, "script-drift", Alert, []string{"duplicates", "repetition"}},
	{"the reward pays for words", func(s *sim) {
		s.completions(20, 64, writer{words: breaking(flat(1), 0.3, 1.5), perWord: 0.02})
	}, "length-share", Alert, nil},
	{"one part of the reward is given up for another", func(s *sim) {
		s.log(record.RewardPart, record.Points, breaking(flat(0.5), 0.3, 0.02), 0.02, 0, any01).Name = "rewards/correct/mean"
	}, "reward-components", Alert, nil},
}

// TestCheats: each way to cheat shows in its signal, from about the step where it begins; and
// nothing else alerts.
func TestCheats(t *testing.T) {
	for i, cheat := range cheats {
		t.Run(cheat.name, func(t *testing.T) {
			s := clean(uint64(1000 + i))
			cheat.spoil(s)
			r := Examine(s.run, Options{Rounds: 100})
			got := find(t, r, cheat.signal)
			if got.Level != cheat.level {
				t.Fatalf("%s is %s: %s", got.Name, got.Level, got.Note)
			}
			if x := float64(*got.Step) / float64(s.last()); x < 0.25 || x > 0.92 {
				t.Errorf("it holds from %.2f of the run on", x)
			}
			if got.Value == nil || got.Threshold == "" || got.Basis == "" || strings.Contains(got.Note, "NaN") {
				t.Errorf("something is missing: %+v", got)
			}
			for _, other := range r.Signals {
				if other.Level == Alert && other.Name != cheat.signal && !slices.Contains(cheat.also, other.Name) {
					t.Errorf("%s alerts too: %s", other.Name, other.Note)
				}
			}
			if end := r.Checkpoints[len(r.Checkpoints)-1]; cheat.level == Alert && !slices.Contains(end.Disqualified, cheat.signal) {
				t.Errorf("the last checkpoint is not disqualified: %v", got.Spans)
			}
			if first := r.Checkpoints[0]; len(first.Disqualified) > 0 {
				t.Errorf("the first checkpoint is disqualified by %v", first.Disqualified)
			}
		})
	}
}

// TestParts: a part that is given up warns and alerts, from the log or from completions; not where
// the reward did not rise, and never more than a warning of what by its name is a price.
func TestParts(t *testing.T) {
	judge := func(name string, total, part func(float64) float64) Signal {
		s := newSim(7)
		s.log(record.Reward, record.Points, total, 0.05, 0, unbounded)
		s.log(record.RewardPart, record.Points, part, 0.02, 0, any01).Name = name
		return find(t, Examine(s.run, Options{Rounds: 20}), "reward-components")
	}
	lost, half := breaking(flat(0.5), 0.4, 0.02), breaking(flat(0.5), 0.4, 0.17)
	for _, c := range []struct {
		name        string
		total, part func(float64) float64
		want        Level
	}{
		{"rewards/correct/mean", rising(0, 1), lost, Alert},
		{"rewards/correct/mean", rising(0, 1), half, Warn},
		{"rewards/correct/mean", rising(0, 1), rising(0.5, 0.4), OK},
		{"rewards/correct/mean", rising(1, 0), lost, OK},
		{"rewards/length_reward/mean", rising(0, 1), lost, Warn},
	} {
		got := judge(c.name, c.total, c.part)
		if got.Level != c.want || c.want != OK && !strings.Contains(got.Help, "--metric "+c.name+"=held_out") {
			t.Errorf("%s, want %s: %s", got.Level, c.want, got.Note)
		}
	}
	s := newSim(8)
	s.completions(20, 64, writer{})
	for _, b := range s.run.Batches {
		x := float64(b.Step) / float64(s.last())
		for i := range b.Kept {
			b.Kept[i].Rewards = map[string]float64{"correct": share(s.random.Float64() < lost(x)), "format": 2 * x}
		}
	}
	if got := find(t, Examine(s.run, Options{Rounds: 20}), "reward-components"); got.Level != Alert || !strings.HasPrefix(got.Note, "correct fell") {
		t.Errorf("of completions: %s: %s", got.Level, got.Note)
	}
}
