package lsp

import (
	"bytes"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/rlvet/rlvet/internal/lsp/protocol"

	"github.com/rlvet/rlvet/internal/source"
)

// encoding is how a client counts within a line: UTF-16 units, or bytes of UTF-8.
type encoding struct{ utf8 bool }

// name returns the protocol's word.
func (e encoding) name() string {
	if e.utf8 {
		return "utf-8"
	}
	return "utf-16"
}

// offset returns the byte at a position. One beyond its line means the line's end,
// one beyond the text the text's, one within a character its start.
func (e encoding) offset(lines *source.Lines, text []byte, p protocol.Position) int {
	line, character := int(p.Line), int(p.Character)
	if !e.utf8 {
		return lines.OffsetUTF16(line, character)
	}
	start := lines.Start(line + 1)
	at := min(start+character, lines.End(line+1))
	for at > start && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return max(at, start)
}

// position returns the position of a byte.
func (e encoding) position(lines *source.Lines, offset int) protocol.Position {
	if e.utf8 {
		row, column := lines.ByteColumn(offset)
		return protocol.Position{Line: uint32(row - 1), Character: uint32(column)}
	}
	line, character := lines.UTF16(offset)
	return protocol.Position{Line: uint32(line), Character: uint32(character)}
}

// span returns the range of some bytes of a file, counted from the start of the
// cell that holds the first.
func (e encoding) span(f *source.File, start, end int) protocol.Range {
	r := protocol.Range{Start: e.position(f.Lines(), start), End: e.position(f.Lines(), end)}
	if c := f.CellAt(start); c != nil {
		above := uint32(f.Lines().Row(c.Start) - 1)
		r.Start.Line -= above
		r.End.Line -= above
	}
	return r
}

// linesOf indexes a text as the protocol splits it: a lone carriage return ends a
// line too.
func linesOf(text []byte) *source.Lines {
	if i := bytes.IndexByte(text, '\r'); i >= 0 {
		text = bytes.Clone(text)
		for i := range text {
			if text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
				text[i] = '\n'
			}
		}
	}
	return source.NewLines(text)
}

// pathOf returns the absolute path of a file: URI with slashes, "" for another.
func pathOf(uri protocol.DocumentURI) string {
	u, err := url.Parse(string(uri))
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return cleaned(path)
}

// cleaned is an absolute path with slashes, as all paths of a session are written.
func cleaned(path string) string {
	path = filepath.ToSlash(filepath.Clean(filepath.FromSlash(path)))
	if runtime.GOOS == "windows" {
		path = lowerDrive(path)
	}
	return path
}

// lowerDrive writes the letter of a drive small, on which editors do not agree, nor one with
// itself: C:/w/x.py lies in c:/w.
func lowerDrive(path string) string {
	if len(path) < 2 || path[1] != ':' {
		return path
	}
	return strings.ToLower(path[:1]) + path[1:]
}

// uriOf returns the URI of an absolute path.
func uriOf(path string) protocol.DocumentURI {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return protocol.DocumentURI((&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String())
}
