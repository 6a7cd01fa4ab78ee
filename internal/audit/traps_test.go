package audit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// traps are runs whose log hides what a signal is for: the signal is unknown, and says why.
var traps = []struct {
	name   string
	set    func(*sim)
	signal string
	says   string
}{
	{"GRPO that uses each batch once has no ratio to clip", func(s *sim) {
		s.run.Trainer, s.run.Config["num_iterations"] = "trl grpo", 1.0
		s.again(record.ClipFraction, record.Share, flat(0), 0, any01)
	}, "clip-fraction", "constant by construction"},
	{"its ratio is 1", func(s *sim) {
		s.run.Trainer, s.run.Config["num_iterations"] = "trl grpo", 1.0
		s.again(record.Ratio, record.Plain, flat(1), 0, positive)
	}, "ratio", "constant by construction"},
	{"and does not drift", func(s *sim) {
		s.again(record.Ratio, record.Plain, flat(1), 0, positive)
	}, "ratio-drift", "is 1 at every step"},
	{"without a coefficient no KL is logged", func(s *sim) {
		s.drop(record.KLReference)
		s.run.Config["beta"] = 0.0
	}, "kl-reference", "because its coefficient is 0"},
	{"with a coefficient it was not logged", func(s *sim) {
		s.drop(record.KLReference)
		s.run.Config["beta"] = 0.04
	}, "kl-reference", "is not logged; log its sum"},
	{"TRL's PPO has pads in its KL", func(s *sim) {
		s.run.Trainer = "trl ppo"
		s.drop(record.Length)
		s.again(record.ApproxKL, record.NatsPerToken, flat(0.001), 0.0001, positive).Trap = "pads are in the mean"
	}, "approx-kl", "which says nothing: pads are in the mean"},
	{"a KL of 0 is that of a policy to itself", func(s *sim) {
		s.again(record.KLReference, record.NatsPerToken, flat(0), 0, positive)
	}, "kl-reference", "the reference is the policy itself"},
	{"the KL of an evaluation is none of training", func(s *sim) {
		s.again(record.KLReference, record.NatsPerToken, flat(5), 0.1, positive).Evaluation = true
	}, "kl-reference", "is not logged"},
	{"a KL in no unit is compared with nothing", func(s *sim) {
		s.again(record.KLReference, "", flat(500), 1, positive)
	}, "kl-reference", "whether kl_reference is a sum over the sequence or a mean over tokens is not known"},
	{"an effective sample size in samples has no border", func(s *sim) {
		s.again(record.EffectiveSamples, record.Plain, flat(100), 1, positive)
	}, "effective-samples", "is in number, and what is judged is a share of the samples"},
	{"a mismatch in no unit", func(s *sim) {
		s.again(record.EngineMismatch, "", flat(100), 1, positive)
	}, "engine-mismatch", "is a difference of log-probs or of probabilities is not known"},
	{"an episode of an environment is no text", func(s *sim) {
		s.again(record.Length, record.Steps, rising(20, 200), 1, positive)
		s.run.Batches = nil
	}, "length-drift", "only lengths of texts"},
	{"a differential entropy has no zero", func(s *sim) {
		s.again(record.Entropy, record.Nats, rising(-1, -9), 0.1, unbounded)
	}, "entropy", "can be negative"},
	{"four values are no trend", func(s *sim) {
		s.values = 4
		s.again(record.Truncated, record.Share, flat(0.9), 0, any01)
	}, "truncation", "4 values are logged; 5 are needed"},
	{"a few completions are none", func(s *sim) {
		s.completions(2, 6, writer{loops: flat(1)})
	}, "repetition", "usable completions of 6 prompts only"},
	{"without prompts copies are not told from answers", func(s *sim) {
		s.completions(20, 32, writer{stock: flat(1)})
		s.forget()
	}, "duplicates", "logged without their prompts"},
	{"nor where each step has one prompt", func(s *sim) {
		s.completions(20, 32, writer{stock: flat(1)})
		for i, b := range s.run.Batches {
			for k := range b.Kept {
				b.Kept[k].Prompt = fmt.Sprint("the prompt of step ", i)
			}
		}
	}, "duplicates", "or for too few"},
	{"GRPO has no value function", func(s *sim) {
		s.run.Trainer = "trl grpo"
		s.drop(record.ExplainedVariance)
	}, "explained-variance", "has no value function"},
}

// TestTraps: where the log cannot show it, a signal is unknown, never ok.
func TestTraps(t *testing.T) {
	for i, trap := range traps {
		t.Run(trap.name, func(t *testing.T) {
			s := silent(uint64(2000 + i))
			trap.set(s)
			got := find(t, Examine(s.run, Options{Rounds: 20}), trap.signal)
			if got.Level != Unknown || !strings.Contains(got.Note, trap.says) || got.Step != nil || got.Value != nil {
				t.Errorf("%s is %s: %s", got.Name, got.Level, got.Note)
			}
		})
	}
}

