package hunt

import "github.com/rlvet/rlvet/internal/words"

// left says what is proved of the emitted test.
func (t *text) left() {
	if test := t.r.Test; test != nil {
		verdict := test.Verdict
		switch verdict {
		case TestProved:
			verdict = t.Good(verdict)
		case TestNone:
			verdict = t.Bad("not written")
		}
		t.Printf("%s %s: %s\n", t.Label("test:"), verdict, words.Plain(test.Reason))
		if !test.Pytest && test.Before != "" {
			t.Printf("  pytest is not installed: the test's functions were called one by one\n")
		}
	}
}
