package view

import (
	"regexp"

	"github.com/mattn/go-runewidth"
)

// uncoloured finds the colours of a text: they are ours, as those of a run are made visible.
var uncoloured = regexp.MustCompile("\x1b\\[[0-9;]*m")

// cut shortens a text to width cells; 0 leaves it.
func cut(text string, width int) string {
	if width <= 0 {
		return text
	}
	return runewidth.Truncate(text, width, "…")
}
