package lsp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/lsp/protocol"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/source"
)

// state is what the client said. It is guarded by server.mu.
type state struct {
	roots    []string // absolute paths of the client's folders
	texts    map[protocol.DocumentURI]*document
	books    map[protocol.DocumentURI]*notebook
	settings clientSettings
	// resolver finds settings of folders; nil after a settings file changed.
	resolver *config.Resolver
	programs map[string]*program // by root
	// looks counts the reasons to look for files again.
	looks int
	// running are the scripts that run, by the token of their progress.
	running map[string]context.CancelFunc
	// verdicts are those of scripts that ran, by path and fingerprint, until the file
	// changes.
	verdicts    map[string]map[string]string
	lastMessage string // the last message to the user
}

func (s *state) init() {
	s.texts, s.books = map[protocol.DocumentURI]*document{}, map[protocol.DocumentURI]*notebook{}
	s.running, s.verdicts = map[string]context.CancelFunc{}, map[string]map[string]string{}
	s.programs, s.looks = map[string]*program{}, 1
}

func (s *server) addRoot(path string) {
	if !slices.Contains(s.roots, path) {
		s.roots = append(s.roots, path)
	}
}

// edit runs a change of the state; what is checked at this moment is out of date.
func (s *server) edit(change func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := change()
	s.revise()
	return err
}

func (s *server) didOpen(_ context.Context, p protocol.DidOpen) error {
	return s.edit(func() error {
		s.open(p.TextDocument, nil)
		return nil
	})
}

func (s *server) open(t protocol.TextDocumentItem, book *notebook) {
	s.texts[t.URI] = &document{uri: t.URI, version: t.Version, language: t.LanguageID, text: []byte(t.Text), book: book}
}

func (s *server) didChange(_ context.Context, p protocol.DidChange) error {
	return s.edit(func() error {
		return s.changeText(p.TextDocument, p.ContentChanges)
	})
}

// changeText applies changes to an open text. One that was not opened is passed
// over: the client will open it before it asks anything.
func (s *server) changeText(id protocol.VersionedTextDocumentIdentifier, changes []protocol.ContentChange) error {
	d := s.texts[id.URI]
	if d == nil {
		return nil
	}
	d.version = id.Version
	delete(s.verdicts, s.place(id.URI))
	if d.book != nil {
		d.book.touch()
	}
	for _, c := range changes {
		d.change(s.client.encoding, c)
	}
	return nil
}

// didSave looks at the disk again, for a client that does not watch it.
func (s *server) didSave(_ context.Context, p protocol.OnDocument) error {
	return s.edit(func() error {
		s.look(pathOf(p.TextDocument.URI))
		return nil
	})
}

func (s *server) didClose(_ context.Context, p protocol.OnDocument) error {
	return s.edit(func() error {
		delete(s.texts, p.TextDocument.URI)
		return nil
	})
}

func (s *server) didOpenNotebook(_ context.Context, p protocol.DidOpenNotebook) error {
	return s.edit(func() error {
		n := &notebook{uri: p.NotebookDocument.URI, version: p.NotebookDocument.Version, cells: p.NotebookDocument.Cells}
		s.books[n.uri] = n
		for _, t := range p.CellTextDocuments {
			s.open(t, n)
		}
		return nil
	})
}

