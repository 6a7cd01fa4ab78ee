package hunt

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
)

// ownFix is the first fix that a finding which explains the failure brings, nil where none
// does.
func (h *hunter) ownFix(list []explanation) (*Change, error) {
	for _, e := range list {
		if e.Fix == nil || e.Fix.Applicability == finding.DisplayOnly || !e.inOneFile() || e.of.Files[e.Range.File] == nil {
			continue
		}
		return h.changeBy(e)
	}
	return nil, nil
}

func (e explanation) inOneFile() bool {
	return !slices.ContainsFunc(e.Fix.Edits, func(d finding.Edit) bool { return d.Range.File != e.Range.File })
}

// changeBy is what the fix of a finding changes. The cells of a notebook are changed in the
// script that they run as.
func (h *hunter) changeBy(e explanation) (*Change, error) {
	before := e.of.Files[e.Range.File]
	after, err := edit.ApplyFile(before, finding.Plain(e.Fix.Edits))
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(e.Range.File)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, err
	}
	name, err := filepath.Rel(h.Plan.Root, path)
	if err != nil {
		return nil, err
	}
	text, notebook := after.Text, (*source.File)(nil)
	if before.Cells != nil {
		name, notebook = h.Plan.Script, after
	} else if text, err = after.Bytes(); err != nil {
		return nil, err
	}
	c := &Change{Source: e.Code, Texts: map[string][]byte{name: text}, Notebook: notebook}
	c.Diff = edit.Diff("a/"+filepath.ToSlash(name), "b/"+filepath.ToSlash(name), before.Text, after.Text)
	files, _, err := gitdiff.Parse(strings.NewReader(c.Diff))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		c.Lines = append(c.Lines, changed(name, f.TextFragments, bytes.Count(after.Text, []byte("\n")))...)
	}
	return c, nil
}
