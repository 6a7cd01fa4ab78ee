package measure

import (
	"maps"
	"slices"
	"unicode"
)

// Scripts counts the letters of a text by script, as Unicode names them: "Latin", "Han",
// "Cyrillic". Digits, punctuation and what is not UTF-8 have none.
func Scripts(text string) map[string]float64 {
	counts := map[string]float64{}
	last := "Latin"
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		if !unicode.Is(unicode.Scripts[last], r) { // neighbours mostly share a script
			last = scriptOf(r)
		}
		counts[last]++
	}
	return counts
}

// scriptNames are the common scripts, which are tried first, then all.
var scriptNames = append([]string{
	"Latin", "Cyrillic", "Greek", "Han", "Hiragana", "Katakana", "Hangul", "Arabic", "Hebrew",
	"Devanagari", "Thai",
}, slices.Sorted(maps.Keys(unicode.Scripts))...)

// scriptOf is the script of a letter; "Common" where several share it.
func scriptOf(r rune) string {
	for _, name := range scriptNames {
		if unicode.Is(unicode.Scripts[name], r) {
			return name
		}
	}
	return "Common"
}

// Trigrams counts the triples of neighbouring characters of a text, in lower case, each
// stretch of white space as one space: they tell languages apart (Cavnar and Trenkle 1994).
func Trigrams(text string) map[string]float64 {
	counts := map[string]float64{}
	runes := []rune(plain(text))
	for i := 0; i+3 <= len(runes); i++ {
		counts[string(runes[i:i+3])]++
	}
	return counts
}

// Sum adds counts up over texts: Sum(texts, Scripts).
func Sum(texts []string, count func(string) map[string]float64) map[string]float64 {
	sum := map[string]float64{}
	for _, text := range texts {
		for thing, n := range count(text) {
			sum[thing] += n
		}
	}
	return sum
}
