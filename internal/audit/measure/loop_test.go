package measure

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// bruteLoop tries every period at every place.
func bruteLoop(tokens []string) Loop {
	best := Loop{}
	for period := 1; 2*period <= len(tokens); period++ {
		for start := 0; start+2*period <= len(tokens); start++ {
			end := start + period
			for end < len(tokens) && tokens[end] == tokens[end-period] {
				end++
			}
			run := Loop{Start: start, Length: end - start, Period: period}
			if run.Length >= 2*period && run.better(best) {
				best = run
			}
		}
	}
	return best
}

func TestLoops(t *testing.T) {
	for text, want := range map[string]Loop{
		"":                                 {},
		"a":                                {},
		"all words here differ":            {},
		"the the":                          {0, 2, 1},
		"no no no no":                      {0, 4, 1},
		"so we go on and on and on and so": {3, 6, 2},
		"x a b c a b c a b y z z":          {1, 8, 3},
	} {
		if got := LongestLoop(Words(text)); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// TestLoopsAgainstEveryPeriod: divide and conquer finds what trying everything finds.
func TestLoopsAgainstEveryPeriod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.IntRange(1, 4).Draw(t, "letters")
		n := rapid.IntRange(0, 70).Draw(t, "n")
		tokens := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}[:letters]), n, n).Draw(t, "tokens")
		if got, want := LongestLoop(tokens), bruteLoop(tokens); got != want {
			t.Fatalf("%v: %+v, want %+v", tokens, got, want)
		}
	})
}

// TestLoopsTakeNLogN counts comparisons, on the texts that are worst for the naive way.
func TestLoopsTakeNLogN(t *testing.T) {
	const n = 1 << 16
	fibonacci, last := "ab", "a"
	for len(fibonacci) < n {
		fibonacci, last = fibonacci+last, fibonacci
	}
	half := strings.Repeat("a", n/2)
	for name, text := range map[string]string{
		"one letter":  strings.Repeat("a", n),
		"two letters": strings.Repeat("ab", n/2),
		"one change":  half + "b" + half[1:],
		"Fibonacci":   fibonacci[:n],
	} {
		compared := 0
		longestRun(n, func(i, j int) bool {
			compared++
			return text[i] == text[j]
		})
		if limit := int(4 * n * math.Log2(n)); compared > limit {
			t.Errorf("%s: %d comparisons for %d tokens, more than %d", name, compared, n, limit)
		}
	}
}

func BenchmarkLoopOfAMegabyte(b *testing.B) {
	tokens := Runes(strings.Repeat("a", 1<<20))
	for b.Loop() {
		LongestLoop(tokens)
	}
}
