package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// ends logs the ends of a batch as TRL's PPO does.
func (s *sim) ends(path func(float64) float64, settings map[string]any) {
	s.again(record.EndTokens, record.Tokens, path, 0.1, positive).Basis = "summed over the batch of one process"
	for name, v := range settings {
		s.run.Config[name] = v
	}
}

// counted gives every completion so many tokens, at most so many.
func (s *sim) counted(steps int, tokens func(x float64) float64, limit int) {
	s.completions(steps, 32, writer{})
	for i, b := range s.run.Batches {
		for k := range b.Kept {
			x := float64(i) / float64(steps)
			if b.Base {
				x = 0
			}
			b.Kept[k].Tokens = min(limit, int(tokens(x)*(0.8+0.4*s.random.Float64())))
		}
	}
}

// TestDerivedTruncation: where the share of cut completions is not logged it is made of the ends
// in a batch, or of the tokens of completions and the maximum length; and where neither can
// tell, it is unknown, and says why.
func TestDerivedTruncation(t *testing.T) {
	cut := breaking(flat(58), 0.5, 5) // ends among 64 completions
	for _, c := range []struct {
		name string
		set  func(*sim)
		want Level
		says string
	}{
		{"nothing", func(s *sim) {}, Unknown, "cannot be derived"},
		{"ends, and the batch of a process", func(s *sim) { s.ends(cut, map[string]any{"local_batch_size": 64.0}) }, Alert, "those without an end"},
		{"few are cut", func(s *sim) { s.ends(flat(58), map[string]any{"local_batch_size": 64.0}) }, OK, "those without an end"},
		{"ends, and what makes the batch", func(s *sim) {
			s.ends(cut, map[string]any{"per_device_train_batch_size": 8.0, "gradient_accumulation_steps": 4.0, "num_mini_batches": 2.0})
		}, Alert, "/ 64"},
		{"the batch of all, which one process must have had", func(s *sim) { s.ends(cut, map[string]any{"batch_size": 64.0}) }, Alert, "/ 64"},
		{"the batch of all, which two may have had", func(s *sim) { s.ends(cut, map[string]any{"batch_size": 128.0}) }, Unknown, "is not known"},
		{"pads that are ends", func(s *sim) { s.ends(flat(900), map[string]any{"local_batch_size": 64.0}) }, Unknown, "the pads are of the same token"},
		{"another end", func(s *sim) { s.ends(cut, map[string]any{"local_batch_size": 64.0, "stop_token": "period"}) }, Unknown, `stop at "period"`},
		{"the mean of ends, of the callback", func(s *sim) { s.again(record.EndTokens, "", breaking(flat(1), 0.5, 0.1), 0.01, any01) }, Alert, "those without an end"},
		{"tokens, and the maximum length", func(s *sim) {
			s.run.Config["max_completion_length"] = 200.0
			s.counted(20, breaking(flat(50), 0.5, 400), 200)
		}, Alert, "the maximum length of the settings"},
		{"tokens below it", func(s *sim) {
			s.run.Config["max_completion_length"] = 200.0
			s.counted(20, flat(50), 200)
		}, OK, "the maximum length of the settings"},
		{"tokens above it, which are counted otherwise", func(s *sim) {
			s.run.Config["max_completion_length"] = 200.0
			s.counted(20, flat(300), 400)
		}, Unknown, "cannot be derived"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := silent(4000)
			s.drop(record.Truncated)
			c.set(s)
			got := find(t, Examine(s.run, Options{Rounds: 20}), "truncation")
			if got.Level != c.want || !strings.Contains(got.Note, c.says) {
				t.Errorf("%s: %s", got.Level, got.Note)
			}
		})
	}
}

// TestEntropyOfSequences: a sum over the sequence grows with the answers, and hides that the
// policy is sure of every word. By the tokens it shows; without them nothing is said, nor where
// TRL has counted the pads.
func TestEntropyOfSequences(t *testing.T) {
	sum := func(trap string, tokens bool) Signal {
		s := silent(4001)
		s.loud = 0.5
		longer := breaking(flat(50), 0.3, 1000)
		s.again(record.Length, record.Tokens, longer, 1, positive)
		if !tokens {
			s.drop(record.Length)
		}
		perToken := breaking(flat(2), 0.3, 0.1)
		s.again(record.Entropy, record.NatsPerSequence, func(x float64) float64 { return longer(x) * perToken(x) }, 1, positive).Trap = trap
		return find(t, Examine(s.run, Options{Rounds: 20}), "entropy")
	}
	if s := sum("", true); s.Level != Alert || s.Unit != record.Plain {
		t.Errorf("by the tokens: %s: %s", s.Level, s.Note)
	}
	if s := sum("", false); s.Level != Unknown || !strings.Contains(s.Note, "grows with the answers") {
		t.Errorf("without tokens: %s: %s", s.Level, s.Note)
	}
	if s := sum("TRL counts each pad as -1", true); s.Level != Unknown || !strings.Contains(s.Note, "each pad as -1") {
		t.Errorf("with pads: %s: %s", s.Level, s.Note)
	}
}

// TestRatioCompanion: who sees a ratio that is off is told that its variance hides what is off.
func TestRatioCompanion(t *testing.T) {
	s := silent(4002)
	s.again(record.Ratio, record.Plain, breaking(flat(1), 0.5, 4), 0.02, positive).Name = "val/ratio"
	variance := s.log("", "", flat(0), 0, 0, unbounded)
	variance.Name, variance.Basis, variance.Trap = "val/ratio_var", "variance of the means of minibatches", "not of tokens"
	got := find(t, Examine(s.run, Options{Rounds: 20}), "ratio")
	if want := fmt.Sprintf("%s is no help: it is the %s", variance.Name, variance.Basis); !strings.Contains(got.Help, want) {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
}
