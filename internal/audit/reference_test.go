package audit

import (
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// TestBegunElsewhere: a policy that is far from the reference at the first step, before any
// update, is told so; it alerts where training took it as far again.
func TestBegunElsewhere(t *testing.T) {
	for _, test := range []struct {
		goes float64
		want Level
	}{{0.8, Warn}, {1.6, Alert}} {
		s := newSim(3)
		s.log(record.KLReference, record.NatsPerToken, rising(0.85, test.goes), 0.02, 0, positive)
		s.run.Series[0].Points[0].Step = 2
		got := find(t, Examine(s.run, Options{Rounds: 20}), "kl-reference")
		if got.Level != test.want || !strings.Contains(got.Why, "when training began, so the reference is not the base model") {
			t.Errorf("to %v: %s: %s", test.goes, got.Level, got.Note)
		}
	}
}

// TestSolved: where the reward rises to its ceiling, groups of equal rewards are what success
// looks like. That warns, and disqualifies nothing.
func TestSolved(t *testing.T) {
	for seed := range uint64(10) {
		s := clean(seed)
		s.again(record.Reward, record.Points, breaking(rising(0, 0.6), 0.4, 1), 0.02, any01)
		s.again(record.RewardStd, record.Points, breaking(flat(0.5), 0.4, 0.001), 0.01, positive)
		s.again(record.ZeroStdGroups, record.Share, breaking(flat(0.1), 0.4, 0.99), 0.02, any01)
		r := Examine(s.run, Options{Rounds: 20})
		for _, name := range []string{"reward-std", "zero-std-groups"} {
			if got := find(t, r, name); got.Level != Warn || got.Spans != nil || !strings.Contains(got.Note, "at its maximum, and no checkpoint is excluded") {
				t.Errorf("seed %d: %s %s: %s", seed, got.Level, name, got.Note)
			}
		}
	}
}

// TestUpdateKLOfUnknownUnit: a sum over the sequence and a mean over tokens have other borders.
func TestUpdateKLOfUnknownUnit(t *testing.T) {
	s := newSim(4)
	s.log(record.ApproxKL, "", flat(0.4), 0.02, 0, positive)
	if got := find(t, Examine(s.run, Options{Rounds: 20}), "approx-kl"); got.Level != Unknown || !strings.Contains(got.Note, "say which: --metric approx_kl=approx_kl:nats-per-sequence, or --metric approx_kl=approx_kl:nats-per-token") {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
}

// TestShorterIsAnotherThing: what is said of answers that grow is not said of those that shrink.
// A fifth of the length alerts, but not where answers were cut when the run began: then they
// learned to end.
func TestShorterIsAnotherThing(t *testing.T) {
	s := silent(5)
	s.again(record.Length, record.Tokens, breaking(flat(50), 0.5, 5), 2, positive)
	got := find(t, Examine(s.run, Options{Rounds: 20}), "length-drift")
	if got.Level != Alert || strings.Contains(got.Why, "reward models favour length") || !strings.Contains(got.Why, "shorter answers") {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
	s.again(record.Truncated, record.Share, breaking(flat(0.6), 0.5, 0.05), 0.02, any01)
	if got := find(t, Examine(s.run, Options{Rounds: 20}), "length-drift"); got.Level != Warn {
		t.Errorf("of answers that had been cut: %s: %s", got.Level, got.Note)
	}
}

// TestUnheld: where the settings say that there is no penalty, the advice is not to raise it.
func TestUnheld(t *testing.T) {
	for config, want := range map[string]string{
		"beta":                   "give the KL a coefficient (beta is 0, so nothing holds the policy to the reference)",
		"algorithm.init_kl_coef": "give the KL a coefficient (init_kl_coef is 0",
		"seed":                   raiseKL,
	} {
		s := silent(5)
		s.run.Config[config] = 0.0
		s.again(record.KLReference, record.NatsPerSequence, breaking(rising(0, 4), 0.5, 60), 0.5, unbounded)
		if got := find(t, Examine(s.run, Options{Rounds: 20}), "kl-reference"); got.Level != Alert || !strings.Contains(got.Help, want) {
			t.Errorf("%s: %s: %s", config, got.Level, got.Note)
		}
	}
}

// TestNoKLInTRL: a missing KL of GRPO is no forgotten log: the default computes none.
func TestNoKLInTRL(t *testing.T) {
	s := newSim(6)
	s.run.Trainer = "trl grpo or trl rloo"
	s.log(record.Reward, record.Points, rising(0, 1), 0.1, 0, unbounded)
	if got := find(t, Examine(s.run, Options{Rounds: 20}), "kl-reference"); got.Level != Unknown || !strings.Contains(got.Note, "only where beta is not 0") {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
}

// TestConstantIsNoMeasurement: a clip fraction that never changes is a setting, or a fault of the log.
func TestConstantIsNoMeasurement(t *testing.T) {
	s := newSim(7)
	s.log(record.ClipFraction, record.Share, flat(1), 0, 0, any01)
	if got := find(t, Examine(s.run, Options{Rounds: 20}), "clip-fraction"); got.Level != Unknown || !strings.Contains(got.Note, "no measured share") {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
}
