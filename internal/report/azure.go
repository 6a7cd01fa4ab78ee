package report

import (
	"io"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/vet"
)

// Azure writes logging commands of Azure Pipelines. The agent keeps ten issues of a
// type a task, so the most severe come first.
type Azure struct{}

// The agent unescapes these, in properties and in messages.
var azureEscape = strings.NewReplacer("%", "%AZP25", "\r", "%0D", "\n", "%0A", ";", "%3B", "]", "%5D")

// Write writes a command a finding, and one for whatever could not be checked.
func (Azure) Write(w io.Writer, r *vet.Result) error {
	p := &printer{w: w}
	for _, x := range r.Problems {
		if x.Fatal && x.File != "" {
			p.printf("##vso[task.logissue type=error;sourcepath=%s;linenumber=%d;]%s\n", azureEscape.Replace(x.File), fileLine(x), azureEscape.Replace(notChecked(x)))
		}
	}
	for _, f := range bySeverity(r.Findings) {
		column := f.Range.Start.Column
		if f.Range.Cell > 0 {
			column = 1
		}
		p.printf("##vso[task.logissue type=%s;sourcepath=%s;linenumber=%d;columnnumber=%d;code=%s;]%s\n", azureType(f.Severity),
			azureEscape.Replace(f.Range.File), fileRow(f.Range), column, f.Code, azureEscape.Replace(inCell(f.Range)+f.Line()))
	}
	return p.err
}

// azureType is one of the two that there are.
func azureType(s finding.Severity) string {
	if s == finding.Error {
		return "error"
	}
	return "warning"
}
