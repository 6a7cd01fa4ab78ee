package audit

import (
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// player is a run of PPO in an environment in which all goes well: episodes become longer, the
// policy becomes sure, and in the end every episode is as good, so that returns do not vary.
func player(seed uint64) *sim {
	s := newSim(seed)
	s.run.Environment = true
	s.log(record.Reward, record.Points, rising(20, 500), 5, 0, positive)
	s.log(record.Length, record.Steps, rising(20, 500), 5, 0, positive)
	s.log(record.Entropy, record.NatsPerToken, breaking(flat(0.69), 0.3, 0.01), 0.005, 0, positive)
	s.log(record.ApproxKL, record.NatsPerToken, flat(0.01), 0.002, 0, positive)
	s.log(record.ClipFraction, record.Share, flat(0.1), 0.02, 0, any01)
	s.log(record.ExplainedVariance, record.Plain, breaking(rising(0, 0.8), 0.6, -17), 0.1, 0, unbounded)
	return s
}

// TestLearningToPlayIsNoCheating: what would be a collapse in a language model is how a game is
// won, and nothing is asked for that only texts have.
func TestLearningToPlayIsNoCheating(t *testing.T) {
	for seed := range uint64(20) {
		r := Examine(player(seed).run, Options{Rounds: 20})
		for _, s := range r.Signals {
			if s.Level == Alert || s.Level == Warn {
				t.Errorf("seed %d: %s %s: %s", seed, s.Level, s.Name, s.Note)
			}
		}
		if entropy := find(t, r, "entropy"); !strings.Contains(entropy.Note, "while the reward rose") {
			t.Error(entropy.Note)
		}
		if slices.ContainsFunc(r.Signals, func(s Signal) bool { return s.Name == "repetition" }) {
			t.Error("texts are judged where there are none")
		}
		if missing := strings.Join(r.Missing, "\n"); strings.Contains(missing, "completions") || !strings.Contains(missing, "play each checkpoint") {
			t.Error(missing)
		}
	}
}

// TestTextless: a reward, a loss and an exploration rate are no log of a language model; one metric
// that tells of tokens or of a reference, even if nobody knows what it measures, is.
func TestTextless(t *testing.T) {
	plain := func() *sim {
		s := newSim(1)
		s.run.Trainer, s.run.Config, s.run.Batches = "", nil, nil
		s.log(record.Reward, record.Points, rising(20, 500), 5, 0, positive)
		return s
	}
	r := Examine(plain().run, Options{Rounds: 20})
	if missing := r.MissingButTexts(); !r.Textless() || len(missing) != 1 || !strings.HasPrefix(missing[0], "proxy-against-held-out: ") || len(r.Missing) < 5 {
		t.Errorf("textless: %v; missing %q of %q", r.Textless(), missing, r.Missing)
	}
	for what, change := range map[string]func(*record.Run){
		"a trainer":                  func(r *record.Run) { r.Trainer = "trl grpo" },
		"a metric of unknown tokens": func(r *record.Run) { r.Series[0].Name = "my/reward_per_token" },
		"a setting":                  func(r *record.Run) { r.Config = map[string]any{"response_length": 53} },
		"no reward":                  func(r *record.Run) { r.Series[0].Quantity = record.PolicyLoss },
		"completions":                func(r *record.Run) { r.Batches = []record.Batch{{Step: 1}} },
	} {
		s := plain()
		change(s.run)
		if Examine(s.run, Options{Rounds: 20}).Textless() {
			t.Errorf("%s is not heeded", what)
		}
	}
}

// TestSureOfTheWrongThing: a policy that became sure and no better stopped to explore too soon.
// That warns; it is no cheating.
func TestSureOfTheWrongThing(t *testing.T) {
	s := player(1)
	s.again(record.Reward, record.Points, flat(20), 5, positive)
	if got := find(t, Examine(s.run, Options{Rounds: 20}), "entropy"); got.Level != Warn || got.Spans != nil {
		t.Errorf("%s %v: %s", got.Level, got.Spans, got.Note)
	}
}

// TestDensitiesHaveNoZero: the entropy of a Gaussian policy begins above 0 and goes below it.
func TestDensitiesHaveNoZero(t *testing.T) {
	s := player(1)
	s.again(record.Entropy, record.NatsPerToken, rising(1.2, -0.6), 0.01, unbounded)
	if got := find(t, Examine(s.run, Options{Rounds: 20}), "entropy"); got.Level != Unknown || !strings.Contains(got.Note, "can be negative") {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
}

// TestEvaluationsThatFallWarn: where the evaluation plays for the reward that is trained on, its
// fall is no cheating, and disqualifies nothing.
func TestEvaluationsThatFallWarn(t *testing.T) {
	s := player(1)
	s.heldOut(breaking(rising(20, 500), 0.4, 50), 2)
	got := find(t, Examine(s.run, Options{Rounds: 20}), "proxy-against-held-out")
	if got.Level != Warn || got.Spans != nil || !strings.Contains(got.Why, "what is evaluated differs from what is trained") {
		t.Errorf("%s %v: %s", got.Level, got.Spans, got.Note)
	}
}