func (s *server) didChangeNotebook(_ context.Context, p protocol.DidChangeNotebook) error {
	return s.edit(func() error {
		n := s.books[p.NotebookDocument.URI]
		if n == nil || p.Change.Cells == nil {
			return nil
		}
		n.version = p.NotebookDocument.Version
		n.touch()
		n.update(p.Change.Cells.Data)
		if c := p.Change.Cells.Structure; c != nil {
			n.splice(c.Array)
			for _, t := range c.DidOpen {
				s.open(t, n)
			}
			for _, t := range c.DidClose {
				delete(s.texts, t.URI)
			}
		}
		for _, c := range p.Change.Cells.TextContent {
			if err := s.changeText(c.Document, c.Changes); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *server) didCloseNotebook(_ context.Context, p protocol.DidCloseNotebook) error {
	return s.edit(func() error {
		delete(s.books, p.NotebookDocument.URI)
		for _, t := range p.CellTextDocuments {
			delete(s.texts, t.URI)
		}
		return nil
	})
}

func (s *server) didChangeFolders(_ context.Context, p protocol.DidChangeWorkspaceFolders) error {
	return s.edit(func() error {
		for _, f := range p.Event.Removed {
			gone := pathOf(f.URI)
			s.roots = slices.DeleteFunc(s.roots, func(root string) bool { return root == gone })
			delete(s.programs, gone)
		}
		for _, f := range p.Event.Added {
			s.addRoot(pathOf(f.URI))
		}
		return nil
	})
}

func (s *server) didChangeWatchedFiles(_ context.Context, p protocol.DidChangeWatchedFiles) error {
	return s.edit(func() error {
		for _, c := range p.Changes {
			s.look(pathOf(c.URI))
		}
		return nil
	})
}

// look notes that a file of the disk may have changed: files are found again, and
// settings read again where they may be concerned. That texts changed the cache
// sees itself.
func (s *server) look(path string) {
	if !strings.EqualFold(filepath.Ext(path), ".py") {
		s.resolver = nil
	}
	s.looks++
}

func (s *server) didChangeConfiguration(_ context.Context, p struct{ Settings json.RawMessage }) error {
	if s.client.configuration {
		go s.pullConfiguration(context.Background())
		return nil
	}
	return s.edit(func() error {
		s.configure(p.Settings)
		return nil
	})
}

// pullConfiguration asks the client for its settings.
func (s *server) pullConfiguration(ctx context.Context) {
	if !s.client.configuration {
		return
	}
	var answer []json.RawMessage
	section := map[string]any{"items": []any{map[string]string{"section": "rlvet"}}}
	if !s.request(ctx, "workspace/configuration", section, &answer) || len(answer) == 0 {
		return
	}
	_ = s.edit(func() error {
		s.configure(answer[0])
		return nil
	})
}

// buffer is an open file or notebook.
type buffer struct {
	path string // absolute, with slashes
	uri  protocol.DocumentURI
	// versions are those of the texts that it was made of: its own, or its cells'.
	versions map[protocol.DocumentURI]int32
	file     *source.File
	err      error                  // why there is no file
	cells    []protocol.DocumentURI // of a notebook, nil for another file
}

// cell returns the URI of a cell by its number, counted from 1, or "".
func (b *buffer) cell(number int) protocol.DocumentURI {
	if number < 1 || number > len(b.cells) {
		return ""
	}
	return b.cells[number-1]
}

// buffers returns what the client has open and can be checked, by path.
func (s *server) buffers() map[string]*buffer {
	out := map[string]*buffer{}
	for _, d := range s.texts {
		path := s.place(d.uri)
		if d.book != nil || path == "" || source.IsNotebook(path) {
			continue
		}
		b := &buffer{path: path, uri: d.uri, versions: map[protocol.DocumentURI]int32{d.uri: d.version}}
		b.file, b.err = d.read(path)
		out[path] = b
	}
	for _, n := range s.books {
		path := s.place(n.uri)
		if path == "" {
			continue
		}
		b := &buffer{path: path, uri: n.uri, versions: map[protocol.DocumentURI]int32{}, cells: []protocol.DocumentURI{}}
		for _, c := range n.cells {
			b.cells = append(b.cells, c.Document)
			if d := s.texts[c.Document]; d != nil {
				b.versions[c.Document] = d.version
			}
		}
		b.file, b.err = n.read(path, s.texts)
		out[path] = b
	}
	return out
}

// place returns the path of a document. One that was never saved is treated as if
// it lay in the client's first folder.
func (s *server) place(uri protocol.DocumentURI) string {
	if path := pathOf(uri); path != "" {
		return path
	}
	name, unsaved := strings.CutPrefix(string(uri), "untitled:")
	if !unsaved || len(s.roots) == 0 {
		return ""
	}
	name = filepath.Base(filepath.FromSlash(name))
	if filepath.Ext(name) == "" {
		name += ".py"
	}
	return s.roots[0] + "/" + name
}
