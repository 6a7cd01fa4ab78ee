package report

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// narrowest is the narrowest column, in cells, in which text is still wrapped legibly.
const narrowest = 20

// textWidth is the width of text that stands behind some cells; 0 for any.
func (p *palette) textWidth(behind int) int {
	if p.Width <= 0 {
		return 0
	}
	return max(narrowest, p.Width-behind)
}

// Wrap breaks a text at spaces into lines of at most width cells; 0 is one line, whatever
// its length.
func Wrap(text string, width int) []string {
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
