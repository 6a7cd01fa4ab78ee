package hunt

import (
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
)

// Range is where an operation stands in its file, with that file: its columns, or the
// whole line where columns are 0. The file is nil where its text is not known.
func (r *Result) Range(filename string, row, column, endColumn int) (*source.File, finding.Range) {
	text, known := r.Texts[filename]
	if !known || row < 1 {
		return nil, finding.Range{}
	}
	file, err := source.FromText(filename, text)
	if err != nil || row > file.Lines().Count() {
		return nil, finding.Range{}
	}
	return file, rangeOf(file, &FirstBad{Filename: filename, Row: row, Column: column, EndColumn: endColumn})
}
