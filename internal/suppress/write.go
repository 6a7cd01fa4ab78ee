package suppress

import (
	"bytes"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/source"
)

// Write returns the edit that suppresses a rule for the statement that ends on a
// row, counted from 1 over the whole text: it adds the code to the directive that
// stands there, or a comment at the end of the line. It is false where the line
// can have no comment.
func Write(file *source.File, row int, code, reason string) (edit.Edit, bool) {
	for _, d := range Parse(string(file.Text)) {
		if d.Kind == Line && d.Row == row && d.Last == row {
			at := d.Rules[len(d.Rules)-1].End
			return edit.Edit{Start: at, End: at, New: ", " + code}, true
		}
	}
	lines := file.Lines()
	line := file.Text[lines.Start(row):lines.End(row)]
	if bytes.HasSuffix(line, []byte(`\`)) {
		return edit.Edit{}, false
	}
	end := lines.Start(row) + len(bytes.TrimRight(line, " \t\r"))
	return edit.Edit{Start: end, End: lines.End(row), New: "  # rlvet: ignore[" + code + "] " + reason}, true
}
