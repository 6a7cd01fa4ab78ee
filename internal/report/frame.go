package report

import (
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/mattn/go-runewidth"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
)

// The bounds of a code frame.
const (
	maxLines   = 6   // of a flagged range that are shown in full
	maxColumns = 160 // of one line
	tabWidth   = 4
)

// frameLine is one line of a code frame: its row in the cell, its text as shown,
// and the cells of the terminal that are underlined.
type frameLine struct {
	row, indent, marks int
	text               string
}

// frameLines returns the lines of a range, with context lines around them.
func frameLines(file *source.File, at finding.Range, context int) []frameLine {
	lines := file.Lines()
	first, last := lines.Row(at.StartByte), lines.Row(max(at.StartByte, at.EndByte-1))
	top, bottom := 1, lines.Count()
	if cell := file.CellAt(at.StartByte); cell != nil {
		top, bottom = lines.Row(cell.Start), lines.Row(max(cell.Start, cell.End-1))
	}
	var out []frameLine
	for row := max(top, first-context); row <= min(bottom, last+context); row++ {
		if row > first+maxLines/2 && row < last-1 && last-first >= maxLines {
			continue
		}
		if l := lines.Start(row); l == len(file.Text) && row > last {
			break // the empty line behind the final line end
		}
		out = append(out, frameOf(file, row, row-top+1, at))
	}
	return out
}

// frameOf lays out one row of the text.
func frameOf(file *source.File, row, shown int, at finding.Range) frameLine {
	lines := file.Lines()
	start, end := lines.Start(row), lines.End(row)
	text := file.LineText(start)
	from, to := max(at.StartByte, start), min(at.EndByte, end)
	if row > lines.Row(at.StartByte) {
		from = start + len(text) - len(strings.TrimLeft(text, " \t"))
	}
	marked := row >= lines.Row(at.StartByte) && row <= lines.Row(max(at.StartByte, at.EndByte-1))
	l := frameLine{row: shown, text: layOut(text)}
	if marked && from <= to && to-start <= len(text) {
		l.indent = columns(text[:from-start])
		l.marks = max(1, columns(text[:to-start])-l.indent)
	}
	return l.clip()
}

// clip cuts a long line to a window around its marks.
func (l frameLine) clip() frameLine {
	if runewidth.StringWidth(l.text) <= maxColumns {
		return l
	}
	skip := max(0, l.indent-maxColumns/2)
	if skip > 0 {
		l.text = "…" + runewidth.TruncateLeft(l.text, skip+1, "")
		l.indent -= skip
	}
	l.text = runewidth.Truncate(l.text, maxColumns, "…")
	l.marks = min(l.marks, max(1, maxColumns-l.indent))
	return l
}

// cut splits the text before, in and behind the marks.
func (l frameLine) cut() (before, marked, behind string) {
	before = runewidth.Truncate(l.text, l.indent, "")
	rest := l.text[len(before):]
	marked = runewidth.Truncate(rest, l.marks, "")
	return before, marked, rest[len(marked):]
}

// layOut returns a line as shown: tabs as blanks, nothing that steers a
// terminal.
func layOut(text string) string {
	var b strings.Builder
	width := 0
	for _, c := range printable(text) {
		if c == '\t' {
			n := tabWidth - width%tabWidth
			b.WriteString(strings.Repeat(" ", n))
			width += n
			continue
		}
		b.WriteRune(c)
		width += runewidth.RuneWidth(c)
	}
	return b.String()
}

// columns returns how many cells of the terminal a text takes.
func columns(text string) int { return runewidth.StringWidth(layOut(text)) }

// diffLine is one line of a shown diff: sign is '-', '+' or ' '. gap says that
// lines were left out before it.
type diffLine struct {
	sign byte
	row  int // new row, 0 for removed lines
	text string
	gap  bool
}

// diffLines returns the diff that edits make. That of a notebook stays within its
// cells, counts rows in them, and shows IPython commands as they are written. Edits
// that do not fit give no diff.
func diffLines(file *source.File, edits []finding.Edit) []diffLine {
	after, err := edit.ApplyFile(file, finding.Plain(edits))
	if err != nil {
		return nil
	}
	if file.Cells == nil {
		return diffTexts(string(file.Text), string(after.Text))
	}
	var out []diffLine
	for i, was := range file.Cells {
		is := after.Cells[i]
		out = append(out, diffTexts(file.Original(was.Start, was.End), after.Original(is.Start, is.End))...)
	}
	return out
}

// diffTexts returns what changed from one text to another, with a line around it.
func diffTexts(before, after string) []diffLine {
	d, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), 1)
	if err != nil {
		return nil
	}
	var out []diffLine
	for _, h := range d.Hunks {
		row := h.ToLine
		for i, l := range h.Lines {
			line := diffLine{sign: ' ', row: row, text: layOut(strings.TrimRight(l.Content, "\r\n")), gap: i == 0}
			switch l.Kind {
			case udiff.Delete:
				line.sign, line.row = '-', 0
			case udiff.Insert:
				line.sign = '+'
				row++
			default:
				row++
			}
			out = append(out, line)
		}
	}
	return out
}

// editedFiles returns the files that a fix changes, sorted.
func editedFiles(fix *finding.Fix) []string {
	var out []string
	for _, e := range fix.Edits {
		if i := sort.SearchStrings(out, e.Range.File); i == len(out) || out[i] != e.Range.File {
			out = append(out, e.Range.File)
			sort.Strings(out)
		}
	}
	return out
}

func editsOf(fix *finding.Fix, file string) []finding.Edit {
	var out []finding.Edit
	for _, e := range fix.Edits {
		if e.Range.File == file {
			out = append(out, e)
		}
	}
	return out
}
