package measure

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unspaced are the scripts that write words without spaces between them.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// Words splits a text at white space; of scripts that write no spaces (Chinese, Japanese,
// Thai and their like) every character is a word, with the marks that stand on it. Case and
// punctuation stay. Bytes that are not UTF-8 belong to the word they stand in.
func Words(text string) []string {
	var words []string
	for _, field := range strings.Fields(text) {
		words = splitUnspaced(words, field)
	}
	return words
}

// splitUnspaced appends the words of a field: characters of unspaced scripts, and the rest
// between them.
func splitUnspaced(words []string, field string) []string {
	start, alone := 0, false // alone: the word that began at start is a single character
	for i, r := range field {
		if unicode.IsMark(r) {
			continue
		}
		single := r >= 0x0E00 && unicode.In(r, unspaced...) // none of them is below Thai
		if i > start && (alone || single) {
			words, start = append(words, field[start:i]), i
		}
		alone = single
	}
	return append(words, field[start:])
}

// Characters counts the code points of a text; a byte that is not UTF-8 counts as one.
func Characters(text string) int { return utf8.RuneCountInString(text) }

// Runes are the characters of a text as tokens, for measures of repetition below the word.
func Runes(text string) []string { return strings.Split(text, "") }
