package hunt

import (
	"strings"
	"unicode"
)

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
