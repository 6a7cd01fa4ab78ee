package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// Full writes each finding with the code it is about, the origin of the value
// as notes, and the fix as a diff.
type Full struct{ palette *palette }

// Write writes the report.
func (t *Full) Write(w io.Writer, r *vet.Result) error {
	p := &printer{w: w}
	for i := range r.Findings {
		t.finding(p, r, &r.Findings[i])
		p.printf("\n")
	}
	summarise(p, t.palette, r)
	return p.err
}

// finding writes one finding. All its parts share one width of line numbers.
func (t *Full) finding(p *printer, r *vet.Result, f *finding.Finding) {
	style := t.palette.severity(f.Severity)
	p.printf("%s %s%s\n", t.palette.linked(f, style.Sprintf("%s[%s]", f.Severity, f.Code)), t.palette.fixMark(r, f), t.palette.bold.Sprint(oneLine(f.Message)))
	width := gutter(r, f)
	t.at(p, width, f.Range)
	t.frame(p, width, r.Files[f.Range.File], f.Range, 2, style.Sprint)
	if f.Why != "" {
		t.labelled(p, t.palette.note.Sprint("why:"), 4, f.Why)
	}
	for _, note := range f.Related {
		t.labelled(p, t.palette.note.Sprint("note:"), 5, note.Message)
		t.at(p, width, note.Range)
		t.frame(p, width, r.Files[note.Range.File], note.Range, 0, t.palette.origin.Sprint)
	}
	switch {
	case f.Help != "":
		t.labelled(p, t.palette.help.Sprint("help:"), 5, f.Help)
	case f.Fix != nil:
		t.labelled(p, t.palette.help.Sprint("help:"), 5, f.Fix.Message)
	}
	if f.Source != "" {
		t.labelled(p, t.palette.note.Sprint("source:"), 7, f.Source)
	}
	if f.Fix != nil {
		t.fix(p, width, r, f.Fix)
	}
}

// labelled writes a text behind its label, of the given width, wrapped to the terminal.
func (t *Full) labelled(p *printer, label string, cells int, text string) {
	for i, line := range Wrap(oneLine(text), t.palette.textWidth(cells+1)) {
		if i == 0 {
			p.printf("%s %s\n", label, line)
		} else {
			p.printf("%*s %s\n", cells, "", line)
		}
	}
}

// at writes the line that says where the code below it stands.
func (t *Full) at(p *printer, width int, at finding.Range) {
	p.printf("%*s%s %s\n", width, "", t.palette.line.Sprint("-->"), printable(place(at)))
}

// gutter returns the width of the largest line number that a finding shows.
func gutter(r *vet.Result, f *finding.Finding) int {
	last := f.Range.End.Row + 2
	for _, n := range f.Related {
		last = max(last, n.Range.End.Row)
	}
	if f.Fix != nil {
		for _, e := range f.Fix.Edits {
			last = max(last, e.Range.End.Row+2)
		}
	}
	return len(strconv.Itoa(last))
}

// frame writes the lines of a range with carets under it and some lines around
// it, all within its cell. Of a long range only its start and end are shown.
func (t *Full) frame(p *printer, width int, file *source.File, at finding.Range, context int, paint func(...any) string) {
	if file == nil {
		return
	}
	bar := t.palette.line.Sprint("|")
	p.printf("%*s %s\n", width, "", bar)
	lines := frameLines(file, at, context)
	for i, l := range lines {
		if i > 0 && l.row != lines[i-1].row+1 {
			p.printf("%s\n", t.palette.line.Sprint("..."))
		}
		p.printf("%s %s%s\n", t.palette.line.Sprintf("%*d", width, l.row), bar, strings.TrimRight(" "+l.text, " "))
		if l.marks > 0 {
			p.printf("%*s %s %s%s\n", width, "", bar, strings.Repeat(" ", l.indent), paint(strings.Repeat("^", l.marks)))
		}
	}
	p.printf("%*s %s\n", width, "", bar)
}

// fix writes the diff of a fix, where the text is known.
func (t *Full) fix(p *printer, width int, r *vet.Result, fix *finding.Fix) {
	for _, file := range editedFiles(fix) {
		if f := r.Files[file]; f != nil {
			t.diff(p, width, f, editsOf(fix, file))
		}
	}
	switch fix.Applicability {
	case finding.Unsafe:
		p.printf("%s this fix is unsafe: %s; --fix --unsafe-fixes applies it\n", t.palette.note.Sprint("note:"), fix.Caution())
	case finding.DisplayOnly:
		p.printf("%s this is a suggestion, which --fix does not apply\n", t.palette.note.Sprint("note:"))
	}
}

// diff writes the changed lines with line numbers, old in the gutter for
// removed lines and new for the others.
func (t *Full) diff(p *printer, width int, file *source.File, edits []finding.Edit) {
	bar := t.palette.line.Sprint("|")
	for i, l := range diffLines(file, edits) {
		if i > 0 && l.gap {
			p.printf("%s\n", t.palette.line.Sprint("..."))
		}
		number := fmt.Sprintf("%*s", width, "")
		if l.row > 0 {
			number = fmt.Sprintf("%*d", width, l.row)
		}
		text := strings.TrimRight(l.text, " ")
		switch l.sign {
		case '-':
			p.printf("%s %s\n", t.palette.line.Sprint(number), t.palette.removed.Sprint("- "+text))
		case '+':
			p.printf("%s %s\n", t.palette.line.Sprint(number), t.palette.added.Sprint("+ "+text))
		default:
			p.printf("%s %s%s\n", t.palette.line.Sprint(number), bar, strings.TrimRight(" "+text, " "))
		}
	}
}
