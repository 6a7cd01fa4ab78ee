// Package page makes self-contained pages of HTML: the skeleton and the style that all
// commands share, and plots.
//
// A command parses its own template with Parse and writes it with Render; the template
// defines "title" and "body" and uses the parts that are defined here (parts.html).
// What goes in is plain data, what comes out is one file that loads nothing: no script, no
// font, no picture from elsewhere, and a content security policy that forbids them.
// Colours are those of Okabe and Ito, and whatever a colour says is said by a shape, a
// line style or a word too.
// Limits: plots are meant to be read, not explored; a line of more than some hundred
// points is better thinned before.
package page

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"strings"
)

//go:embed skeleton.html parts.html style.css
var files embed.FS

// Parse returns the skeleton with a command's template in it. The template defines
// "title" and "body"; functions are added to those that there are.
func Parse(text string, functions template.FuncMap) (*template.Template, error) {
	t := template.New("skeleton.html").Funcs(template.FuncMap{"style": style, "spans": spans}).Funcs(functions)
	t, err := t.ParseFS(files, "skeleton.html", "parts.html")
	if err != nil {
		return nil, err
	}
	return t.Parse(text)
}

// Render writes a page; nothing is written where the template fails.
func Render(w io.Writer, t *template.Template, data any) error {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

func style() (template.CSS, error) {
	text, err := files.ReadFile("style.css")
	return template.CSS(text), err
}

// spans sets what stands between backquotes as code.
func spans(text string) template.HTML {
	var b strings.Builder
	parts := strings.Split(text, "`")
	for i, part := range parts {
		switch {
		case i%2 == 0:
			b.WriteString(template.HTMLEscapeString(part))
		case i == len(parts)-1: // a lone backquote
			b.WriteString("`" + template.HTMLEscapeString(part))
		default:
			b.WriteString("<code>" + template.HTMLEscapeString(part) + "</code>")
		}
	}
	return template.HTML(b.String())
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
