package hunt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/rlvet/rlvet/internal/source"
)

// Change is a fix to try: the texts of files after it, and the lines that it changed.
type Change struct {
	// Source is the name of the patch's file, or the code of the rule whose fix it is.
	Source string
	Diff   string
	// Texts are by path relative to the project's folder.
	Texts map[string][]byte
	Lines []Lines
	// Notebook is the changed file where the script is a notebook's.
	Notebook *source.File
}

// Lines are a stretch of changed lines, counted in the changed file. Where lines were
// only removed it is the line behind them.
type Lines struct {
	File   string `json:"file"`
	Row    int    `json:"row"`
	EndRow int    `json:"end_row"`
}

// ReadPatch reads a patch of git, or another unified one, and applies it to copies of the
// files of the project at root. Paths of the patch count from root, or from a folder above
// it, as those of git do. The error says what does not fit, and how to fix it.
func ReadPatch(path, root string) (*Change, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %v", path, source.Cause(err))
	}
	files, _, err := gitdiff.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s is not a readable patch: %v; make one with git diff > FILE.patch", path, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no changes; make a patch with git diff > FILE.patch", path)
	}
	c := &Change{Source: filepath.Base(path), Diff: string(text), Texts: map[string][]byte{}}
	for _, f := range files {
		if err := c.apply(f, root); err != nil {
			return nil, fmt.Errorf("%s does not apply: %w", path, err)
		}
	}
	return c, nil
}

// apply applies the changes of one file.
func (c *Change) apply(f *gitdiff.File, root string) error {
	switch {
	case f.IsDelete || f.IsRename || f.IsCopy:
		return fmt.Errorf("it removes or renames %s; hunt tries only changes of text and new files", f.OldName)
	case f.IsBinary:
		return fmt.Errorf("%s is binary; hunt tries only changes of text and new files", f.NewName)
	case source.IsNotebook(f.NewName):
		return fmt.Errorf("%s is a notebook; hunt tries only changes of Python files", f.NewName)
	}
	name, old, err := find(f, root)
	if err != nil {
		return err
	}
	if known, twice := c.Texts[name]; twice {
		old = known
	}
	var after bytes.Buffer
	if err := gitdiff.Apply(&after, bytes.NewReader(old), f); err != nil {
		return fmt.Errorf("%s: %s; make the patch again from the current files", name, conflict(err))
	}
	c.Texts[name] = after.Bytes()
	c.Lines = append(c.Lines, changed(name, f.TextFragments, bytes.Count(after.Bytes(), []byte("\n")))...)
	return nil
}

// conflict says where a patch and a file differ.
func conflict(err error) string {
	var e *gitdiff.ApplyError
	if errors.As(err, &e) && errors.Is(err, &gitdiff.Conflict{}) && e.Line > 0 {
		return fmt.Sprintf("line %d of the file is not the one that the patch changes", e.Line)
	}
	return err.Error()
}

// find returns the file that a patch speaks of, relative to root, and its text.
func find(f *gitdiff.File, root string) (string, []byte, error) {
	names := []string{f.NewName, strings.TrimPrefix(f.NewName, "b/")}
	if !f.IsNew {
		names = append(names, f.OldName, strings.TrimPrefix(f.OldName, "a/"))
	}
	for dir := root; ; dir = filepath.Dir(dir) {
		for _, name := range names {
			rel, err := filepath.Rel(root, filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil || !filepath.IsLocal(rel) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, rel))
			if err == nil && !f.IsNew || f.IsNew && errors.Is(err, os.ErrNotExist) {
				return rel, text, nil
			}
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if f.IsNew {
		return "", nil, fmt.Errorf("%s, which it makes, is there already or lies outside of the project %s", names[1], root)
	}
	return "", nil, fmt.Errorf("there is no %s in the project %s", names[1], root)
}

// changed are the stretches of lines that a patch added, or behind which it only removed
// some; last is the last line of the file.
func changed(name string, fragments []*gitdiff.TextFragment, last int) (out []Lines) {
	for _, f := range fragments {
		row, removed := int(f.NewPosition), false
		for _, l := range f.Lines {
			if l.Op == gitdiff.OpDelete {
				removed = true
				continue
			}
			if removed || l.Op == gitdiff.OpAdd {
				out = grown(out, name, row)
			}
			row, removed = row+1, false
		}
		if removed {
			out = grown(out, name, max(1, min(row, last)))
		}
	}
	return out
}

// grown adds a row, to the stretch before it where there is one.
func grown(list []Lines, name string, row int) []Lines {
	if n := len(list); n > 0 && list[n-1].File == name && list[n-1].EndRow >= row-1 {
		list[n-1].EndRow = row
		return list
	}
	return append(list, Lines{name, row, row})
}
