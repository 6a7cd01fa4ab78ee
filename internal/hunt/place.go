package hunt

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/source"
)

// located turns a place that the Python side names into one of the user's: the path from
// the project's folder into an absolute one, a row of the program that a notebook runs as
// into the cell and the row in it.
func (h *hunter) located(file string, row int) (filename string, inCell, cell int) {
	if file == "" {
		return "", row, 0
	}
	filename = file
	if !filepath.IsAbs(file) {
		filename = filepath.Join(h.Plan.Root, file)
	}
	if h.Notebook == nil || file != h.Plan.Script {
		return filename, row, 0
	}
	c, from, _ := h.Notebook.Span(h.Notebook.Lines().Start(row), h.Notebook.Lines().Start(row))
	return h.Script, from.Row, c
}

// Shown is a path as people read it: from the working directory where that is above it.
func (r *Result) Shown(path string) string {
	if rel, err := filepath.Rel(r.Dir, path); r.Dir != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// Place is a line as people read it: src/train.py:12, or notes.ipynb:cell 3:7.
func (r *Result) Place(path string, cell, row int) string {
	if path == "" {
		return "(no line of the program)"
	}
	if cell > 0 {
		return fmt.Sprintf("%s:cell %d:%d", r.Shown(path), cell, row)
	}
	return fmt.Sprintf("%s:%d", r.Shown(path), row)
}

// keepTexts reads the files that the result speaks of.
func (r *Result) keepTexts() {
	var paths []string
	if r.FirstBad != nil {
		paths = append(paths, r.FirstBad.Filename)
	}
	for _, l := range r.Chain {
		paths = append(paths, l.Filename)
	}
	for _, g := range r.Gradients {
		paths = append(paths, g.Filename)
	}
	for _, f := range r.Findings {
		paths = append(paths, f.Filename)
	}
	slices.Sort(paths)
	r.Texts = map[string][]byte{}
	for _, path := range slices.Compact(paths) {
		if text := textOf(path); text != nil {
			r.Texts[path] = text
		}
	}
}

// textOf is the text of a Python file in UTF-8, nil where there is none.
func textOf(path string) []byte {
	if !strings.HasSuffix(path, ".py") {
		return nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	file, err := source.FromBytes(path, raw)
	if err != nil {
		return nil
	}
	return file.Text
}
