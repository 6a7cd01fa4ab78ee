package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/rlvet/rlvet/internal/lsp/protocol"
	"github.com/rlvet/rlvet/internal/source"
)

// nobody is an output that nobody reads.
type nobody struct{ io.Writer }

func (nobody) Close() error { return nil }

// FuzzFraming reads any bytes as messages: reading ends, nothing is invented, and a
// message that is written after them, on a new line, is read as it was.
func FuzzFraming(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("Content-Type: x\r\nContent-Length: 5\r\n\r\n{\"a\":1}Content-Length: 1"))
	f.Add([]byte("Content-Length: -1\r\n\r\nContent-Length: 99999999999999999999\n\n\r\n\r\n"))
	f.Add([]byte(strings.Repeat("Content-Length: 0\r\n\r\n", 3)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		received := 0
		fr := newFraming(bytes.NewReader(raw), nobody{io.Discard}, func() {})
		for range len(raw) + 2 {
			message, err := fr.Recv()
			if err != nil {
				break
			}
			received += len(message)
		}
		if _, err := fr.Recv(); err == nil {
			t.Errorf("%q does not end", raw)
		}
		var sent bytes.Buffer
		out := newFraming(nil, nobody{&sent}, nil)
		if err := out.Send(raw); err != nil {
			t.Fatal(err)
		}
		again := newFraming(&sent, nobody{io.Discard}, func() {})
		if got, err := again.Recv(); err != nil || !bytes.Equal(got, raw) && !bytes.Contains(raw, cancelledThere) {
			t.Errorf("%q came back as %q (%v)", raw, got, err)
		}
	})
}

// FuzzEdit replaces a range of a text and compares with a plain reading of the
// protocol: lines end with \n, \r\n or \r, and columns are units of UTF-16 or bytes.
func FuzzEdit(f *testing.F) {
	f.Add("import torch\nx = 1\n", "é😀", uint32(0), uint32(3), uint32(1), uint32(2), false)
	f.Add("a😀b\r\nü\rz", "\r\n", uint32(0), uint32(2), uint32(2), uint32(9), false)
	f.Add("a😀b\r\nü\rz", "", uint32(0), uint32(2), uint32(1), uint32(1), true)
	f.Add("", "x", uint32(7), uint32(7), uint32(0), uint32(0), true)
	f.Fuzz(func(t *testing.T, text, with string, line1, char1, line2, char2 uint32, utf8 bool) {
		text, with = strings.ToValidUTF8(text, "?"), strings.ToValidUTF8(with, "?")
		e := encoding{utf8}
		r := protocol.Range{Start: protocol.Position{Line: line1, Character: char1}, End: protocol.Position{Line: line2, Character: char2}}
		got := spliced(e, []byte(text), r, with)
		start, end := plainOffset(text, r.Start, utf8), plainOffset(text, r.End, utf8)
		start, end = min(start, end), max(start, end)
		if want := text[:start] + with + text[end:]; string(got) != want {
			t.Errorf("%q with %v replaced by %q is %q, not %q", text, r, with, got, want)
		}
		lines := linesOf(got)
		for at := range string(got) {
			if at > 0 && got[at] == '\n' && got[at-1] == '\r' {
				continue // within a line end
			}
			if back := e.offset(lines, got, e.position(lines, at)); back != at {
				t.Errorf("byte %d of %q becomes %v and then %d", at, got, e.position(lines, at), back)
			}
		}
	})
}

// plainOffset reads a position character by character.
func plainOffset(text string, p protocol.Position, utf8 bool) int {
	line, column := uint32(0), uint32(0)
	for at, c := range text {
		if line == p.Line && column >= p.Character {
			return at
		}
		size := uint32(len(utf16.Encode([]rune{c})))
		if utf8 {
			size = uint32(len(string(c)))
		}
		switch {
		case c == '\n', c == '\r' && !strings.HasPrefix(text[at+1:], "\n"), c == '\r':
			if line == p.Line {
				return at
			}
			if c == '\n' || !strings.HasPrefix(text[at+1:], "\n") {
				line, column = line+1, 0
			}
			continue
		case line == p.Line && column+size > p.Character:
			return at
		}
		column += size
	}
	return len(text)
}

