package hunt

import (
	"fmt"
	"strings"
	"unicode"
)

// Plural is "1 seed" or "3 seeds".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Listed is "a, b and c".
func Listed(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// percent is a rate: 45 %.
func percent(rate float64) string { return fmt.Sprintf("%.2g %%", 100*rate) }

// OneLine is a text of the program's as one line, without what steers a terminal.
func OneLine(text string) string {
	text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
