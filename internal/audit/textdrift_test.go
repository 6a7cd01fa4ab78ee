package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// essays are answers to prompts of which each asks for another length, from 10 to some 400
// words, times growth.
func essays(random *rand.Rand, step int64, prompts []int, growth float64) record.Batch {
	b := record.Batch{Step: step, Total: int64(len(prompts))}
	for _, p := range prompts {
		words := int(growth * float64(10+p*p/4) * (0.95 + 0.1*random.Float64()))
		b.Kept = append(b.Kept, record.Completion{Prompt: fmt.Sprint("prompt ", p), Text: strings.Repeat("word ", words)})
	}
	return b
}

func upTo(from, to int) (all []int) {
	for p := from; p < to; p++ {
		all = append(all, p)
	}
	return all
}

// TestSamePrompts: what is asked makes most of a length. Where the base answered the same
// prompts, a growth by 70 % shows in 40 answers; against others like them it does not, and where
// the prompts themselves ask for more it is said that they are others.
func TestSamePrompts(t *testing.T) {
	for _, c := range []struct {
		name   string
		asked  []int
		growth float64
		want   Level
		says   string
	}{
		{"the same prompts", upTo(0, 40), 1.7, Warn, "on the same prompts"},
		{"the same and more", append(upTo(0, 40), upTo(50, 70)...), 1.7, Warn, "on the same prompts"},
		{"other prompts", upTo(40, 80), 1, Alert, "on other prompts"}, // they ask for three times as much
		{"prompts like them", upTo(1000, 1040), 1.7, OK, "on other prompts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			base := essays(random, 0, upTo(0, 40), 1)
			base.Base = true
			run := &record.Run{Batches: []record.Batch{base}}
			for step := range int64(6) {
				asked := c.asked
				batch := essays(random, 10*step, asked, c.growth)
				if asked[0] >= 1000 { // of the lengths of the base's, but other questions
					batch = essays(random, 10*step, upTo(0, 40), c.growth)
					for i := range batch.Kept {
						batch.Kept[i].Prompt += " again"
					}
				}
				run.Batches = append(run.Batches, batch)
			}
			r := Examine(run, Options{})
			got := find(t, r, "length-drift")
			if got.Level != c.want || !strings.Contains(got.Note, c.says) {
				t.Errorf("%s: %s", got.Level, got.Note)
			}
			if noted := strings.Contains(strings.Join(r.Notes, "\n"), "the completions are of other prompts"); noted != (c.says == "on other prompts") {
				t.Errorf("the notes are %q", r.Notes)
			}
		})
	}
}

// TestBaseErrorStays: however many steps are taken together, the error of the base's mean
// stays in their difference; that of the steps averages out.
func TestBaseErrorStays(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	run := &record.Run{}
	for step := range int64(40) {
		run.Batches = append(run.Batches, essays(random, step, upTo(100+10*int(step), 110+10*int(step)), 1))
	}
	base := essays(random, 0, upTo(0, 10), 1)
	base.Base = true
	run.Batches = append(run.Batches, base)
	c, _ := newEvidence(run, Options{}).texts.drift(textLength)
	end := len(c.points) - 1
	one, all := c.stderr(end, 1), c.stderr(end, end+1)
	if least := c.common[end]; all < least || one < math.Hypot(least, c.errors[end])-1e-9 {
		t.Errorf("the error is %v of one step and %v of all, and %v of the base", one, all, least)
	}
}

// looping are answers of 30 words to as many prompts; of a share of them the second half repeats.
func looping(step int64, n int, part float64) record.Batch {
	b := answers(step, n, 30, 0)
	for i := range b.Kept {
		if float64(i) < part*float64(n) {
			words := strings.Fields(b.Kept[i].Text)
			b.Kept[i].Text = strings.Join(words[:15], " ") + strings.Repeat(" and so on", 5)
		}
	}
	return b
}

