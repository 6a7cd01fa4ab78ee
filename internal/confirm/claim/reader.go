package claim

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

// Text is a file, and what can be watched in it.
type Text struct {
	*source.File
	Tree   *ast.Module
	Places []Place
}

// NewText is the text of a file that is parsed already.
func NewText(file *source.File, tree *ast.Module) *Text { return &Text{file, tree, Places(tree)} }

// Line returns the offsets of a line, from 1, in a cell where there are cells, else in cell 0. The
// error says in one line why there is no such line.
func (t *Text) Line(cell, line int) (start, end int, err error) {
	start, ok := t.Offset(cell, source.Position{Row: line, Column: 1})
	// As people count: no line begins behind the last line end.
	count := strings.Count(strings.TrimSuffix(string(t.Text), "\n"), "\n") + 1
	switch {
	case !ok && cell == 0:
		return 0, 0, errors.New("it is a notebook: name the cell, as in FILE:cell N:LINE")
	case !ok:
		return 0, 0, fmt.Errorf("there is no cell %d", cell)
	case cell == 0 && line > count:
		return 0, 0, fmt.Errorf("the file has %s", words.Count(count, "line"))
	}
	return start, t.Lines().End(t.Lines().Row(start)), nil
}

// Reader reads files of the project of a program, each once.
type Reader struct {
	program, root string                  // as the user names the program; absolute
	known         map[string]*source.File // that a check has read, by the names it knows them by
	names         map[string]string       // of these, by their real paths
	texts         map[string]*Text        // by names
	parser        *parse.Parser
}

// NewReader reads for a program whose project is at root; known are the files that a check has read.
func NewReader(program, root string, known map[string]*source.File) *Reader {
	r := &Reader{program: program, root: root, known: known, names: map[string]string{}, texts: map[string]*Text{}, parser: parse.New()}
	for name := range known {
		if real, err := paths.Real(name); err == nil {
			r.names[real] = name
		}
	}
	return r
}

// Close frees the parser.
func (r *Reader) Close() { r.parser.Close() }

// Name is the path under which the check knows a file, or else the one given.
func (r *Reader) Name(path string) string {
	if real, err := paths.Real(path); err == nil && r.names[real] != "" {
		return r.names[real]
	}
	return path
}

// Read reads and parses a file of Python. The error says in one line why it cannot be watched.
func (r *Reader) Read(ctx context.Context, path string) (*Text, error) {
	name := r.Name(path)
	if t := r.texts[name]; t != nil {
		return t, nil
	}
	if _, err := r.Inside(name); err != nil {
		return nil, err
	}
	if source.LanguageOf(name).Configures() {
		return nil, errors.New("it is no Python: a run watches expressions of Python")
	}
	file := r.known[name]
	if file == nil {
		read, err := source.Read(name)
		if err != nil {
			return nil, err
		}
		file = read
	}
	tree, err := r.Parse(ctx, name, file.Text)
	if err != nil {
		return nil, err
	}
	r.texts[name] = NewText(file, tree)
	return r.texts[name], nil
}

// Parse parses a text of Python that need not be of a file.
func (r *Reader) Parse(ctx context.Context, name string, text []byte) (*ast.Module, error) {
	return r.parser.Parse(ctx, name, text)
}

// Inside is the path of a file from the root of the project. The error says that there is none there.
func (r *Reader) Inside(path string) (string, error) {
	real, err := paths.Real(path)
	if err != nil {
		for known := range r.known {
			if filepath.Base(known) == filepath.Base(path) {
				return "", fmt.Errorf("there is no such file; did you mean %s?", known)
			}
		}
		return "", errors.New("there is no such file")
	}
	rel, err := filepath.Rel(r.root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("it is not in the project of %s, which is %s", r.program, r.root)
	}
	return rel, nil
}