// TestPadding: TRL's PPO takes its means over pads, too. Where the tokens are logged the pads
// can be taken out, and what they hid shows; what shows in spite of them needs no tokens.
func TestPadding(t *testing.T) {
	ppo := func(kl float64, tokens bool) Signal {
		s := silent(3000)
		s.loud = 1
		s.run.Trainer, s.run.Config["response_length"] = "trl ppo", 500
		if !tokens {
			s.drop(record.Length)
		}
		s.again(record.ApproxKL, record.NatsPerToken, flat(kl), kl/20, positive).Trap = "pads are in the mean"
		return find(t, Examine(s.run, Options{Rounds: 20}), "approx-kl")
	}
	if s := ppo(0.02, false); s.Level != Unknown {
		t.Errorf("without tokens 0.02 is %s: %s", s.Level, s.Note)
	}
	if s := ppo(0.02, true); s.Level != Alert || math.Abs(*s.Value-0.2) > 0.1 {
		t.Errorf("0.02 in ten times as many positions is %s: %s", s.Level, s.Note)
	}
	if s := ppo(0.001, true); s.Level != OK {
		t.Errorf("0.01 a token is %s: %s", s.Level, s.Note)
	}
	if s := ppo(0.5, false); s.Level != Alert {
		t.Errorf("0.5 in spite of the pads is %s: %s", s.Level, s.Note)
	}
}

// TestUnits: 12 nats are much a token, and what TRL calls too far over a sequence; over the sequence of a
// long answer they are little.
func TestUnits(t *testing.T) {
	kl := func(unit record.Unit, tokens float64) Level {
		s := silent(3001)
		s.again(record.KLReference, unit, rising(0, 12), 0.1, positive)
		s.again(record.Length, record.Tokens, flat(tokens), 1, positive)
		return find(t, Examine(s.run, Options{Rounds: 20}), "kl-reference").Level
	}
	for _, c := range []struct {
		unit   record.Unit
		tokens float64
		want   Level
	}{
		{record.NatsPerToken, 50, Alert}, {record.NatsPerSequence, 50, Warn},
		{record.NatsPerSequence, 800, OK}, {record.NatsPerToken, 800, Alert}, {record.Nats, 50, Unknown},
	} {
		if got := kl(c.unit, c.tokens); got != c.want {
			t.Errorf("12 %s of %v tokens are %s, want %s", c.unit, c.tokens, got, c.want)
		}
	}
}

// TestTargetKL: a trainer that stops at its target is held to that.
func TestTargetKL(t *testing.T) {
	at := func(kl, target float64) Level {
		s := silent(3002)
		s.run.Config["target_kl"] = target
		s.again(record.ApproxKL, record.NatsPerToken, flat(kl), kl/30, positive)
		return find(t, Examine(s.run, Options{Rounds: 20}), "approx-kl").Level
	}
	for _, c := range []struct {
		kl, target float64
		want       Level
	}{{0.02, 0.01, Warn}, {0.02, 0.05, OK}, {0.2, 1, OK}, {1.7, 1, Warn}, {0.2, 0.01, Alert}} {
		if got := at(c.kl, c.target); got != c.want {
			t.Errorf("an update of %v with the target %v is %s, want %s", c.kl, c.target, got, c.want)
		}
	}
}

// TestNonFinite: one NaN of the loss is enough; of an environment's reward before its first
// episode ended it is usual, and of a gradient norm worth a warning.
func TestNonFinite(t *testing.T) {
	with := func(q record.Quantity) Signal {
		s := silent(3003)
		s.log(q, record.Plain, flat(1), 0, 0, unbounded)
		series := s.run.Series[len(s.run.Series)-1]
		series.Add(s.last()+1, math.NaN())
		return find(t, Examine(s.run, Options{Rounds: 20}), "non-finite")
	}
	for q, want := range map[record.Quantity]Level{record.ValueLoss: Alert, record.GradientNorm: Warn, record.Reward: OK} {
		if got := with(q); got.Level != want {
			t.Errorf("NaN of %s is %s: %s", q, got.Level, got.Note)
		}
	}
	s := silent(3003)
	s.drop(record.PolicyLoss)
	for _, q := range notANumber {
		s.drop(q)
	}
	if got := find(t, Examine(s.run, Options{Rounds: 20}), "non-finite"); got.Level != Unknown {
		t.Errorf("without losses it is %s", got.Level)
	}
}

