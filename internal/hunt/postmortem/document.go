package postmortem

import (
	"fmt"

	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/page"
)

// # One document, two forms
//
// A section is a list of blocks, and each block is one thing: a paragraph, a table, code.
// The sections are written once (summary.go and on); Markdown and HTML know blocks only.
// What stands between backquotes in a text is code. Texts of the program are escaped by
// both forms, wherever they stand.

type document struct {
	Heading, Version string
	Sections         []section
}

type section struct {
	ID, Title string
	Blocks    []block
}

// block is one of its fields.
type block struct {
	Text    string
	Heading string
	// Todo is what a person has to add.
	Todo    string
	List    []string
	Facts   []fact
	Table   *table
	Code    *code
	Diff    []page.Line
	Heats   []page.Heat
	Figures []figure
	Legend  []page.Entry
}

type fact struct{ Name, Value string }

type table struct {
	Columns []string
	// Numbers are the columns that are set to the right.
	Numbers []bool
	Rows    [][]string
}

type code struct {
	Place string
	Lines []page.Line
}

// figure is a drawing, and what it shows in words.
type figure struct {
	page.Figure
	Alt string
}

// writer makes the sections of a result.
type writer struct {
	r   *hunt.Result
	out *section
	// shown are the places whose code was shown.
	shown map[string]bool
}

// documentOf writes the document of a result.
func documentOf(r *hunt.Result) *document {
	w := &writer{r: r, shown: map[string]bool{}}
	d := &document{Heading: w.title(), Version: r.Environment.Rlvet}
	for _, s := range []struct {
		id, title string
		write     func()
	}{
		{"summary", "Summary", w.summary}, {"impact", "Impact", w.impact}, {"timeline", "Timeline of the runs", w.timeline},
		{"reproduction", "How it was reproduced", w.reproduction}, {"cause", "Root cause", w.cause}, {"evidence", "Evidence", w.evidence},
		{"tried", "What was tried", w.tried}, {"fix", "The fix", w.fix}, {"missed", "Why nothing caught it", w.missed}, {"plan", "What will catch it", w.plan},
	} {
		w.out = &section{ID: s.id, Title: s.title}
		if s.write(); len(w.out.Blocks) > 0 {
			d.Sections = append(d.Sections, *w.out)
		}
	}
	return d
}

func (w *writer) add(b block)        { w.out.Blocks = append(w.out.Blocks, b) }
func (w *writer) heading(t string)   { w.add(block{Heading: t}) }
func (w *writer) person(what string) { w.add(block{Todo: what}) }

// say adds a paragraph.
func (w *writer) say(format string, args ...any) {
	w.add(block{Text: fmt.Sprintf(format, args...)})
}
