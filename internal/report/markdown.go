package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// maxMarkdown is how long a summary may become, in bytes: GitHub drops one of more than
// a mebibyte as a whole, with what other commands of the step wrote.
const maxMarkdown = 900 << 10

// WriteMarkdown writes the summary of a job: how much was found, and a table, the most
// severe first. It stops before GitHub would drop it.
func WriteMarkdown(w io.Writer, r *vet.Result) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### rlvet\n\n%s\n", outcome(r))
	writeNotChecked(&b, r.Problems)
	if len(r.Findings) > 0 {
		b.WriteString("\n| | Where | Rule | What |\n| --- | --- | --- | --- |\n")
	}
	for i, f := range bySeverity(r.Findings) {
		row := fmt.Sprintf("| %s | %s | [%s](%s) %s | %s |\n", f.Severity, cell("`"+unticked(place(f.Range))+"`"), f.Code, f.URL, f.Name, cell(oneLine(f.Line())))
		if b.Len()+len(row) > maxMarkdown {
			fmt.Fprintf(&b, "\n%s more.\n", words.Count(len(r.Findings)-i, "finding"))
			break
		}
		b.WriteString(row)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// outcome is "Found 2 errors.", or that there is nothing.
func outcome(r *vet.Result) string {
	switch {
	case len(r.Findings) > 0:
		return found(r)
	case fatal(r.Problems):
		return "No findings in the files that could be checked."
	case r.Checked == 0:
		return nothing
	}
	return "All checks passed!"
}

func writeNotChecked(b *bytes.Buffer, problems []finding.Problem) {
	for _, x := range problems {
		if x.Fatal && b.Len() < maxMarkdown/2 {
			fmt.Fprintf(b, "\n- not checked: `%s`: %s\n", unticked(x.Place()), outsideCode(oneLine(x.Message)))
		}
	}
}

// unticked keeps a text from ending the code that it stands in.
func unticked(s string) string { return strings.ReplaceAll(printable(s), "`", "'") }

// cell makes a text fit a cell of a table: a bar would end it, in code too.
func cell(s string) string { return strings.ReplaceAll(outsideCode(s), "|", `\|`) }

var markdownEscape = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "#", `\#`, "@", "@\u2060", "&", "&amp;")

// outsideCode escapes what Markdown would read where a text is not between back quotes,
// names of people among it.
func outsideCode(s string) string {
	parts := strings.Split(s, "`")
	for i := range parts {
		if i%2 == 0 || i == len(parts)-1 {
			parts[i] = markdownEscape.Replace(parts[i])
		}
	}
	return strings.Join(parts, "`")
}
