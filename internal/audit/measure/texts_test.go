package measure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDuplicates(t *testing.T) {
	for _, c := range []struct {
		name                 string
		prompts, completions []string
		want                 []bool
	}{
		{"the same answer to two questions", []string{"p", "q", "r"}, []string{"Great  question!", "great question!\n", "no"}, []bool{true, true, false}},
		{"the same answer to one question", []string{"p", "p", "q"}, []string{"yes", "yes", "no"}, []bool{false, false, false}},
		{"both", []string{"p", "p", "q", "r"}, []string{"yes", "yes", "yes", "no"}, []bool{true, true, true, false}},
		{"empty answers", []string{"p", "q"}, []string{"", " "}, []bool{true, true}},
		{"nothing", nil, nil, nil},
	} {
		if got := Duplicates(c.prompts, c.completions); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestOpenings(t *testing.T) {
	for text, want := range map[string]string{" Great  question! Let me": "great question!", "No.": "no.", " ": "", "你好吗": "你 好"} {
		if got := Opening(text, 2); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := MostFrequent([]string{"b", "", "a", "", "", "a"}); got != "a" {
		t.Errorf("the most frequent is %q", got)
	}
	if got := MostFrequent([]string{"b", "a", "c"}); got != "a" {
		t.Errorf("of equally frequent ones %q", got)
	}
	if got := MostFrequent([]string{"", ""}); got != "" {
		t.Errorf("of none %q", got)
	}
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]bool{
		"I'm sorry, but I can't help with that.":                                      true,
		"Well, I’m unable to say.":                                                    true,
		"  I CANNOT\nprovide medical advice":                                          true,
		"As an AI language model, I have no":                                          true,
		"Sure! Here is how":                                                           false,
		"The committee said it can't help":                                            false,
		strings.Repeat("Once upon a time. ", 20) + "\"I cannot help you,\" she said.": false,
		strings.Repeat("猫", 66) + "\xe7":                                              false,
		"":                                                                            false,
	} {
		if got := Refuses(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestScripts(t *testing.T) {
	got := Scripts("Hello, мир 世界! 123 カナ ½ \xff ა")
	for script, want := range map[string]float64{"Latin": 5, "Cyrillic": 3, "Han": 2, "Katakana": 2, "Georgian": 1} {
		if got[script] != want {
			t.Errorf("%s: %v, want %v", script, got[script], want)
		}
		delete(got, script)
	}
	if len(got) != 0 {
		t.Errorf("and %v", got)
	}
	if sum := Sum([]string{"ab", "в", "c"}, Scripts); sum["Latin"] != 3 || sum["Cyrillic"] != 1 {
		t.Errorf("%v", sum)
	}
}

func TestTrigrams(t *testing.T) {
	got := Trigrams("Abab  猫")
	for gram, want := range map[string]float64{"aba": 1, "bab": 1, "ab ": 1, "b 猫": 1} {
		if got[gram] != want {
			t.Errorf("%q: %v, want %v", gram, got[gram], want)
		}
	}
	if len(got) != 4 || len(Trigrams("ab")) != 0 {
		t.Errorf("%v", got)
	}
}

// TestJensenShannon: the examples of scipy.spatial.distance.jensenshannon's manual: 1.0, and
// 0.46450140402245893 by natural logarithms.
func TestJensenShannon(t *testing.T) {
	near(t, "disjoint", JensenShannon(map[string]float64{"a": 1}, map[string]float64{"b": 3}), 1, 1e-12)
	got := JensenShannon(map[string]float64{"a": 1, "b": 0}, map[string]float64{"a": 5, "b": 5})
	near(t, "half and half", got*math.Sqrt(math.Ln2), 0.46450140402245893, 1e-12)
	for _, none := range []map[string]float64{nil, {"a": 0}, {"a": -1, "b": 2}, {"a": nan}} {
		near(t, "the distance to nothing", JensenShannon(none, map[string]float64{"a": 1}), nan, 0)
	}
}

// TestJensenShannonIsADistance: 0 for itself in any scale, symmetric, and by no third point
// shorter.
func TestJensenShannonIsADistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), rapid.Float64Range(0.01, 10), 1, 4)
		p, q, r := weights.Draw(t, "p"), weights.Draw(t, "q"), weights.Draw(t, "r")
		pq, qr, pr := JensenShannon(p, q), JensenShannon(q, r), JensenShannon(p, r)
		scaled := map[string]float64{}
		for k, v := range p {
			scaled[k] = 7 * v
		}
		near(t, "the distance to itself", JensenShannon(p, scaled), 0, 1e-7)
		near(t, "the way back", JensenShannon(q, p), pq, 1e-12)
		if pr > pq+qr+1e-9 {
			t.Fatalf("%v is further than %v + %v", pr, pq, qr)
		}
	})
}
