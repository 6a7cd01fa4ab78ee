package measure

import (
	"maps"
	"math"
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

// JensenShannon is the distance of two distributions, given by counts or weights of 0 or
// more: the root of the Jensen-Shannon divergence in bits (Lin 1991; Endres and Schindelin
// 2003), from 0 for equal to 1 for disjoint. NaN where one is empty, or has a weight below 0. Two samples of one
// distribution are never at 0: compare with the distance between two halves of the base's
// texts.
func JensenShannon(p, q map[string]float64) float64 {
	sumP, sumQ := total(p), total(q)
	if !(sumP > 0) || !(sumQ > 0) {
		return nan
	}
	// In the order of the keys, so that rounding is the same each time.
	keys := slices.Sorted(maps.Keys(p))
	for _, key := range slices.Sorted(maps.Keys(q)) {
		if _, both := p[key]; !both {
			keys = append(keys, key)
		}
	}
	divergence := 0.0
	for _, key := range keys {
		a, b := p[key]/sumP, q[key]/sumQ
		divergence += (bits(a, (a+b)/2) + bits(b, (a+b)/2)) / 2
	}
	return math.Sqrt(math.Max(0, math.Min(divergence, 1)))
}

// bits is a term of the divergence of a from the mixture m.
func bits(a, m float64) float64 {
	if a == 0 {
		return 0
	}
	return a * math.Log2(a/m)
}

// total is NaN where a weight is below 0.
func total(weights map[string]float64) float64 {
	sum := 0.0
	for _, key := range slices.Sorted(maps.Keys(weights)) {
		if !(weights[key] >= 0) {
			return nan
		}
		sum += weights[key]
	}
	return sum
}
