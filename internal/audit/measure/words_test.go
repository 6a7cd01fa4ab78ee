package measure

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                      nil,
		" \t\n\u3000 ":                          nil,
		"the  cat\nsat.":                        {"the", "cat", "sat."},
		"don't, e.g.":                           {"don't,", "e.g."},
		"猫が好き":                                  {"猫", "が", "好", "き"},
		"我用PyTorch 2.1训练":                       {"我", "用", "PyTorch", "2.1", "训", "练"},
		"ひらがな ok":                               {"ひ", "ら", "が", "な", "ok"},
		"ภาษาไทย":                               {"ภ", "า", "ษ", "า", "ไ", "ท", "ย"},
		"ไม่":                                   {"ไ", "ม่"},             // the tone mark stays on its letter
		"나는 학교에":                                {"나는", "학교에"},           // Korean writes spaces
		"cafe\u0301 naïve":                      {"cafe\u0301", "naïve"}, // an accent of its own
		"a\xffb \xff":                           {"a\xffb", "\xff"},      // not UTF-8
		"👩‍👩‍👧 ok":                              {"👩‍👩‍👧", "ok"},         // joined emoji
		"か\u3099き":                              {"か\u3099", "き"},        // a voiced か, in two code points
		"\u0301a":                               {"\u0301a"},             // a mark on nothing
		"中\u0301a":                              {"中\u0301", "a"},        // a mark on Han
		"مرحبا بالعالم":                         {"مرحبا", "بالعالم"},    // right to left
		"a\u00a0b":                              {"a", "b"},              // a space that does not break
		"x\u200by":                              {"x\u200by"},            // a space of no width is none
		strings.Repeat("z", 5) + "\r\n" + "end": {"zzzzz", "end"},
	} {
		if got := Words(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCharacters(t *testing.T) {
	if got := Characters("naïve 猫\xff"); got != 8 {
		t.Errorf("%d characters", got)
	}
	if got := Runes("ï\xff猫"); !slices.Equal(got, []string{"ï", "\xff", "猫"}) {
		t.Errorf("%q", got)
	}
}

// FuzzTexts: whatever the text, words are its bytes without the white space, in order, and
// no measure panics or leaves its bounds.
func FuzzTexts(f *testing.F) {
	for _, seed := range []string{"", "the the the cat", "猫が好き", "a\xffb\xf0\x9f", strings.Repeat("a", 2000), "ไม่\u0301", "I can’t help with that."} {
		f.Add(seed, seed+" and so on", 3)
	}
	f.Fuzz(func(t *testing.T, text, other string, n int) {
		words := Words(text)
		spaceless := strings.Join(strings.FieldsFunc(text, unicode.IsSpace), "")
		if joined := strings.Join(words, ""); joined != spaceless {
			t.Fatalf("%q became %q", spaceless, joined)
		}
		if slices.Contains(words, "") {
			t.Fatalf("%q has an empty word", words)
		}
		if utf8.ValidString(text) && Characters(text) != len(Runes(text)) {
			t.Fatalf("%d characters, %d runes", Characters(text), len(Runes(text)))
		}
		unit := func(what string, share float64) {
			if share < 0 || share > 1 {
				t.Fatalf("%s is %v", what, share)
			}
		}
		n %= 8
		unit("repetition", Repetition(words, n))
		unit("distinct", Distinct([][]string{words, Words(other)}, n))
		if same := Duplicates([]string{"p", "q"}, []string{text, other}); same[0] != same[1] {
			t.Fatalf("of two one is the other's duplicate: %v", same)
		}
		if first := MostFrequent([]string{Opening(text, n), Opening(other, n)}); first != Opening(text, n) && first != Opening(other, n) {
			t.Fatalf("nobody begins with %q", first)
		}
		unit("the distance of scripts", JensenShannon(Scripts(text), Scripts(other)))
		unit("the distance of trigrams", JensenShannon(Trigrams(text), Trigrams(other)))
		Refuses(text)
		if got := LongestLoop(Runes(text)); got.Length > 0 && (got.Length < 2*got.Period || got.Start+got.Length > len(Runes(text))) {
			t.Fatalf("%+v in %d characters", got, len(Runes(text)))
		}
	})
}
