package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/vet"
)

// GitHub writes workflow commands, which GitHub Actions shows as annotations of
// the changed lines.
type GitHub struct{}

// The runner unescapes these in messages and, besides them, ':' and ',' in
// properties.
var (
	messageEscape  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscape = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// A step shows ten annotations of a level; whatever comes later is passed over.
const annotationsOfALevel = 10

// Write writes a command for whatever could not be checked, and one a finding, the most
// severe first. Those that a step would not show are plain lines of the log. An annotation
// has lines of the file, which a notebook's cell does not: there it marks the top of the
// file.
func (GitHub) Write(w io.Writer, r *vet.Result) error {
	p := &printer{w: w}
	shown := map[string]int{}
	for _, x := range r.Problems {
		if x.Fatal && x.File != "" {
			shown["error"]++
			p.printf("::error title=rlvet,file=%s,line=%d::%s\n", propertyEscape.Replace(x.File), fileLine(x), messageEscape.Replace(notChecked(x)))
		}
	}
	for _, f := range bySeverity(r.Findings) {
		level := command(f.Severity)
		if shown[level]++; shown[level] > annotationsOfALevel {
			p.printf("%s: %s %s\n", printable(place(f.Range)), f.Code, oneLine(f.Line()))
			continue
		}
		p.printf("::%s title=%s,file=%s%s::%s\n", level, propertyEscape.Replace(fmt.Sprintf("rlvet (%s %s)", f.Code, f.Name)),
			propertyEscape.Replace(f.Range.File), githubLines(f.Range), messageEscape.Replace(place(f.Range)+": "+f.Code+" "+f.Line()))
	}
	return p.err
}

// fileLine is the line of a file at which a problem is marked.
func fileLine(x finding.Problem) int {
	if x.Cell > 0 {
		return 1
	}
	return max(x.Line, 1)
}

func notChecked(x finding.Problem) string {
	if x.Cell > 0 {
		return "not checked: " + x.Place() + ": " + x.Message
	}
	return "not checked: " + x.Message
}

func command(s finding.Severity) string {
	switch s {
	case finding.Error:
		return "error"
	case finding.Warning:
		return "warning"
	}
	return "notice"
}

// githubLines gives columns only for a range on one line, as the runner demands.
func githubLines(r finding.Range) string {
	switch {
	case r.Cell > 0:
		return ",line=1"
	case r.Start.Row != r.End.Row:
		return fmt.Sprintf(",line=%d,endLine=%d", r.Start.Row, r.End.Row)
	}
	return fmt.Sprintf(",line=%d,col=%d,endLine=%d,endColumn=%d", r.Start.Row, r.Start.Column, r.End.Row, r.End.Column)
}
