package report

import (
	"io"
	"strconv"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
)

// Text writes a report of another package in the look of those of this one.
type Text struct {
	p     *printer
	style *palette
}

// NewText returns a writer of text.
func NewText(w io.Writer, coloured bool) *Text {
	return &Text{&printer{w: w}, newPalette(Look{Coloured: coloured})}
}

// Printf writes; the first error of the stream is kept for Err.
func (t *Text) Printf(format string, args ...any) { t.p.printf(format, args...) }

// Err is the first error of the stream.
func (t *Text) Err() error { return t.p.err }

// Bad, Unsure, Good and Label paint words: what is wrong, what may be, what is right, and
// what a line is about.
func (t *Text) Bad(s string) string    { return t.style.err.Sprint(s) }
func (t *Text) Unsure(s string) string { return t.style.warning.Sprint(s) }
func (t *Text) Good(s string) string   { return t.style.added.Sprint(s) }
func (t *Text) Label(s string) string  { return t.style.note.Sprint(s) }

// Code writes the lines of a range with carets under it and a line around it.
func (t *Text) Code(file *source.File, at finding.Range) {
	f := &Full{t.style}
	width := len(strconv.Itoa(at.End.Row + 1))
	f.frame(t.p, width, file, at, 1, t.style.err.Sprint)
}
