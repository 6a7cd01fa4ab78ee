package lsp

import (
	"encoding/json"

	"github.com/rlvet/rlvet/internal/lsp/protocol"

	"github.com/rlvet/rlvet/internal/source"
)

// notebook is a notebook that the client has open. Its cells are documents.
type notebook struct {
	uri     protocol.DocumentURI
	version int32
	cells   []protocol.NotebookCell

	file *source.File // of all cells, made when first asked for
	err  error
}

// touch notes that the notebook or one of its cells changed.
func (n *notebook) touch() { n.file, n.err = nil, nil }

// splice replaces some of the cells. Numbers out of range are moved into it.
func (n *notebook) splice(c protocol.CellArrayChange) {
	start := min(int(c.Start), len(n.cells))
	end := min(start+int(c.DeleteCount), len(n.cells))
	cells := append([]protocol.NotebookCell(nil), n.cells[:start]...)
	cells = append(cells, c.Cells...)
	n.cells = append(cells, n.cells[end:]...)
}

// update replaces what the client says of cells that stay.
func (n *notebook) update(data []protocol.NotebookCell) {
	for _, cell := range data {
		for i := range n.cells {
			if n.cells[i].Document == cell.Document {
				n.cells[i] = cell
			}
		}
	}
}

// read returns the notebook as the file that it would be when saved, outputs left
// out: so that cells, magics and numbers mean what they mean on the command line.
func (n *notebook) read(path string, texts map[protocol.DocumentURI]*document) (*source.File, error) {
	if n.file != nil || n.err != nil {
		return n.file, n.err
	}
	var raw []byte
	if raw, n.err = n.encode(texts); n.err == nil {
		n.file, n.err = source.FromBytes(path, raw)
	}
	return n.file, n.err
}

// encode writes the notebook in nbformat 4.
func (n *notebook) encode(texts map[protocol.DocumentURI]*document) ([]byte, error) {
	type cell struct {
		Type     string `json:"cell_type"`
		Source   string `json:"source"`
		Metadata any    `json:"metadata,omitempty"`
	}
	book := struct {
		Format int    `json:"nbformat"`
		Minor  int    `json:"nbformat_minor"`
		Cells  []cell `json:"cells"`
	}{Format: 4, Minor: 5, Cells: []cell{}}
	for _, c := range n.cells {
		out := cell{Type: "markdown"}
		if d := texts[c.Document]; d != nil && c.Kind == protocol.CodeCell {
			out = cell{"code", string(d.text), nil}
			if d.language != "python" {
				out.Metadata = map[string]any{"vscode": map[string]string{"languageId": d.language}}
			}
		}
		book.Cells = append(book.Cells, out)
	}
	return json.Marshal(book)
}
