// Package page makes self-contained pages of HTML: the skeleton and the style that all
// commands share, and plots.
//
// A command writes a template of its title and its body, which uses the parts that are
// defined here (page.qtpl), and Render puts them into the skeleton. go generate makes Go of
// the templates; html/template would have the linker keep every method of every type.
// What goes in is plain data, what comes out is one file that loads nothing: no script, no
// font, no picture from elsewhere, and a content security policy that forbids them.
// Colours are those of Okabe and Ito, and whatever a colour says is said by a shape, a
// line style or a word too.
// Limits: plots are meant to be read, not explored; a line of more than some hundred
// points is better thinned before.
package page

import (
	"bytes"
	_ "embed"
	"html"
	"io"
)

//go:generate go run github.com/valyala/quicktemplate/qtc -skipLineComments -ext=qtpl

//go:embed style.css
var style string

// HTML is a text that stands in a page as it is: nothing in it is anybody else's, or all of
// that is escaped.
type HTML string

// escaped is a text as it stands in a page.
func escaped(text string) string { return html.EscapeString(text) }

// Render writes a page.
func Render(w io.Writer, c Content) error {
	var b bytes.Buffer
	writeskeleton(&b, c)
	_, err := w.Write(b.Bytes())
	return err
}

// Figure is a drawing, with a note below it.
type Figure struct {
	Title, Note string
	SVG         HTML
}

// Line is a line of code: what stands before, in and behind the marked part.
type Line struct {
	// Row is the number of the line, 0 for one that has none.
	Row int
	// Sign is "-" or "+" in a difference, "" elsewhere.
	Sign                   string
	Before, Marked, Behind string
	// Gap says that lines are left out before this one.
	Gap bool
}