// TestMoreRepetitionIsCertain: none of the base's answers repeats itself, and a third of the
// policy's does, which is eleven points of rep-4: it warns. Of a base that answered few other
// prompts the same is no certainty.
func TestMoreRepetitionIsCertain(t *testing.T) {
	judged := func(base record.Batch) Signal {
		base.Base = true
		run := &record.Run{Batches: []record.Batch{base, looping(10, 64, 0), looping(20, 64, 0.34), looping(30, 64, 0.34)}}
		return repetition(newEvidence(run, Options{}))
	}
	if got := judged(looping(0, 64, 0)); got.Level != Warn || *got.Step != 20 || !strings.Contains(got.Note, "on the same prompts") {
		t.Errorf("of the same prompts %s: %s", got.Level, got.Note)
	}
	few := looping(0, 10, 0)
	for i := range few.Kept {
		few.Kept[i].Prompt = fmt.Sprint("another ", i)
	}
	if got := judged(few); got.Level != OK || !strings.Contains(got.Note, "on other prompts") {
		t.Errorf("of ten others %s: %s", got.Level, got.Note)
	}
}

// TestAllAlikeIsNoCertainty: the error of a share is never 0, and never more than that of a
// coin but for the guard.
func TestAllAlikeIsNoCertainty(t *testing.T) {
	for _, c := range []struct {
		values      []float64
		least, want float64
	}{
		{make([]float64, 10), 0, math.Sqrt(1.0 / 12 * 11 / 12 / 10)},
		{make([]float64, 10), -1, math.Sqrt(2.0 / 12 / 10)},
		{[]float64{1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, 0, math.Sqrt(0.25 / 10)},
	} {
		if got := textRefusals.stderr(c.values, c.least); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
}

// inGroups logs a few prompts at each step, others each time, with so many answers to each, as
// trainers that sample groups do. A prompt asks for its own length, and one in seven for a list,
// which repeats itself.
func (s *sim) inGroups(steps, prompts, group int, loops func(x float64) float64) {
	s.run.Batches = nil
	for i := range steps {
		b := record.Batch{Source: "completions.parquet", Step: 1 + int64(i)*s.last()/int64(steps)}
		for p := range prompts {
			words, list := 40*math.Exp(0.7*s.random.NormFloat64()), s.random.Float64() < 0.15
			for range group {
				n, loop := int(words*(0.8+0.4*s.random.Float64())), 0
				if list || s.random.Float64() < loops(float64(i)/float64(steps)) {
					loop = n / 2
				}
				b.Kept = append(b.Kept, record.Completion{Prompt: fmt.Sprint("prompt ", i, p), Text: s.words(n-loop, loop)})
			}
		}
		s.run.Batches = append(s.run.Batches, b)
	}
}

// TestGroups: eight answers to one prompt are not eight witnesses. That the prompts of a step ask
// for more than those of the start is no drift; that answers to all of them loop is.
func TestGroups(t *testing.T) {
	for _, shape := range [][3]int{{120, 1, 8}, {60, 4, 8}} {
		for seed := range uint64(2) {
			s := silent(6000 + seed)
			s.drop(record.Length)
			s.inGroups(shape[0], shape[1], shape[2], flat(0))
			for _, got := range Examine(s.run, Options{Rounds: 20}).Signals {
				if name := got.Name; (name == "length-drift" || name == "repetition") && got.Level != OK {
					t.Errorf("%v: %s is %s: %s", shape, name, got.Level, got.Note)
				}
			}
			s.inGroups(shape[0], shape[1], shape[2], breaking(flat(0), 0.5, 0.9))
			if got := find(t, Examine(s.run, Options{Rounds: 20}), "repetition"); got.Level != Alert && got.Level != Warn || !strings.Contains(got.Note, "on other prompts") {
				t.Errorf("%v: loops are %s: %s", shape, got.Level, got.Note)
			}
		}
	}
}
