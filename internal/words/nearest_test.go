package words

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	words := []string{"select", "ignore", "extend-select"}
	for s, want := range map[string]string{"slect": "select", "Ignore": "ignore", "extnd-select": "extend-select", "zzz": "", "": ""} {
		if got := Nearest(s, words); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", s, got, want)
		}
	}
}

// The distance is a metric.
func TestDistanceProperties(t *testing.T) {
	word := rapid.StringMatching(`[ab-]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		if (distance(a, b) == 0) != (a == b) || distance(a, b) != distance(b, a) || distance(a, c) > distance(a, b)+distance(b, c) {
			t.Fatalf("not a metric on %q %q %q", a, b, c)
		}
	})
}

// A file is suggested only for a slip.
func TestMisspelt(t *testing.T) {
	files := []string{"homework.ipynb", "train.py", "a.py", "testing.py"}
	for s, want := range map[string]string{"homework.ipnyb": "homework.ipynb", "trian.py": "train.py", "Train.py": "train.py", "b.py": "", "evaluate.py": "", "trainer.py": "train.py", "": ""} {
		if got := Misspelt(s, files); got != want {
			t.Errorf("Misspelt(%q) = %q, want %q", s, got, want)
		}
	}
}
