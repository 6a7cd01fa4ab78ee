package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/lsp/protocol"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

// view turns places of files into those of the client.
type view struct {
	client   client
	results  map[string]*result
	verdicts map[string]map[string]string // of scripts that ran, by path and fingerprint
}

// view returns how the client sees the results that are known now.
func (s *server) view() view {
	verdicts := map[string]map[string]string{}
	for path, list := range s.verdicts {
		verdicts[path] = maps.Clone(list)
	}
	return view{s.client, s.results, verdicts}
}

// uri returns the document that holds a place of a file: the client's own name for
// an open file, a cell for a place in an open notebook.
func (v view) uri(path string, cell int) protocol.DocumentURI {
	r := v.results[path]
	if r == nil || r.buffer == nil {
		return uriOf(path)
	}
	if r.buffer.cells != nil && cell > 0 {
		return r.buffer.cell(cell)
	}
	return r.buffer.uri
}

// span returns a range in the client's coordinates; files that nobody read have
// only lines and columns.
func (v view) span(f *source.File, r finding.Range) protocol.Range {
	if f == nil {
		return protocol.Range{
			Start: protocol.Position{Line: uint32(max(r.Start.Row-1, 0)), Character: uint32(max(r.Start.Column-1, 0))},
			End:   protocol.Position{Line: uint32(max(r.End.Row-1, 0)), Character: uint32(max(r.End.Column-1, 0))},
		}
	}
	return v.client.encoding.span(f, r.StartByte, r.EndByte)
}

// location returns a place anywhere in the program.
func (v view) location(r finding.Range) protocol.Location {
	var f *source.File
	if known := v.results[r.File]; known != nil {
		f = known.file
	}
	return protocol.Location{URI: v.uri(r.File, r.Cell), Range: v.span(f, r)}
}

// data travels with a diagnostic to the client and back.
type data struct {
	Fingerprint string `json:"fingerprint,omitempty"`
	Findings    int    `json:"findings,omitempty"` // that one diagnostic stands for
}

// severityOf says how loudly an editor shows a finding: one that rests on names
// alone is a hint, whatever its rule.
func severityOf(f *finding.Finding) protocol.DiagnosticSeverity {
	switch {
	case f.Evidence == finding.NameOnly:
		return protocol.SeverityHint
	case f.Severity == finding.Error:
		return protocol.SeverityError
	case f.Severity == finding.Warning:
		return protocol.SeverityWarning
	}
	return protocol.SeverityInformation
}

// unnecessary are the rules that flag text which should go.
var unnecessary = map[string]bool{"RLV001": true}

func (v view) diagnostic(r *result, f *finding.Finding) protocol.Diagnostic {
	d := protocol.Diagnostic{
		Range: v.span(r.file, f.Range), Severity: severityOf(f), Source: "rlvet", Message: f.Line(),
		Code: f.Code, Data: data{Fingerprint: f.Fingerprint},
	}
	if verdict := v.verdicts[r.path][f.Fingerprint]; verdict != "" {
		d.Message += "\n" + verdict
	}
	if f.URL != "" {
		d.CodeDescription = &protocol.CodeDescription{Href: f.URL}
	}
	if unnecessary[f.Code] && v.client.tags {
		d.Tags = []int{protocol.TagUnnecessary}
	}
	for _, rel := range f.Related {
		if v.client.related {
			d.RelatedInformation = append(d.RelatedInformation, protocol.RelatedInformation{Location: v.location(rel.Range), Message: rel.Message})
		}
	}
	return d
}

// problem shows what could not be checked, on its line.
func (v view) problem(r *result, p finding.Problem) protocol.Diagnostic {
	line := uint32(max(p.Line-1, 0))
	d := protocol.Diagnostic{Severity: protocol.SeverityWarning, Source: "rlvet", Message: p.Message}
	d.Range.Start.Line, d.Range.End.Line = line, line
	if r.file != nil {
		if offset, ok := r.file.Offset(p.Cell, source.Position{Row: p.Line, Column: 1}); ok && p.Line > 0 {
			lines := r.file.Lines()
			d.Range = v.client.encoding.span(r.file, offset, lines.End(lines.Row(offset)))
		}
	}
	return d
}

// diagnostics returns what is to be shown of a file, by document: for a notebook by
// cell, empty ones too.
func (v view) diagnostics(r *result) map[protocol.DocumentURI][]protocol.Diagnostic {
	out := map[protocol.DocumentURI][]protocol.Diagnostic{}
	if r.buffer == nil {
		out[uriOf(r.path)] = []protocol.Diagnostic{}
	} else {
		for uri := range r.buffer.versions {
			out[uri] = []protocol.Diagnostic{}
		}
	}
	for i := range r.findings {
		uri := v.uri(r.findings[i].Range.File, r.findings[i].Range.Cell)
		out[uri] = append(out[uri], v.diagnostic(r, &r.findings[i]))
	}
	for _, p := range r.problems {
		uri := v.uri(p.File, max(p.Cell, 1))
		out[uri] = append(out[uri], v.problem(r, p))
	}
	return out
}

// publication is what a document was last shown with.
type publication struct {
	version int32
	content string
}

// news is a document whose diagnostics or text changed.
type news struct {
	protocol.PublishDiagnostics
	edited bool // the client knows, since it changed the text or opened it
}

