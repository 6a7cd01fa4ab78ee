package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// answers are n completions of some words each, of which the last ones are looped.
func answers(step int64, n, words, looped int) record.Batch {
	b := record.Batch{Step: step, Total: int64(n)}
	for i := range n {
		var text []string
		for w := range words {
			word := fmt.Sprintf("word%d", (i*31+w)%997)
			if w >= words-looped {
				word = "again"
			}
			text = append(text, word)
		}
		b.Kept = append(b.Kept, record.Completion{Prompt: fmt.Sprint("prompt ", i), Text: strings.Join(text, " ")})
	}
	return b
}

// TestRepetitionOfShortAnswers: where the base answers in a line, a policy that loops is
// found all the same; and where the base's answers are too short or too few to repeat
// anything, nothing is said rather than "ok".
func TestRepetitionOfShortAnswers(t *testing.T) {
	for _, c := range []struct {
		base record.Batch
		want Level
	}{
		{answers(0, 64, 10, 0), Alert},
		{answers(0, 64, 4, 0), Unknown},
		{answers(0, 5, 10, 0), Unknown},
	} {
		c.base.Base = true
		run := &record.Run{Batches: []record.Batch{c.base, answers(10, 64, 10, 0), answers(20, 64, 30, 25), answers(30, 64, 30, 25)}}
		if got := repetition(newEvidence(run, Options{})); got.Level != c.want {
			t.Errorf("%d base answers: %s (%s), want %s", len(c.base.Kept), got.Level, got.Note, c.want)
		}
	}
}

// TestShortAnswersAlike: numbers may rightly be equal, so that nothing is said of copies among
// them, and never that all is right. Beyond a border but not significantly, it is said why.
func TestShortAnswersAlike(t *testing.T) {
	judge := func(text string, prompts int) Signal {
		s := newSim(9)
		s.completions(4, prompts, writer{})
		for _, b := range s.run.Batches {
			for i := range b.Kept {
				if b.Step > s.last()/2 {
					b.Kept[i].Text = text
				}
			}
		}
		return find(t, Examine(s.run, Options{Rounds: 20}), "duplicates")
	}
	if got := judge("<answer>42</answer>", 32); got.Level != Unknown || !strings.Contains(got.Note, `32 of 32 answers`) || !strings.Contains(got.Note, `"<answer>42</answer>", 32 times`) {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
	const long = "The answer is 42 because that is so obvious to all of us"
	if got := judge(long, 64); got.Level != Alert || strings.Contains(got.Note, "not significantly") {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
	if got := judge(long, 12); got.Level != Warn || !strings.Contains(got.Note, "past the alert threshold of 50 %, but not significantly") {
		t.Errorf("%s: %s", got.Level, got.Note)
	}
}
