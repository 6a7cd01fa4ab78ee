package report

import (
	"io"

	"github.com/rlvet/rlvet/internal/vet"
)

// Grouped writes the findings of each file under its name, as ruff does.
type Grouped struct{ palette *palette }

// Write writes the report.
func (g *Grouped) Write(w io.Writer, r *vet.Result) error {
	p := &printer{w: w}
	for i := range r.Findings {
		f := &r.Findings[i]
		if i == 0 || r.Findings[i-1].Range.File != f.Range.File {
			if i > 0 {
				p.printf("\n")
			}
			p.printf("%s:\n", g.palette.bold.Sprint(printable(f.Range.File)))
		}
		at := place(f.Range)[len(f.Range.File)+1:]
		p.printf("  %s %s %s%s\n", at, g.palette.linked(f, g.palette.severity(f.Severity).Sprint(f.Code)), g.palette.fixMark(r, f), oneLine(f.Line()))
	}
	if len(r.Findings) > 0 && !g.palette.Quiet {
		p.printf("\n")
	}
	summarise(p, g.palette, r)
	return p.err
}
