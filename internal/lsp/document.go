package lsp

import (
	"github.com/rlvet/rlvet/internal/lsp/protocol"

	"github.com/rlvet/rlvet/internal/source"
)

// document is a text that the client has open: a file, or a cell of a notebook.
type document struct {
	uri     protocol.DocumentURI
	version int32
	// language is what the client calls it: "python".
	language string
	text     []byte
	book     *notebook // that the cell belongs to, or nil

	file *source.File // of text, made when first asked for; nil for cells
	err  error
}

// change replaces a part of the text, or all of it.
func (d *document) change(e encoding, change protocol.ContentChange) {
	d.file, d.err = nil, nil
	if change.Range == nil {
		d.text = []byte(change.Text)
	} else {
		d.text = spliced(e, d.text, *change.Range, change.Text)
	}
}

// spliced returns a text with a range of it replaced. A range that lies outside is
// moved to the nearest end, one that is turned round is turned back.
func spliced(e encoding, text []byte, r protocol.Range, with string) []byte {
	lines := linesOf(text)
	start, end := e.offset(lines, text, r.Start), e.offset(lines, text, r.End)
	start, end = min(start, end), max(start, end)
	out := make([]byte, 0, len(text)+len(with)-(end-start))
	out = append(out, text[:start]...)
	out = append(out, with...)
	return append(out, text[end:]...)
}

// read returns the document as a file of that path.
func (d *document) read(path string) (*source.File, error) {
	if d.file == nil && d.err == nil {
		d.file, d.err = source.FromText(path, d.text)
	}
	return d.file, d.err
}
