package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/finding"
	"pgregory.net/rapid"
)

func encoded(t rapid.TB, r *Result) []byte {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// loud is the number of cheats that show in the log alone; they come first.
const loud = 16

// spoiled is a clean run with one of the ways to cheat, if the number is that of one, and judged.
func spoiled(seed uint64, cheat int) *sim {
	s := silent(seed)
	s.completions(2, 32, writer{})
	if cheat < loud {
		cheats[cheat].spoil(s)
	}
	for i, c := range s.run.Checkpoints {
		for p := range 20 {
			for rater := range 3 {
				outcome := record.Outcome(s.random.IntN(3) - 1)
				s.run.Judgements.Preferences = append(s.run.Judgements.Preferences, record.Preference{Step: c.Step, Prompt: fmt.Sprint(p), Rater: fmt.Sprint(rater), Outcome: outcome, Length: float64(40 + i + p), BaseLength: 50})
			}
		}
	}
	return s
}

// TestOrderDoesNotMatter: the order of series, batches, checkpoints and judgements, which is
// that of files and lines, changes no byte.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, cheat := rapid.Uint64Range(0, 1000).Draw(t, "seed"), rapid.IntRange(0, loud).Draw(t, "cheat")
		run := spoiled(seed, cheat).run
		want := encoded(t, Examine(run, Options{Rounds: 10}))
		random := rand.New(rand.NewPCG(seed, 1))
		other := *run
		other.Series, other.Batches = slices.Clone(run.Series), slices.Clone(run.Batches)
		other.Checkpoints, other.Judgements.Preferences = slices.Clone(run.Checkpoints), slices.Clone(run.Judgements.Preferences)
		random.Shuffle(len(other.Series), func(i, j int) { other.Series[i], other.Series[j] = other.Series[j], other.Series[i] })
		random.Shuffle(len(other.Batches), func(i, j int) { other.Batches[i], other.Batches[j] = other.Batches[j], other.Batches[i] })
		random.Shuffle(len(other.Checkpoints), func(i, j int) {
			other.Checkpoints[i], other.Checkpoints[j] = other.Checkpoints[j], other.Checkpoints[i]
		})
		p := other.Judgements.Preferences
		random.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
		if got := encoded(t, Examine(&other, Options{Rounds: 10})); !bytes.Equal(got, want) {
			t.Fatalf("%s\nis not\n%s", got, want)
		}
	})
}

// TestAlertsStay: what a series alerted, it alerts whatever is logged later: a run that is
// watched live never takes an alert back. Only the end of its stretch may become known.
func TestAlertsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := silent(rapid.Uint64Range(0, 1000).Draw(t, "seed"))
		logged := append(cheats[:loud:loud], cheats[len(cheats)-1])
		logged[rapid.IntRange(0, loud).Draw(t, "cheat")].spoil(s)
		s.run.Config["max_steps"] = float64(2 * s.last())
		before := levels(s.run)
		for _, series := range s.run.Series {
			calm := series.Points[0].Value
			for i := range int64(rapid.IntRange(1, 60).Draw(t, "more")) {
				series.Add(s.last()+(i+1)*s.every, calm)
			}
		}
		after := levels(s.run)
		for name, was := range before {
			if was == Alert && after[name] != Alert && name != "over-optimisation" {
				t.Fatalf("%s was an alert, and is %s", name, after[name])
			}
		}
	})
}

func levels(run *record.Run) map[string]Level {
	found := map[string]Level{}
	for _, s := range Examine(run, Options{Rounds: 10}).Signals {
		found[s.Name] = s.Level
	}
	return found
}

