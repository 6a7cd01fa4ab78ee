package report

import (
	"io"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/vet"
)

// Concise writes one line a finding, as ruff does: PATH:ROW:COLUMN: CODE [*]
// message, where [*] marks what --fix can fix.
type Concise struct{ palette *palette }

// Write writes the report.
func (c *Concise) Write(w io.Writer, r *vet.Result) error {
	p := &printer{w: w}
	for i := range r.Findings {
		f := &r.Findings[i]
		p.printf("%s: %s %s%s\n", c.palette.bold.Sprint(printable(place(f.Range))), c.palette.linked(f, c.palette.severity(f.Severity).Sprint(f.Code)), c.palette.fixMark(r, f), oneLine(f.Line()))
	}
	summarise(p, c.palette, r)
	return p.err
}

func (p *palette) fixMark(r *vet.Result, f *finding.Finding) string {
	if !applicable(r, f) {
		return ""
	}
	return "[" + p.help.Sprint("*") + "] "
}
