package suppress

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/source"
)

// Write returns the edit that suppresses a rule for the statement that ends on a
// row, counted from 1 over the whole text: it adds the code to the directive that
// stands there, or a comment at the end of the line. One that cannot be read would hide
// what stands behind it; it is repaired, or keeps its words behind the new one. It is
// false where the line can have no comment.
func Write(file *source.File, row int, code, reason string) (edit.Edit, bool) {
	for _, d := range Parse(string(file.Text)) {
		if d.Kind == Line && d.Row == row && d.Last == row {
			at := d.Rules[len(d.Rules)-1].End
			return edit.Edit{Start: at, End: at, New: ", " + code}, true
		}
		if d.Kind == Malformed && d.Row == row {
			return d.repaired(string(file.Text), code, reason), true
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

var (
	ignoreWord = regexp.MustCompile(`^#\s*rlvet\s*:\s*ignore(?:[^-\w]|$)`)
	codeWord   = regexp.MustCompile(`\b[A-Z]{2,}[0-9]{3}\b`)
)

// repaired is the edit that puts a comment in place of an unreadable one which means the
// same rule, with its own reason where it has one, and else before it.
func (d Directive) repaired(text, code, reason string) edit.Edit {
	was := text[d.Start:d.End]
	if next := strings.IndexByte(was[1:], '#'); next >= 0 {
		was = was[:1+next]
	}
	was = strings.TrimRight(was, " \t")
	meant := codeWord.FindAllString(was, -1)
	if !ignoreWord.MatchString(was) || len(meant) != 1 || meant[0] != code {
		return edit.Edit{Start: d.Start, End: d.Start, New: "# rlvet: ignore[" + code + "] " + reason + "  "}
	}
	rest := codeWord.ReplaceAllString(ignoreWord.ReplaceAllString(was, ""), "")
	if own := strings.Trim(rest, " \t:;,.()[]{}=-–—"); own != "" {
		reason = own
	}
	return edit.Edit{Start: d.Start, End: d.Start + len(was), New: "# rlvet: ignore[" + code + "] " + reason}
}
