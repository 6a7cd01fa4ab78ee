package edit

import (
	"bytes"
	"regexp"

	"github.com/rlvet/rlvet/internal/source"
)

var (
	importLine = regexp.MustCompile(`^(?:import|from)[ \t\\]`)
	stringLine = regexp.MustCompile(`^[rRuUbBfF]{0,2}["']`)
)

// ImportInsertion returns the edit that adds an import statement, without line
// end, to a program: after the imports at its head, `from __future__` ones
// included, else after the docstring, else before the first statement. The
// caller knows that the name is not bound yet.
func ImportInsertion(text []byte, statement string) Edit {
	at, blankAbove := importPlace(text)
	line := statement + "\n"
	if blankAbove {
		line = "\n" + line
	}
	if at > 0 && text[at-1] != '\n' {
		line = "\n" + line
	}
	return Edit{Start: at, End: at, New: line}
}

// importPlace returns the offset for a new import and whether it wants a blank
// line above, as after a docstring.
func importPlace(text []byte) (place int, blankAbove bool) {
	place = -1
	for at := 0; at < len(text); {
		end := source.StatementEnd(text, at)
		switch line := bytes.TrimLeft(text[at:end], " \t\f\r\n"); {
		case len(line) == 0 || line[0] == '#':
		case importLine.Match(line):
			place, blankAbove = end, false
		case place < 0 && stringLine.Match(line):
			place, blankAbove = end, true
		case place < 0:
			return at, false
		default:
			return place, blankAbove
		}
		at = end
	}
	if place < 0 {
		place = len(text)
	}
	return place, blankAbove
}
