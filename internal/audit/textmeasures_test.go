package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

func measured(t *testing.T, r *Result, name string) TextMeasure {
	t.Helper()
	if r.Texts == nil {
		t.Fatal("nothing is told of the completions")
	}
	i := slices.IndexFunc(r.Texts.Measures, func(m TextMeasure) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return r.Texts.Measures[i]
}

// said is a run whose base says one thing to each of ten prompts, and whose policy another.
func said(base, policy func(p int) record.Completion) *record.Run {
	run := &record.Run{Dir: "/run"}
	for step, say := range []func(int) record.Completion{base, policy} {
		b := record.Batch{Step: int64(10 * step), Base: step == 0}
		for p := range 10 {
			c := say(p)
			c.Prompt = fmt.Sprint("prompt ", p)
			b.Kept = append(b.Kept, c)
		}
		run.Batches = append(run.Batches, b)
	}
	return run
}

func text(words string) record.Completion { return record.Completion{Text: words} }

// TestTextMeasures: each measure of texts whose counts can be made by hand, beside the base's on
// the same prompts, with the interval of the change.
func TestTextMeasures(t *testing.T) {
	plain := func(p int) record.Completion { return text(fmt.Sprintf("a%d b c d e f g h", p)) }
	for _, c := range []struct {
		name        string
		policy      func(p int) record.Completion
		value, base float64
	}{
		{"length", func(int) record.Completion { return text("one two three four") }, 4, 8},
		{"characters", func(int) record.Completion { return text("één 猫") }, 5, 16},
		{"rep_2", func(int) record.Completion { return text("x y x y x y x y") }, 5.0 / 7, 0},
		{"rep_4", func(int) record.Completion { return text("x y x y x y x y") }, 3.0 / 5, 0},
		{"rep_4", func(int) record.Completion { return text(strings.Repeat("!", 48)) }, 4.0 / 5, 0},
		{"seq_rep_4", func(int) record.Completion { return text("a b c d e f g h a b c d e f g h") }, 5.0 / 13, 0},
		{"longest_loop", func(p int) record.Completion { return text("so then ha ha ha ha") }, 4.0 / 6, 0},
		{"distinct_2", func(int) record.Completion { return text("a b c d e f g h") }, 7.0 / 70, 16.0 / 70},
		{"duplicates", func(p int) record.Completion {
			return text(fmt.Sprintf("one answer for each prompt of two %d alike", p/2))
		}, 1, 0},
		{"opening", func(p int) record.Completion { return text("Great question! Let me explain " + strings.Repeat("x", p)) }, 1, 0},
		{"refusals", func(p int) record.Completion {
			return text([]string{"I'm sorry, but I cannot help", "Sure"}[p%2])
		}, 0.5, 0},
		{"other_scripts", func(int) record.Completion { return text("ab вг") }, 0.5, 0},
		{"language_distance", func(int) record.Completion { return text("xyz") }, 1, math.NaN()},
	} {
		m := measured(t, Examine(said(plain, c.policy), Options{Texts: true}), c.name)
		got := m.Steps[len(m.Steps)-1]
		if math.Abs(got.Value-c.value) > 1e-9 || got.Step != 10 || got.N != 10 || !got.SamePrompts || m.What == "" {
			t.Errorf("%s: %+v, want %v", c.name, got, c.value)
		}
		if got.Base == nil || !math.IsNaN(c.base) && math.Abs(*got.Base-c.base) > 1e-9 {
			t.Errorf("%s: the base's is %v, want %v", c.name, *got.Base, c.base)
		}
		if change := got.Value - *got.Base; got.Low != nil && (*got.Low > change+1e-9 || *got.High < change-1e-9) {
			t.Errorf("%s: %v to %v does not hold the change %v", c.name, *got.Low, *got.High, change)
		}
	}
}

// TestEstimates: of log-probs that differ by 1 and by -1 in turns k1 is 0, k2 a half, and k3 the mean of
// e-2 and 1/e; with the KL 0.5 the signal says k1, and beside it the other two.
func TestEstimates(t *testing.T) {
	scored := func(p int) record.Completion {
		logp, ref := -10.0, -11.0
		if p%2 == 1 {
			ref = -9
		}
		return record.Completion{Text: "word", LogProb: &logp, ReferenceLogProb: &ref}
	}
	r := Examine(said(scored, scored), Options{Texts: true})
	for name, want := range map[string]float64{"kl_k1": 0, "kl_k2": 0.5, "kl_k3": (math.E - 2 + 1/math.E) / 2} {
		if got := measured(t, r, name).Steps[0]; math.Abs(got.Value-want) > 1e-9 || got.Low == nil || got.Base != nil {
			t.Errorf("%s: %+v, want %v", name, got, want)
		}
	}
	s := silent(5000)
	s.drop(record.KLReference)
	s.run.Batches = said(scored, scored).Batches
	for step := range 5 {
		b := s.run.Batches[1]
		b.Step = int64(20 + step)
		s.run.Batches = append(s.run.Batches, b)
	}
	if got := find(t, Examine(s.run, Options{Rounds: 20, Texts: true}), "kl-reference"); got.Level != OK || got.Unit != record.NatsPerSequence || !strings.Contains(got.Note, "k1 of the log-probs in the completions, summed over the tokens; k2 says 0.5 at step 24; k3 says 0.543 at step 24") {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
}

// TestFewStepsAreShown: of hundreds of steps a few are measured in full, the last among them;
// those that are the base itself are not compared with it, and a run without texts has none.
func TestFewStepsAreShown(t *testing.T) {
	s := silent(5001)
	s.completions(100, 16, writer{})
	s.run.Batches = s.run.Batches[:100] // without the base model's
	r := Examine(s.run, Options{Rounds: 20, Texts: true})
	steps := measured(t, r, "length").Steps
	if n := len(steps); n > shownSteps || steps[n-1].Step != s.last() || steps[0].Step <= s.run.Batches[1].Step || !strings.HasPrefix(r.Texts.Base, "the completions up to step") {
		t.Errorf("%d steps, %d to %d, of %d; the base is %s", n, steps[0].Step, steps[n-1].Step, s.last(), r.Texts.Base)
	}
	if r := Examine(silent(5002).run, Options{Rounds: 20, Texts: true}); r.Texts != nil {
		t.Errorf("%+v", r.Texts)
	}
}

// TestQuotes: who is told that answers begin alike, or are one answer, reads it.
func TestQuotes(t *testing.T) {
	s := clean(5003)
	s.completions(20, 32, writer{opening: flat(0.9)})
	if got := find(t, Examine(s.run, Options{Rounds: 20, Texts: true}), "openings"); got.Level != Warn || !strings.Contains(got.Note, `it is most often "great question! let me explain"`) {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
	s.completions(20, 32, writer{stock: flat(0.9)})
	if got := find(t, Examine(s.run, Options{Rounds: 20, Texts: true}), "duplicates"); got.Level != Alert || !strings.Contains(got.Note, `most often "what a wonderful`) && !strings.Contains(got.Note, `most often "What a wonderful`) {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
}
