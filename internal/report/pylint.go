package report

import (
	"io"

	"github.com/rlvet/rlvet/internal/vet"
)

// Pylint writes "PATH:ROW: [CODE] message", which many tools read that read pylint.
type Pylint struct{}

// Write writes the lines.
func (Pylint) Write(w io.Writer, r *vet.Result) error {
	p := &printer{w: w}
	for _, f := range r.Findings {
		p.printf("%s:%d: [%s] %s\n", printable(f.Range.File), fileRow(f.Range), f.Code, oneLine(inCell(f.Range)+f.Line()))
	}
	return p.err
}
