package view

import (
	"regexp"
	"strings"

	"github.com/mattn/go-runewidth"
)

// uncoloured finds the colours of a text: they are ours, as those of a run are made visible.
var uncoloured = regexp.MustCompile("\x1b\\[[0-9;]*m")

// wrap breaks a text at spaces into lines of at most width cells; 0 is one line, whatever
// its length.
func wrap(text string, width int) []string {
	if width <= 0 {
		return []string{text}
	}
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(text) {
		cells := runewidth.StringWidth(word)
		if used > 0 && used+1+cells > width {
			lines, line, used = append(lines, line), "", 0
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+cells
	}
	return append(lines, line)
}

// cut shortens a text to width cells; 0 leaves it.
func cut(text string, width int) string {
	if width <= 0 {
		return text
	}
	return runewidth.Truncate(text, width, "…")
}
