package source

import (
	"bytes"
	"fmt"
)

// A Newline is a style of line ends.
type Newline string

// The styles. A file that mixes them has the style of most of its lines.
const (
	LF   Newline = "\n"
	CRLF Newline = "\r\n"
	CR   Newline = "\r"
)

// String names the style for messages and tests.
func (n Newline) String() string {
	switch n {
	case CRLF:
		return "CRLF"
	case CR:
		return "CR"
	case LF:
		return "LF"
	}
	return fmt.Sprintf("Newline(%q)", string(n))
}

// lineEnds counts the line ends of a text.
type lineEnds struct{ lf, crlf, cr int }

// style returns the style of most lines, the simpler one on a tie.
func (e lineEnds) style() Newline {
	switch {
	case e.crlf > e.lf && e.crlf >= e.cr:
		return CRLF
	case e.cr > e.lf:
		return CR
	}
	return LF
}

// add counts the line ends of a text.
func (e *lineEnds) add(text []byte) {
	newlines, pairs := bytes.Count(text, []byte("\n")), bytes.Count(text, []byte("\r\n"))
	e.lf += newlines - pairs
	e.crlf += pairs
	e.cr += bytes.Count(text, []byte("\r")) - pairs
}

// normaliseNewlines turns each lone carriage return of Text into \n, which the
// parser understands, and notes where. Offsets do not move. Files without any
// carriage return are neither counted nor copied.
func (f *File) normaliseNewlines() {
	f.Newline = LF
	if bytes.IndexByte(f.Text, '\r') < 0 {
		return
	}
	var ends lineEnds
	ends.add(f.Text)
	f.Newline = ends.style()
	if ends.cr > 0 {
		f.Text = bytes.Clone(f.Text)
		f.Returns = replaceReturns(f.Text, 0, make([]int32, 0, ends.cr))
	}
}

// replaceReturns replaces each lone carriage return of text, which starts at the
// given offset of the program, and appends where they were.
func replaceReturns(text []byte, offset int, returns []int32) []int32 {
	for i, c := range text {
		if c == '\r' && !(i+1 < len(text) && text[i+1] == '\n') {
			text[i] = '\n'
			returns = append(returns, int32(offset+i))
		}
	}
	return returns
}