// FuzzNotebook opens and edits a notebook whose cells are pieces of any text: it is
// read, or the reason said, and each cell comes back as it was sent.
func FuzzNotebook(f *testing.F) {
	f.Add("import torch\n%time x\x00!ls\x00%%bash\nls\x00y = x", uint8(1), uint8(1))
	f.Add("\x00\x00a\r\nb\rc", uint8(0), uint8(9))
	f.Fuzz(func(t *testing.T, all string, start, count uint8) {
		texts := map[protocol.DocumentURI]*document{}
		n := &notebook{}
		for i, text := range strings.Split(strings.ToValidUTF8(all, "?"), "\x00") {
			uri := protocol.DocumentURI(fmt.Sprintf("cell:%d", i))
			texts[uri] = &document{uri: uri, language: "python", text: []byte(text), book: n}
			n.cells = append(n.cells, protocol.NotebookCell{Kind: protocol.CodeCell, Document: uri})
		}
		n.splice(protocol.CellArrayChange{Start: uint32(start), DeleteCount: uint32(count)})
		file, err := n.read("/x/train.ipynb", texts)
		if err != nil {
			return
		}
		back := documentTexts(file)
		for i, c := range n.cells {
			want := string(texts[c.Document].text)
			if got, ok := back[i+1]; !ok || strings.ReplaceAll(got, "\r", "\n") != strings.ReplaceAll(want, "\r", "\n") {
				t.Errorf("cell %d was %q and is %q", i+1, want, got)
			}
		}
	})
}

// FuzzMessages plays any objects as the parameters of the methods: each is taken, or
// refused in a line, and nothing panics.
func FuzzMessages(f *testing.F) {
	f.Add(`{"textDocument": {"uri": "file:///x.py", "version": 1, "text": "x"}}`)
	f.Add(`{"contentChanges": [{"range": {"start": {"line": 1}}, "text": "y"}], "textDocument": {"uri": "file:///x.py"}}`)
	f.Add(`{"change": {"cells": {"structure": {"array": {"start": 9}}}}, "notebookDocument": {"uri": "file:///x.ipynb"}}`)
	f.Add(`{"settings": {"select": [1], "x": null}}`)
	f.Fuzz(func(t *testing.T, params string) {
		if !json.Valid([]byte(params)) {
			return
		}
		s := &server{}
		s.state.init()
		s.checks.init()
		for _, change := range changes(s, []byte(params)) {
			_ = change()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for path, b := range s.buffers() {
			if b.file == nil == (b.err == nil) {
				t.Errorf("%s has the file %v and the error %v", path, b.file, b.err)
			}
			if b.file != nil && source.IsNotebook(path) != (b.cells != nil) {
				t.Errorf("%s: a notebook has cells", path)
			}
		}
	})
}

// changes are the notifications with these parameters.
func changes(s *server, params []byte) []func() error {
	return []func() error{
		call(s.didOpen, params), call(s.didChange, params), call(s.didSave, params), call(s.didOpenNotebook, params),
		call(s.didChangeNotebook, params), call(s.didChangeWatchedFiles, params), call(s.didChangeFolders, params),
		call(s.didClose, params), call(s.didOpen, params), call(s.didOpenNotebook, params), call(s.didCloseNotebook, params),
		func() error { _, err := readSettings(unwrapped(params)); return err },
	}
}

func call[P any](method func(context.Context, P) error, params []byte) func() error {
	return func() error {
		var p P
		if err := json.Unmarshal(params, &p); err != nil {
			return err
		}
		return method(context.Background(), p)
	}
}
