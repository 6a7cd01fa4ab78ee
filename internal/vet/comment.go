package vet

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/suppress"
)

// # Suppressions as fixes
//
// A comment goes the way of a fix: what is offered for a finding is then the comment
// that hides it, in place of what fixes it. So comments are written as fixes are: to
// files that parse as well as before, each as a whole, with a check behind them.

// offerComments puts comments that hide findings in place of their fixes. What a comment
// did not hide is said, and its file left as it was.
func (f *fixer) offerComments(r *Result) {
	if f.Comment == "" {
		return
	}
	for i := range r.Findings {
		x := &r.Findings[i]
		x.Fix = nil
		switch file := r.Files[x.Range.File]; {
		case file == nil || f.settings[x.Range.File] == nil || strings.HasPrefix(x.Code, "RLV"):
		case commented(file, x):
			f.refused[x.Fingerprint] = true
			delete(f.changes, x.Range.File)
			f.say("%s:%d: a comment does not hide %s; the file was left as it was; please report it", x.Range.File, x.Range.Start.Row, x.Code)
		default:
			x.Fix = comment(file, x, strings.TrimSpace(f.Comment))
		}
	}
}

// comment is the fix that hides a finding, nil where its line can have no comment.
func comment(file *source.File, x *finding.Finding, reason string) *finding.Fix {
	e, ok := suppress.Write(file, commentRow(file, x), x.Code, reason)
	if !ok {
		return nil
	}
	at := finding.Range{File: file.Path, StartByte: e.Start, EndByte: e.End}
	at.Cell, at.Start, at.End = file.Span(e.Start, e.End)
	return &finding.Fix{Applicability: finding.Safe, Message: "Suppress it", Edits: []finding.Edit{{Range: at, Content: e.New}}}
}

// commentRow is the row of the text on which a comment takes effect.
func commentRow(file *source.File, x *finding.Finding) int {
	if c := file.CellAt(x.Range.StartByte); c != nil {
		return x.NoqaRow + file.Lines().Row(c.Start) - 1
	}
	return x.NoqaRow
}

// commented reports whether the comment that ought to hide a finding is there already.
func commented(file *source.File, x *finding.Finding) bool {
	row := commentRow(file, x)
	return slices.ContainsFunc(suppress.Parse(file), func(d suppress.Directive) bool {
		return d.Kind == suppress.Line && (d.Row == row || d.First <= row && row <= d.Last) && slices.ContainsFunc(d.Rules, func(n suppress.Name) bool { return n.Text == x.Code })
	})
}
