package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/lsp/protocol"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/suppress"
	"github.com/rlvet/rlvet/internal/vet"
)

// codeActions is textDocument/codeAction: for each finding that touches the range
// its fix, its explanation, its suppression and its test; and all safe fixes.
func (s *server) codeActions(ctx context.Context, p protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	r, v, err := s.resultOf(ctx, p.TextDocument.URI)
	out := []protocol.CodeAction{}
	if err != nil || r == nil || r.file == nil {
		return out, err
	}
	a := actions{view: v, result: r, uri: p.TextDocument.URI, confirms: s.Confirm != nil}
	if wants(p.Context.Only, protocol.QuickFix) {
		for i := range r.findings {
			if f := &r.findings[i]; v.uri(f.Range.File, f.Range.Cell) == a.uri && touches(v.span(r.file, f.Range), p.Range) {
				out = append(out, a.of(f)...)
			}
		}
	}
	if wants(p.Context.Only, kindFixAll) {
		out = append(out, a.fixAll(ctx)...)
	}
	return out, nil
}

// wants reports whether a client that asks for some kinds only asks for this one.
func wants(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	asked := func(k protocol.CodeActionKind) bool {
		return kind == k || strings.HasPrefix(string(kind), string(k)+".") || k == ""
	}
	return len(only) == 0 || slices.ContainsFunc(only, asked)
}

// touches reports whether two ranges have a place in common, ends included: the
// cursor is a range without length. A cursor on a line of a range that spans
// several counts.
func touches(a, b protocol.Range) bool { return !precedes(a.End, b.Start) && !precedes(b.End, a.Start) }

func precedes(a, b protocol.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

// actions makes the code actions of one document.
type actions struct {
	view
	result   *result
	uri      protocol.DocumentURI
	confirms bool
}

// of returns the actions for one finding, the one to prefer first.
func (a *actions) of(f *finding.Finding) []protocol.CodeAction {
	diagnostics := []protocol.Diagnostic{a.diagnostic(a.result, f)}
	var out []protocol.CodeAction
	add := func(action protocol.CodeAction) {
		action.Kind, action.Diagnostics = protocol.QuickFix, diagnostics
		out = append(out, action)
	}
	if action, ok := a.fix(f); ok {
		add(action)
	}
	add(command(fmt.Sprintf("rlvet: Explain %s (%s)", f.Code, f.Name), commandExplain, f.Code))
	if action, ok := a.suppress(f); ok {
		add(action)
	}
	if a.confirms && a.confirmable(f) {
		add(command(fmt.Sprintf("rlvet: Confirm %s by running the script", f.Code), commandConfirm, string(a.uri), f.Fingerprint))
	}
	return out
}

// command returns an action that makes the server do something.
func command(title, name string, arguments ...string) protocol.CodeAction {
	return protocol.CodeAction{Title: title, Command: &protocol.Command{Title: title, Command: name, Arguments: arguments}}
}

// confirmable reports whether a finding can be watched while its file runs.
func (a *actions) confirmable(f *finding.Finding) bool {
	script := strings.HasSuffix(a.result.path, ".py") && a.result.buffer != nil && a.result.buffer.cells == nil && pathOf(a.uri) != ""
	return script && !strings.HasPrefix(f.Code, "RLV") && f.Source == "" // which rests on a table, so no run can tell
}

// fix returns the action that fixes a finding: preferred where it is safe, and
// called unsafe where it is not.
func (a *actions) fix(f *finding.Finding) (protocol.CodeAction, bool) {
	if f.Fix == nil || f.Fix.Applicability == finding.DisplayOnly || !a.result.settings.Fixable[f.Code] {
		return protocol.CodeAction{}, false
	}
	title := fmt.Sprintf("rlvet: %s (%s)", f.Fix.Message, f.Code)
	if f.Fix.Applicability == finding.Unsafe {
		title = fmt.Sprintf("rlvet: %s (%s, unsafe: %s)", f.Fix.Message, f.Code, f.Fix.Caution())
	}
	after, ok := a.applied(f)
	if !ok {
		return protocol.CodeAction{}, false // it would break the file, or an IPython command
	}
	return protocol.CodeAction{Title: title, IsPreferred: f.Fix.Applicability == finding.Safe, Edit: a.changes(after)}, true
}

// applied returns the file with the fix of a finding, unless it changes other files too.
func (a *actions) applied(f *finding.Finding) (*source.File, bool) {
	if slices.ContainsFunc(f.Fix.Edits, func(e finding.Edit) bool { return e.Range.File != a.result.path }) {
		return nil, false
	}
	after, applied, _ := vet.Apply(a.result.file, [][]edit.Edit{finding.Plain(f.Fix.Edits)})
	return after, len(applied) > 0
}

// suppress returns the action that writes a comment which hides a finding.
func (a *actions) suppress(f *finding.Finding) (protocol.CodeAction, bool) {
	row := f.NoqaRow
	if c := a.result.file.CellAt(f.Range.StartByte); c != nil {
		row += a.result.file.Lines().Row(c.Start) - 1
	}
	e, ok := suppress.Write(a.result.file, row, f.Code, suppressReason)
	if strings.HasPrefix(f.Code, "RLV") || !ok {
		return protocol.CodeAction{}, false
	}
	after, err := edit.ApplyFile(a.result.file, []edit.Edit{e})
	if err != nil {
		return protocol.CodeAction{}, false
	}
	title := fmt.Sprintf("rlvet: Suppress %s on this line (say why)", f.Code)
	return protocol.CodeAction{Title: title, Edit: a.changes(after)}, true
}

// suppressReason is what the user is to replace; a suppression without a reason is
// a finding itself.
const suppressReason = "TODO: say why"
