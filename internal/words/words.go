// Package words holds the phrases that several packages say alike: counts of things, and
// lists of them.
//
// Input: numbers and words. Output: English, for one line of a message.
// Limits: plurals are regular unless both forms are given.
package words

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Count is "1 finding", or "2 findings".
func Count[N int | int64](n N, word string) string { return CountOf(n, word, word+"s") }

// CountOf is "1 entry", or "2 entries".
func CountOf[N int | int64](n N, one, many string) string {
	return fmt.Sprintf("%d %s", n, Choose(n, one, many))
}

// Choose is the word for one of something, or that for several.
func Choose[N int | int64](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Percent is a rate in two digits: "4.9 %", or "95 %".
func Percent(rate float64) string {
	if rate >= 0.1 {
		return fmt.Sprintf("%.0f %%", 100*rate)
	}
	return fmt.Sprintf("%.2g %%", 100*rate)
}

// And is "a", "a and b", or "a, b and c".
func And(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// harmless are words that every shell takes as they are.
var harmless = regexp.MustCompile(`^[\w./\\:@%+=,-]+$`)

// Typed is a word of a command as people type it: in single quotes where a shell might take
// something in it for its own, so that a name of somebody's run does nothing when it is copied.
func Typed(word string) string {
	if harmless.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(Plain(word), "'", `'\''`) + "'"
}

// Plain makes one line of a text that may hold anything, such as a name of somebody's run: it
// steers no terminal.
func Plain(text string) string { return Visible(strings.Join(strings.Fields(text), " ")) }

// Visible writes what has no shape of its own as its number: control characters, and the
// marks that join, hide or turn the direction of what follows. Line ends and tabs stay.
func Visible(text string) string {
	var b strings.Builder
	for _, c := range strings.ToValidUTF8(text, "\ufffd") {
		switch {
		case c == '\n' || c == '\t' || c == '\u200d' || c == '\u200c': // the last two join letters of many scripts
			b.WriteRune(c)
		case unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029':
			fmt.Fprintf(&b, "<%U>", c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
