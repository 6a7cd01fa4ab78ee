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
