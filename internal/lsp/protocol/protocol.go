// Package protocol is the part of the Language Server Protocol 3.17 that the server
// speaks, as Go types that encoding/json reads and writes. The names are the
// protocol's, whose specification says what they mean:
// https://microsoft.github.io/language-server-protocol.
//
// Reading is lenient: fields that are not listed are passed over, and missing ones
// are zero. Why no module: those that exist either stop at older versions, bring
// dozens of other modules, or (lsprotocol-go 1.0.0) end in endless recursion when
// they write an enumeration.
package protocol

// DocumentURI names a document: a file, a cell of a notebook, or an unsaved text.
type DocumentURI string

// Position is a line and a place in it, both from 0, the place in the units that
// client and server agreed on.
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Range is a span of a document; its end is not part of it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a range of some document.
type Location struct {
	URI   DocumentURI `json:"uri"`
	Range Range       `json:"range"`
}

// TextDocumentIdentifier names an open document.
type TextDocumentIdentifier struct {
	URI DocumentURI `json:"uri"`
}

// VersionedTextDocumentIdentifier names a document at a version.
type VersionedTextDocumentIdentifier struct {
	URI     DocumentURI `json:"uri"`
	Version int32       `json:"version"`
}

// TextDocumentItem is a document with its text.
type TextDocumentItem struct {
	URI        DocumentURI `json:"uri"`
	LanguageID string      `json:"languageId"`
	Version    int32       `json:"version"`
	Text       string      `json:"text"`
}

// ContentChange replaces a range of a document, or all of it where there is none.
type ContentChange struct {
	Range *Range `json:"range"`
	Text  string `json:"text"`
}

// OnDocument are the parameters of what is about one document and a place in it.
type OnDocument struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Position     Position               `json:"position"`
	Range        Range                  `json:"range"`
}

// DidOpen are the parameters of textDocument/didOpen.
type DidOpen struct {
	TextDocument TextDocumentItem `json:"textDocument"`
}

// DidChange are the parameters of textDocument/didChange.
type DidChange struct {
	TextDocument   VersionedTextDocumentIdentifier `json:"textDocument"`
	ContentChanges []ContentChange                 `json:"contentChanges"`
}

// The kinds of cells.
const (
	CodeCell = 2 // 1 is text
)

// NotebookCell is one cell of a notebook; its text is a document.
type NotebookCell struct {
	Kind     int         `json:"kind"`
	Document DocumentURI `json:"document"`
}

// NotebookDocument is a notebook as it is opened.
type NotebookDocument struct {
	URI     DocumentURI    `json:"uri"`
	Version int32          `json:"version"`
	Cells   []NotebookCell `json:"cells"`
}

// DidOpenNotebook are the parameters of notebookDocument/didOpen.
type DidOpenNotebook struct {
	NotebookDocument  NotebookDocument   `json:"notebookDocument"`
	CellTextDocuments []TextDocumentItem `json:"cellTextDocuments"`
}

// DidCloseNotebook are the parameters of notebookDocument/didClose.
type DidCloseNotebook struct {
	NotebookDocument  TextDocumentIdentifier   `json:"notebookDocument"`
	CellTextDocuments []TextDocumentIdentifier `json:"cellTextDocuments"`
}

// DidChangeNotebook are the parameters of notebookDocument/didChange.
type DidChangeNotebook struct {
	NotebookDocument VersionedTextDocumentIdentifier `json:"notebookDocument"`
	Change           struct {
		Cells *CellChanges `json:"cells"`
	} `json:"change"`
}

// CellChanges say what became of the cells of a notebook.
type CellChanges struct {
	Structure *struct {
		Array    CellArrayChange          `json:"array"`
		DidOpen  []TextDocumentItem       `json:"didOpen"`
		DidClose []TextDocumentIdentifier `json:"didClose"`
	} `json:"structure"`
	Data        []NotebookCell `json:"data"`
	TextContent []struct {
		Document VersionedTextDocumentIdentifier `json:"document"`
		Changes  []ContentChange                 `json:"changes"`
	} `json:"textContent"`
}

// CellArrayChange replaces some cells of a notebook.
type CellArrayChange struct {
	Start       uint32         `json:"start"`
	DeleteCount uint32         `json:"deleteCount"`
	Cells       []NotebookCell `json:"cells"`
}

// WorkspaceFolder is a folder that the client works in.
type WorkspaceFolder struct {
	URI  DocumentURI `json:"uri"`
	Name string      `json:"name"`
}

// DidChangeWorkspaceFolders are the parameters of that notification.
type DidChangeWorkspaceFolders struct {
	Event struct {
		Added   []WorkspaceFolder `json:"added"`
		Removed []WorkspaceFolder `json:"removed"`
	} `json:"event"`
}

// DidChangeWatchedFiles are the parameters of that notification.
type DidChangeWatchedFiles struct {
	Changes []TextDocumentIdentifier `json:"changes"`
}
