package measure

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRepetition: rep-n of texts whose n-grams can be counted by eye.
func TestRepetition(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want float64
	}{
		{"a b c d e", 1, 0}, {"a a a a", 1, 0.75}, {"a b a b a", 2, 0.5}, {"a b c a b c a b c", 3, 1 - 3.0/7},
		{"a b c d a b c d a", 4, 1 - 4.0/6}, {"a b c", 4, nan}, {"", 1, nan}, {"a b", 0, nan}, {"a b", -3, nan},
	} {
		near(t, "rep-n of "+c.text, Repetition(Words(c.text), c.n), c.want, 1e-12)
	}
}

// TestDistinctIsOfTheCorpus: n-grams do not reach over the end of a text, and are counted
// over all texts together.
func TestDistinctIsOfTheCorpus(t *testing.T) {
	corpus := [][]string{Words("i do not know"), Words("i do not care"), Words("know"), nil}
	near(t, "distinct-1", Distinct(corpus, 1), 5.0/9, 1e-12)
	near(t, "distinct-2", Distinct(corpus, 2), 4.0/6, 1e-12)
	near(t, "distinct-4", Distinct(corpus, 4), 1, 1e-12)
	near(t, "distinct-5", Distinct(corpus, 5), nan, 0)
	near(t, "distinct-1 of nothing", Distinct(nil, 1), nan, 0)
}

// TestGramsAgainstJoinedStrings: numbering pairs counts what a set of joined strings counts.
func TestGramsAgainstJoinedStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", ""}), 0, 40)
		corpus := rapid.SliceOfN(text, 0, 4).Draw(t, "corpus")
		n := rapid.IntRange(1, 6).Draw(t, "n")
		seen, total := map[string]bool{}, 0
		for _, tokens := range corpus {
			for i := 0; i+n <= len(tokens); i++ {
				seen[strings.Join(tokens[i:i+n], "|")] = true
				total++
			}
		}
		near(t, "distinct-n", Distinct(corpus, n), float64(len(seen))/float64(total), 1e-12)
	})
}

// TestRepetitionOfLoops: said k times, a text of m different words has rep-n of
// 1 - m/(km - n + 1), which goes to 1.
func TestRepetitionOfLoops(t *testing.T) {
	words := Words(strings.Repeat("one two three four five ", 1000))
	near(t, "rep-4", Repetition(words, 4), 1-5.0/(5000-3), 1e-12)
	if got := LongestLoop(words); got != (Loop{0, 5000, 5}) || math.Abs(got.Times()-1000) > 1e-9 {
		t.Errorf("%+v", got)
	}
	near(t, "the repeats of no loop", Loop{}.Times(), 0, 0)
}

func BenchmarkRepetitionOfAMegabyte(b *testing.B) {
	for name, text := range map[string]string{
		"one letter": strings.Repeat("a ", 1<<19),
		"one word":   strings.Repeat("a", 1<<20),
		"Chinese":    strings.Repeat("猫", 1<<20/3),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Repetition(Words(text), 4)
			}
		})
	}
}