// TestBroken: a metric of any name that was finite and then is not, step after step, broke: of a
// loss or a gradient norm that alerts, of another one it is told. A column that is filled in some
// rows only is none, nor is one of an evaluation; a loss that is NaN from the first step on is.
func TestBroken(t *testing.T) {
	is := func(name string, nan func(i int) bool) Signal {
		s := silent(3006)
		series := record.NewSeries("log.csv", name)
		for i := range 60 {
			value := 0.1
			if nan(i) {
				value = math.NaN()
			}
			series.Add(int64(i)*s.every, value)
		}
		s.run.Series = append(s.run.Series, series)
		return find(t, Examine(s.run, Options{Rounds: 20}), "non-finite")
	}
	late := func(i int) bool { return i >= 40 }
	always := func(int) bool { return true }
	sometimes := func(i int) bool { return i%10 > 0 }
	for _, c := range []struct {
		name string
		nan  func(int) bool
		want Level
	}{
		{"loss", late, Alert}, {"train/loss", late, Alert}, {"losses/total_loss", late, Alert}, {"loss", always, Alert},
		{"aux/kl_to_old", late, Warn}, {"train/grad_norm", late, Warn},
		{"loss", sometimes, OK}, {"eval_loss", late, OK}, {"val/loss", late, OK}, {"value_loss", always, OK},
		{"rewards/tool_use/mean", late, OK}, {"rollout/ep_rew_mean", always, OK}, {"explained_variance", late, OK}, {"gloss", late, OK},
	} {
		got := is(c.name, c.nan)
		if got.Level != c.want {
			t.Errorf("%s is %s: %s", c.name, got.Level, got.Note)
		}
		if !strings.Contains(got.Note, c.name) {
			t.Errorf("%s is not told: %s", c.name, got.Note)
		}
	}
}

// TestMissing: null is no NaN, but what was a number in nearly every row and then is null, row after
// row, warns, since some loggers write null for NaN; a NaN beside it alerts all the same.
func TestMissing(t *testing.T) {
	is := func(name string, q record.Quantity, first int, last float64) Signal {
		s := silent(3007)
		series := record.NewSeries("log.jsonl", name)
		series.Quantity = q
		for i := range 60 {
			if at := int64(i) * s.every; i < first || i%10 == 0 && first == 0 {
				series.Add(at, 0.1)
			} else {
				series.Miss(at)
			}
		}
		series.Add(60*s.every, last)
		s.run.Series = append(s.run.Series, series)
		return find(t, Examine(s.run, Options{Rounds: 20}), "non-finite")
	}
	if got := is("actor/kl_loss", record.KLReference, 40, 0.1); got.Level != Warn || len(got.Spans) > 0 || !strings.Contains(got.Note, "20 values are missing (null) in actor/kl_loss, row after row from step ") {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
	if got := is("actor/kl_loss", record.KLReference, 0, 0.1); got.Level != OK {
		t.Errorf("a column that is null in most rows is %s: %s", got.Level, got.Note)
	}
	if got := is("some/score", "", 40, 0.1); got.Level != OK {
		t.Errorf("what may be missing for a good reason is %s: %s", got.Level, got.Note)
	}
	if got := is("actor/kl_loss", record.KLReference, 40, math.NaN()); got.Level != Alert {
		t.Errorf("NaN beside null is %s: %s", got.Level, got.Note)
	}
}

// TestSpike: a single step, however far off, is noise.
func TestSpike(t *testing.T) {
	s := silent(3004)
	for _, series := range s.run.Series {
		if n := len(series.Points); n > 30 && series.Quantity != record.HeldOut {
			series.Points[n/2].Value = 1e6
			series.Points[n-1].Value = 1e6
		}
	}
	for _, got := range Examine(s.run, Options{Rounds: 20}).Signals {
		if got.Level == Warn || got.Level == Alert {
			t.Errorf("%s is %s: %s", got.Name, got.Level, got.Note)
		}
	}
}

// TestSpikesHideNothing: where the estimate overflows now and then, what lies beneath is seen,
// and the spikes are not in the value.
func TestSpikesHideNothing(t *testing.T) {
	s := silent(3005)
	s.again(record.KLReference, record.NatsPerSequence, breaking(rising(0, 4), 0.4, 40), 0.5, unbounded)
	for _, series := range s.run.Series {
		if series.Quantity == record.KLReference {
			for i := 20; i < len(series.Points); i += 20 {
				series.Points[i].Value = 1e6
			}
		}
	}
	got := find(t, Examine(s.run, Options{Rounds: 20}), "kl-reference")
	if got.Level != Alert || *got.Value > 60 {
		t.Errorf("it is %s: %s", got.Level, got.Note)
	}
}
