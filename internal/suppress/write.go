package suppress

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/runconf"
	"github.com/rlvet/rlvet/internal/source"
)

// Write returns the edit that suppresses a rule for the statement that ends on a
// row, counted from 1 over the whole text: it adds the code to the directive that
// stands there, or a comment at the end of the line. One that cannot be read would hide
// what stands behind it; it is repaired, or keeps its words behind the new one. It is
// false where the line can have no comment.
func Write(file *source.File, row int, code, reason string) (edit.Edit, bool) {
	shell := source.LanguageOf(file.Path) == source.Shell
	for _, d := range Parse(file) {
		if d.Kind == Line && (d.Row == row && d.Last == row || shell && d.Row < d.First && d.First <= row && row <= d.Last) {
			at := d.Rules[len(d.Rules)-1].End
			return edit.Edit{Start: at, End: at, New: ", " + code}, true
		}
		if d.Kind == Malformed && d.Row == row {
			return d.repaired(string(file.Text), code, reason), true
		}
	}
	if shell {
		return writeShell(file, row, code, reason)
	}
	lines := file.Lines()
	line := file.Text[lines.Start(row):lines.End(row)]
	if bytes.HasSuffix(line, []byte(`\`)) {
		return edit.Edit{}, false
	}
	return behind(file, row, code, reason), true
}

// behind is the edit that writes a comment at the end of a line.
func behind(file *source.File, row int, code, reason string) edit.Edit {
	lines := file.Lines()
	end := lines.Start(row) + len(bytes.TrimRight(file.Text[lines.Start(row):lines.End(row)], " \t\r"))
	return edit.Edit{Start: end, End: lines.End(row), New: "  # rlvet: ignore[" + code + "] " + reason}
}

// writeShell returns the edit for a shell script. At the end of a line a comment may end up in a string, or
// end a command that goes on: then it stands on the line above the command, for which it holds as a whole. What is
// written leaves the commands as bash reads them, and takes effect on the row.
func writeShell(file *source.File, row int, code, reason string) (edit.Edit, bool) {
	if e := behind(file, row, code, reason); harmless(file, e, row, row) {
		return e, true
	}
	lines := file.Lines()
	for _, command := range runconf.CommandsAt(file.Text, row) {
		start := lines.Start(command[0])
		line := file.Text[start:lines.End(command[0])]
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		e := edit.Edit{Start: start, End: start, New: string(indent) + "# rlvet: ignore[" + code + "] " + reason + "\n"}
		if harmless(file, e, command[0], row+1) {
			return e, true
		}
	}
	return edit.Edit{}, false
}

// harmless reports whether an edit writes a comment that stands on a row of a shell script, takes effect on
// another, and leaves the commands alone.
func harmless(file *source.File, e edit.Edit, stands, holds int) bool {
	after, err := edit.ApplyFile(file, []edit.Edit{e})
	if err != nil || !runconf.SameCommands(file.Text, after.Text) {
		return false
	}
	return slices.ContainsFunc(Parse(after), func(d Directive) bool {
		return d.Kind == Line && d.Row == stands && d.First <= holds && holds <= d.Last
	})
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