// TestAnything: whatever the log holds, there is a result that has JSON, each signal has a
// note, and what is not known has no value.
func TestAnything(t *testing.T) {
	value := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-2, 2), rapid.SampledFrom([]float64{0, 1, math.NaN(), math.Inf(1), 1e308, -1e308, 5e-324}))
	rapid.Check(t, func(t *rapid.T) {
		run := &record.Run{Dir: "/run", Trainer: rapid.SampledFrom([]string{"", "trl grpo", "trl ppo"}).Draw(t, "trainer"), Config: map[string]any{"response_length": 53}}
		for i := range rapid.IntRange(0, 12).Draw(t, "series") {
			s := record.NewSeries("log", fmt.Sprint(i))
			s.Quantity = rapid.SampledFrom(record.Quantities).Draw(t, "quantity")
			s.Unit = rapid.SampledFrom(append(slices.Clone(record.Units), "")).Draw(t, "unit")
			for step, v := range rapid.SliceOfN(value, 0, 40).Draw(t, "values") {
				s.Add(int64(step), v)
			}
			run.Series = append(run.Series, s)
		}
		for step := range rapid.IntRange(0, 4).Draw(t, "batches") {
			b := record.Batch{Step: int64(10 * step), Base: rapid.Bool().Draw(t, "base")}
			for range rapid.IntRange(0, 40).Draw(t, "completions") {
				gold, logp := value.Draw(t, "gold"), -1.0
				b.Kept = append(b.Kept, record.Completion{
					Prompt: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "prompt"), Text: rapid.SampledFrom([]string{"", "a", "a b c d e f g h i j", "\xff\xfe", "да"}).Draw(t, "text"),
					Rewards: map[string]float64{"r": value.Draw(t, "reward")}, Gold: &gold, LogProb: &logp, ReferenceLogProb: &gold,
				})
			}
			run.Batches = append(run.Batches, b)
			run.Checkpoints = append(run.Checkpoints, record.Checkpoint{Step: int64(10 * step)})
		}
		run.Judgements = anyJudgements(t)
		r := Examine(run, Options{Rounds: 10, Primary: rapid.SampledFrom(append(slices.Clone(HeldOuts), "")).Draw(t, "primary"), Texts: true})
		encoded(t, r)
		for _, s := range r.Signals {
			if s.Note == "" || s.Name == "" || (s.Level == Unknown) != (s.Value == nil) && s.Level != OK || (s.Step == nil) != (s.Level == OK || s.Level == Unknown) {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// TestExtremesHaveJSON: scores and rewards at the ends of what a number can be, of whose sums and
// differences many are infinite, still give a result that has JSON.
func TestExtremesHaveJSON(t *testing.T) {
	for _, values := range [][]float64{{1e308, -1e308, 1.7e308, -1.7e308}, {1e200, 2e200, -1e200, 1e308}, {1.7e308, 1.7e308, 1.6e308, 1.7e308}, {5e-324, 0, 1e-320, 5e-324}} {
		for _, name := range HeldOuts {
			run := &record.Run{Dir: "/run"}
			held := record.NewSeries("log", "eval")
			held.Quantity = record.HeldOut
			for _, q := range []record.Quantity{record.Reward, record.KLReference} {
				s := record.NewSeries("log", string(q))
				s.Quantity, s.Unit = q, map[record.Quantity]record.Unit{record.KLReference: record.NatsPerSequence}[q]
				for i := range int64(80) {
					s.Add(i, values[i%4])
				}
				run.Series = append(run.Series, s)
			}
			run.Series = append(run.Series, held)
			for i := range int64(8) {
				step, v := 10*i, values[i%4]
				held.Add(step, v)
				run.Checkpoints = append(run.Checkpoints, record.Checkpoint{Step: step})
				batch := record.Batch{Step: step}
				for p := range 9 {
					part, prompt := v*float64(p%3)/2, fmt.Sprint(p)
					batch.Kept = append(batch.Kept, record.Completion{Prompt: prompt, Text: "a b c", Gold: &part, Rewards: map[string]float64{"r": v}})
					run.Judgements.Scores = append(run.Judgements.Scores, record.Score{Step: step, Prompt: prompt, Value: part})
					run.Judgements.Preferences = append(run.Judgements.Preferences, record.Preference{Step: step, Prompt: prompt, Outcome: record.Outcome(p%3 - 1), Length: math.Abs(part), BaseLength: 1e308})
				}
				run.Batches = append(run.Batches, batch)
			}
			encoded(t, Examine(run, Options{Rounds: 50, Primary: name}))
		}
	}
}

// anyJudgements are of few steps, prompts and raters, so that they meet; scores and lengths are
// what a file of judgements may hold, to the ends of what a number can be.
func anyJudgements(t *rapid.T) (j record.Judgements) {
	finite := rapid.OneOf(rapid.Float64Range(-2, 2), rapid.SampledFrom([]float64{0, 1, 1.7e308, -1.7e308, 1e200, 5e-324}))
	step, prompt, rater := rapid.Int64Range(0, 4), rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f"}), rapid.SampledFrom([]string{"", "ann", "bob"})
	for range rapid.IntRange(0, 60).Draw(t, "preferences") {
		j.Preferences = append(j.Preferences, record.Preference{
			Step: 10 * step.Draw(t, "step"), Prompt: prompt.Draw(t, "prompt"), Rater: rater.Draw(t, "rater"), Outcome: record.Outcome(rapid.IntRange(-1, 1).Draw(t, "outcome")),
			Length: math.Abs(finite.Draw(t, "length")), BaseLength: math.Abs(finite.Draw(t, "base length")),
		})
	}
	for range rapid.IntRange(0, 20).Draw(t, "arena") {
		other := 50 + 10*step.Draw(t, "other")
		j.Preferences = append(j.Preferences, record.Preference{
			Step: 10 * step.Draw(t, "step"), Against: &other, Prompt: prompt.Draw(t, "prompt"), Rater: rater.Draw(t, "rater"), Outcome: record.Outcome(rapid.IntRange(-1, 1).Draw(t, "outcome")),
		})
	}
	for range rapid.IntRange(0, 60).Draw(t, "scores") {
		j.Scores = append(j.Scores, record.Score{Step: 10 * step.Draw(t, "step"), Prompt: prompt.Draw(t, "prompt"), Rater: rater.Draw(t, "rater"), Value: finite.Draw(t, "score")})
	}
	return j
}

// TestExplain: a finding stands beside the signals that it can be the cause of, in the order
// of the files, and never beside one that is ok.
func TestExplain(t *testing.T) {
	r := &Result{Signals: []Signal{{Name: "kl-reference", Level: Unknown}, {Name: "length-share", Level: Alert}, {Name: "entropy", Level: OK}, {Name: "ratio", Level: Warn}}}
	at := func(code, file string, row int) finding.Finding {
		f := finding.Finding{Code: code, Message: code + " is wrong"}
		f.Range.File, f.Range.StartByte = file, row
		f.Range.Start.Row = row
		return f
	}
	Explain(r, []finding.Finding{at("KL016", "b.py", 9), at("KL001", "a.py", 3), at("TOK001", "a.py", 7), at("OBJ012", "a.py", 1), at("OBJ001", "a.py", 2), at("LOOP020", "a.py", 4), at("CFG019", "run.sh", 2), at("CFG003", "run.sh", 5)})
	got := map[string][]string{}
	for _, s := range r.Signals {
		for _, f := range s.Findings {
			got[s.Name] = append(got[s.Name], fmt.Sprintf("%s %s:%d", f.Code, f.Filename, f.Row))
		}
	}
	want := map[string][]string{"kl-reference": {"KL001 a.py:3", "KL016 b.py:9", "CFG019 run.sh:2"}, "length-share": {"TOK001 a.py:7"}, "ratio": {"OBJ001 a.py:2"}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}