// show pushes what is new to a client that does not pull, and tells one that pulls
// to do so again where it cannot know that there is something new.
func (s *server) show(t *turn) {
	fresh := s.unseen(t)
	elsewhere := func(n news) bool { return !n.edited }
	if s.client.refreshLenses && slices.ContainsFunc(fresh, elsewhere) {
		go s.ask("workspace/codeLens/refresh", nil)
	}
	if s.client.pulls {
		known := func(n news) bool { return n.edited }
		if fresh = slices.DeleteFunc(fresh, known); len(fresh) > 0 && s.client.refreshes {
			go s.ask("workspace/diagnostic/refresh", nil)
		}
		return
	}
	for _, n := range fresh {
		s.notify(t.ctx, "textDocument/publishDiagnostics", n.PublishDiagnostics)
	}
}

// unseen returns what open documents have to be shown with, as far as it differs
// from what they are shown with, and clears those that were closed.
func (s *server) unseen(t *turn) []news {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.view()
	var out []news
	open := map[protocol.DocumentURI]bool{}
	for path, b := range t.buffers {
		r := s.results[path]
		if r == nil || r.buffer == nil {
			r = &result{path: path, buffer: b}
		}
		for uri, list := range v.diagnostics(r) {
			open[uri] = true
			out = append(out, s.publish(uri, list)...)
		}
	}
	for uri := range s.published {
		if !open[uri] {
			delete(s.published, uri)
			out = append(out, news{protocol.PublishDiagnostics{URI: uri, Diagnostics: []protocol.Diagnostic{}}, true})
		}
	}
	return out
}

// publish notes what a document is shown with, and returns it where it is new.
func (s *server) publish(uri protocol.DocumentURI, list []protocol.Diagnostic) []news {
	next := publication{content: identity(list)}
	var version *int32
	if d := s.texts[uri]; d != nil {
		version = &d.version
		next.version = d.version
	}
	old, known := s.published[uri]
	if known && old == next {
		return nil
	}
	s.published[uri] = next
	edited := !known || old.version != next.version
	return []news{{protocol.PublishDiagnostics{URI: uri, Version: version, Diagnostics: list}, edited}}
}

// identity names the content of a report, so that it need not be sent again.
func identity(list []protocol.Diagnostic) string {
	content, _ := json.Marshal(list)
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// pullDocument is textDocument/diagnostic.
func (s *server) pullDocument(ctx context.Context, p protocol.PullDiagnostics) (any, error) {
	list, err := s.current(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	id := identity(list)
	if id == p.PreviousResultID {
		return protocol.UnchangedReport{Kind: "unchanged", ResultID: id}, nil
	}
	return protocol.FullReport{Kind: "full", ResultID: id, Items: list}, nil
}

// current returns the diagnostics of a document for its newest text.
func (s *server) current(ctx context.Context, uri protocol.DocumentURI) ([]protocol.Diagnostic, error) {
	r, v, err := s.resultOf(ctx, uri)
	if err != nil || r == nil {
		return []protocol.Diagnostic{}, err
	}
	list := v.diagnostics(r)[uri]
	if list == nil {
		list = []protocol.Diagnostic{}
	}
	return list, nil
}

// resultOf returns what is known of the file that a document is, or is a cell of;
// nil where it is not checked.
func (s *server) resultOf(ctx context.Context, uri protocol.DocumentURI) (*result, view, error) {
	s.mu.Lock()
	file := uri
	if d := s.texts[uri]; d != nil && d.book != nil {
		file = d.book.uri
	}
	path := s.place(file)
	s.mu.Unlock()
	r, err := s.await(ctx, path)
	s.mu.Lock()
	defer s.mu.Unlock()
	return r, s.view(), err
}

// closedNotebook returns what a notebook shows that is not open, whose cells have no names yet: how
// much was found in it, as loudly as the loudest, or what keeps it from being checked. One that is
// open shows nothing of its own, since its cells do.
func (v view) closedNotebook(r *result) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	if r.buffer != nil {
		return list
	}
	if found := len(r.findings); found > 0 {
		d := protocol.Diagnostic{Severity: protocol.SeverityHint, Source: "rlvet", Data: data{Findings: found}}
		for i := range r.findings {
			d.Severity = min(d.Severity, severityOf(&r.findings[i]))
		}
		d.Message = fmt.Sprintf("%s in this notebook; open it to see %s", words.Count(found, "finding"), words.Choose(found, "it", "them"))
		list = append(list, d)
	}
	for _, p := range r.problems {
		list = append(list, protocol.Diagnostic{Severity: protocol.SeverityWarning, Source: "rlvet", Message: p.Message})
	}
	return list
}

// pullWorkspace is workspace/diagnostic: all files of the client's folders.
func (s *server) pullWorkspace(ctx context.Context, p protocol.PullWorkspace) (any, error) {
	results, err := s.awaitWhole(ctx)
	if err != nil {
		return nil, err
	}
	known := map[protocol.DocumentURI]string{}
	for _, old := range p.PreviousResultIDs {
		known[old.URI] = old.Value
	}
	s.mu.Lock()
	v := s.view()
	s.mu.Unlock()
	items := []any{}
	for _, r := range results {
		if source.IsNotebook(r.path) {
			uri := uriOf(r.path)
			items = append(items, s.workspaceReport(r, uri, v.closedNotebook(r), known[uri]))
			if r.buffer == nil {
				continue
			}
		}
		for uri, list := range v.diagnostics(r) {
			items = append(items, s.workspaceReport(r, uri, list, known[uri]))
		}
	}
	return map[string]any{"items": items}, nil
}

func (s *server) workspaceReport(r *result, uri protocol.DocumentURI, list []protocol.Diagnostic, previous string) any {
	var version any // null where the document is not open
	if r.buffer != nil {
		if known, ok := r.buffer.versions[uri]; ok {
			version = known
		}
	}
	id := identity(list)
	if id == previous {
		return object{"uri": uri, "version": version, "kind": "unchanged", "resultId": id}
	}
	return object{"uri": uri, "version": version, "kind": "full", "resultId": id, "items": list}
}
