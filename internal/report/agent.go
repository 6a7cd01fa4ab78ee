package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/vet"
)

// Agent writes one line a finding for coding agents: the place, what is wrong, what
// to write instead, and the page of the rule. It has no colours, no carets and no
// closing lines, so that nothing has to be read that says nothing.
type Agent struct{}

// Write writes the lines.
func (Agent) Write(w io.Writer, r *vet.Result) error {
	p := &printer{w: w}
	for i := range r.Findings {
		f := &r.Findings[i]
		p.printf("%s: %s %s %s: %s%s; page: %s\n", printable(place(f.Range)), f.Severity, f.Code, f.Name, oneLine(f.Line()), fixHint(f), f.URL)
	}
	return p.err
}

// fixHint says what the fix does and whether it may be applied unseen.
func fixHint(f *finding.Finding) string {
	if f.Fix == nil {
		return ""
	}
	var edits []string
	for _, e := range f.Fix.Edits {
		edits = append(edits, fmt.Sprintf("%s-%d:%d to %s", printable(place(e.Range)), e.Range.End.Row, e.Range.End.Column, strconv.Quote(e.Content)))
	}
	return fmt.Sprintf("; fix (%s): %s, changing %s", f.Fix.Applicability, oneLine(f.Fix.Message), strings.Join(edits, " and "))
}
