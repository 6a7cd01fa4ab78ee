package lsp

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/rlvet/rlvet/internal/lsp/protocol"

	"github.com/rlvet/rlvet/internal/source"
)

// # From a changed file to edits of documents
//
// Fixes are applied to the file, by the same code as on the command line, which
// knows about line ends, cells and IPython commands; the client then gets the
// difference of the two texts of each document. So an edit that the client is sent
// is always one of its own text.

// changes returns the edit that turns the client's documents into those of a file.
func (a *actions) changes(after *source.File) *protocol.WorkspaceEdit {
	byDocument := map[protocol.DocumentURI][]protocol.TextEdit{}
	old, new := documentTexts(a.result.file), documentTexts(after)
	for cell := range old {
		if edits := a.difference(old[cell], new[cell]); len(edits) > 0 {
			byDocument[a.view.uri(a.result.path, cell)] = edits
		}
	}
	if !a.client.versions {
		return &protocol.WorkspaceEdit{Changes: byDocument}
	}
	return a.versioned(byDocument)
}

// documentTexts returns the texts of a file's documents as the client has them, by
// the number of the cell, 0 for a file without cells.
func documentTexts(f *source.File) map[int]string {
	if f.Cells == nil {
		raw, err := f.Bytes()
		if err != nil {
			return nil // a text that the client sent has no encoding that could fail
		}
		return map[int]string{0: string(raw)}
	}
	out := map[int]string{}
	for _, c := range f.Cells {
		text := f.Original(c.Start, c.End)
		if c.Unterminated {
			text = strings.TrimSuffix(text, "\n")
		}
		out[c.Number] = text
	}
	return out
}

// difference returns the edits that turn one text into another.
func (a *actions) difference(old, new string) []protocol.TextEdit {
	if old == new {
		return nil
	}
	lines := linesOf([]byte(old))
	var out []protocol.TextEdit
	for _, e := range udiff.Strings(old, new) {
		out = append(out, protocol.TextEdit{NewText: e.New, Range: protocol.Range{
			Start: a.client.encoding.position(lines, e.Start), End: a.client.encoding.position(lines, e.End),
		}})
	}
	return out
}

// versioned returns the edits with the versions of the texts that they are for, so
// that a client drops them when the user was faster.
func (a *actions) versioned(byDocument map[protocol.DocumentURI][]protocol.TextEdit) *protocol.WorkspaceEdit {
	out := &protocol.WorkspaceEdit{}
	for uri, edits := range byDocument {
		d := protocol.TextDocumentEdit{Edits: edits}
		d.TextDocument.URI = uri
		if version, known := a.result.buffer.versions[uri]; known {
			d.TextDocument.Version = &version
		}
		out.DocumentChanges = append(out.DocumentChanges, d)
	}
	return out
}
