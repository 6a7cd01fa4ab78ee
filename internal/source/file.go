// Package source turns the bytes of a file into one program text that is ready
// to parse, and keeps every map back to where the text came from.
//
// Inputs are paths (Read) or bytes with the path they stand for (FromBytes):
// Python files in any encoding that PEP 263 can name and golang.org/x/text
// knows, UTF-8 with a byte order mark, UTF-16 with one, and Jupyter or Colab
// notebooks of nbformat 4. The output is a File: UTF-8 text for the parser, the
// cells of a notebook, and the few places where the text had to differ from the
// file (Masks, Returns). Positions of the text turn into rows and columns in code
// points, UTF-16 units or bytes (Lines); the text, edited or not, turns back
// into the bytes of the file (Bytes).
//
// What cannot be read gives an *Error of one line: PATH:LINE: what; how to fix.
// Limits: MaxSize for Python, MaxNotebookSize for notebooks with their outputs.
// Offsets are bytes of File.Text everywhere.
package source

import (
	"bytes"
	"path/filepath"
	"sort"
	"strings"
	"sync"
)

// MaxSize is the largest Python text, in bytes, that is read.
const MaxSize = 10 << 20

// MaxNotebookSize is the largest notebook, in bytes, that is read. Most of a
// large notebook is images among the outputs; its code is held to MaxSize.
const MaxNotebookSize = 64 << 20

// MaxConfigurationSize is the largest YAML, JSON or shell text, in bytes, that is read: what
// people write by hand is far smaller, and what is larger are data.
const MaxConfigurationSize = 256 << 10

// A File is one program text and where it came from. It is read only after it
// was made and may be used by several goroutines.
type File struct {
	// Path is the path as the user wrote it.
	Path string
	// Raw holds the bytes of the file, or of the editor's buffer.
	Raw []byte
	Program
	// Encoding is the normalised name Python gives the encoding of Raw.
	Encoding string
	// BOM says that Raw starts with a byte order mark.
	BOM bool
	// Newline is the line end that most lines have, and new ones get.
	Newline Newline

	codec    *codec // nil for UTF-8
	notebook *notebook

	linesOnce sync.Once
	lines     *Lines
}

// A Program is a text for the parser with what it takes to undo its making.
type Program struct {
	// Text is in UTF-8, without byte order mark. It shares memory with the file's
	// bytes where nothing had to change. Every line ends with \n or \r\n.
	Text []byte
	// Cells are the code cells of a notebook in order; nil for other files, and
	// not nil for a notebook without any. They cover Text without gaps.
	Cells []Cell
	// Masks are what IPython takes out before Python runs a cell, in order and disjoint.
	Masks []Mask
	// Returns are the offsets, ascending, of each \n that stands for a lone
	// carriage return.
	Returns []int32
}

// A Cell is one code cell of a notebook.
type Cell struct {
	// Number counts from 1 over all cells, Markdown and raw ones too, as ruff
	// and nbformat's list of cells do.
	Number int
	// Start and End delimit the cell in Text. A cell ends with a line end.
	Start, End int
	// Foreign cells hold no Python of this program (%%bash, %%html); all their
	// text is masked.
	Foreign bool
	// Unterminated says that the cell's source has no line end after its last
	// line and the one in Text is ours.
	Unterminated bool

	json cellSource
}

// A Mask is a span of one line that stands for an IPython command of the same
// length, or for the indentation of an indented cell. The parser sees blanks, form
// feeds or a statement without effect. An edit must not touch it.
type Mask struct {
	Start, End int
	Original   string
	// Leading masks must stay the first text of their cell: %%time, or the first indentation.
	Leading bool
}

// IsNotebook says whether a path names a notebook.
func IsNotebook(path string) bool {
	return strings.EqualFold(filepath.Ext(path), ".ipynb")
}

// FromBytes makes the File of a path whose content is already known: standard
// input, an editor's unsaved buffer, an embedded example. It keeps raw and does
// not change it. The error is an *Error.
func FromBytes(path string, raw []byte) (*File, error) {
	if err := checkSize(path, int64(len(raw))); err != nil {
		return nil, err
	}
	f := &File{Path: path, Raw: raw}
	if err := f.decode(); err != nil {
		return nil, err
	}
	if IsNotebook(path) {
		return f, f.readNotebook()
	}
	f.normaliseNewlines()
	return f, nil
}

// FromText makes the File of a text that somebody else has decoded, as an editor
// has: what encoding its first lines declare does not matter. It keeps the text and
// does not change it; that of a notebook is its JSON. The error is an *Error.
func FromText(path string, text []byte) (*File, error) {
	if IsNotebook(path) {
		return FromBytes(path, text)
	}
	if err := checkSize(path, int64(len(text))); err != nil {
		return nil, err
	}
	f := &File{Path: path, Raw: text, Encoding: "utf-8"}
	f.Text = text
	if err := f.checkText(text); err != nil {
		return nil, err
	}
	f.normaliseNewlines()
	return f, nil
}

// Derive returns the file with another program, as after an edit. Encoding, path
// and the bytes on disk stay the same.
func (f *File) Derive(p Program) *File {
	return &File{
		Path: f.Path, Raw: f.Raw, Program: p,
		Encoding: f.Encoding, BOM: f.BOM, Newline: f.Newline,
		codec: f.codec, notebook: f.notebook,
	}
}

// Bytes returns what the file on disk must hold for the program to be Text: the
// reverse of FromBytes. It fails with an *Error where the encoding of the file
// cannot hold a character of the text.
func (f *File) Bytes() ([]byte, error) {
	if f.notebook != nil {
		return f.encode(f.writeCells())
	}
	return f.encode(f.restored(0, len(f.Text)))
}

// restored returns a part of Text as the file has it, with IPython commands and
// lone carriage returns, which the part must not cut. It returns a slice of Text
// where nothing differs.
func (p *Program) restored(start, end int) []byte {
	masks, returns := p.masksIn(start, end), p.returnsIn(start, end)
	text := p.Text[start:end]
	if len(masks) == 0 && len(returns) == 0 {
		return text
	}
	text = bytes.Clone(text)
	for _, m := range masks {
		copy(text[m.Start-start:], m.Original)
	}
	for _, at := range returns {
		text[int(at)-start] = '\r'
	}
	return text
}

// masksIn returns the masks that start within a range.
func (p *Program) masksIn(start, end int) []Mask {
	first := sort.Search(len(p.Masks), func(i int) bool { return p.Masks[i].Start >= start })
	last := sort.Search(len(p.Masks), func(i int) bool { return p.Masks[i].Start >= end })
	return p.Masks[first:last]
}

// returnsIn returns the offsets of lone carriage returns within a range.
func (p *Program) returnsIn(start, end int) []int32 {
	first := sort.Search(len(p.Returns), func(i int) bool { return int(p.Returns[i]) >= start })
	last := sort.Search(len(p.Returns), func(i int) bool { return int(p.Returns[i]) >= end })
	return p.Returns[first:last]
}
