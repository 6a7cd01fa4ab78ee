package vet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
)

// Fixing is a loop of passes. A pass checks, takes the fixes that do not touch
// each other, applies them in memory and starts again on the result: what one
// fix hides from another shows in the next pass, so edits need never be merged.
// Nothing is written until no fix is left, and then each file once. A fix after
// which more of a file fails to parse is refused for good. Passes are bounded;
// that they run out means that two fixes undo each other, which is a mistake of
// ours and is said.
const maxPasses = 10

// Change is a file that fixes have changed.
type Change struct {
	Before, After *source.File
	count         int // findings fixed
}

// Diff is the change in unified form.
func (c *Change) Diff() string { return edit.DiffFile(c.Before, c.After) }

// onDisk returns the changed file as one that was read from the disk: after
// several passes it was made from a text that only memory holds.
func (c *Change) onDisk() *source.File {
	f := c.After.Derive(c.After.Program)
	f.Raw = c.Before.Raw
	return f
}

// fixer is the state of the loop.
type fixer struct {
	*Files
	settings map[string]*config.Settings // of the files that were asked for
	changes  map[string]*Change
	refused  map[string]bool // fingerprints of findings whose fix was refused
	said     []string        // about refused fixes
	first    *Result         // of the files as they were
}

// Fix checks and fixes the files, and writes them where the request says so.
func (f *Files) Fix(ctx context.Context) (*Result, error) {
	x := &fixer{Files: f, settings: map[string]*config.Settings{}, changes: map[string]*Change{}, refused: map[string]bool{}}
	for _, in := range f.Inputs {
		x.settings[in.Path] = in.Settings
	}
	var r *Result
	for pass := 0; ; pass++ {
		var err error
		if r, err = f.examine(ctx, x.overlay()); err != nil {
			return nil, err
		}
		if err := x.offerComments(r); err != nil {
			return nil, err
		}
		if pass == 0 {
			x.first = r
		}
		if pass == maxPasses {
			x.unsettled(r)
			break
		}
		if !x.pass(r) {
			break
		}
	}
	if f.Write && f.Text == nil {
		x.write(r)
	}
	r.Refused = x.said
	for _, c := range x.sorted() {
		r.Changes = append(r.Changes, *c)
		r.Fixed += c.count
	}
	if f.Comment != "" { // the findings that the baseline knows had no comments offered
		return r, nil
	}
	return r, f.dropKnown(r)
}

// overlay returns the changed texts as the files would hold them.
func (f *fixer) overlay() map[string][]byte {
	out := map[string][]byte{}
	for path, c := range f.changes {
		if raw, err := c.After.Bytes(); err == nil {
			out[path] = raw
		}
	}
	return out
}

// pass applies what can be applied together, and reports whether that was
// anything.
func (f *fixer) pass(r *Result) bool {
	byFile := map[string][]*finding.Finding{}
	for i := range r.Findings {
		x := &r.Findings[i]
		if f.fixable(x) && r.Files[x.Range.File] != nil {
			byFile[x.Range.File] = append(byFile[x.Range.File], x)
		}
	}
	any := false
	for path, list := range byFile {
		any = f.passFile(r.Files[path], list) || any
	}
	return any
}

// fixable reports whether the fix of x may be applied: its rule and its
// applicability allow it, and it stays within one file.
func (f *fixer) fixable(x *finding.Finding) bool {
	if x.Fix == nil || f.refused[x.Fingerprint] {
		return false
	}
	settings := f.settings[x.Range.File]
	if settings == nil || !settings.Fixable[x.Code] && f.Comment == "" {
		return false
	}
	for _, e := range x.Fix.Edits {
		if e.Range.File != x.Range.File {
			return false
		}
	}
	return x.Fix.Applicability == finding.Safe || x.Fix.Applicability == finding.Unsafe && settings.UnsafeFixes
}

// passFile applies the fixes of one file that can be applied together.
func (f *fixer) passFile(file *source.File, list []*finding.Finding) bool {
	var groups [][]edit.Edit
	for _, x := range list {
		groups = append(groups, finding.Plain(x.Fix.Edits))
	}
	after, applied, refused := Apply(file, groups)
	for _, i := range refused {
		f.refuse(file, list[i])
	}
	return applied > 0 && f.took(file, after, applied)
}

// took remembers a changed file.
func (f *fixer) took(before, after *source.File, count int) bool {
	c := f.changes[before.Path]
	if c == nil {
		c = &Change{Before: before}
		f.changes[before.Path] = c
	}
	c.After = after
	c.count += count
	return true
}

func (f *fixer) say(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

// refuse remembers a fix that was not applied, and says so. In a file that parses
// it is a mistake of ours; around broken lines nobody can tell what a change does.
func (f *fixer) refuse(file *source.File, x *finding.Finding) {
	f.refused[x.Fingerprint] = true
	why := "because the file would no longer parse, or not change, or because it leaves its cell; please report it"
	if Broken(file) {
		why = "because less of the file would parse, which is broken elsewhere; fix its syntax first"
	}
	f.say("%s:%d: the fix of %s was not applied, %s", x.Range.File, x.Range.Start.Row, x.Code, why)
}

// unsettled says where fixes go round in circles.
func (f *fixer) unsettled(r *Result) {
	for i := range r.Findings {
		if x := &r.Findings[i]; f.fixable(x) {
			f.say("%s: fixes did not settle after %d passes, the last was of %s; please report it", x.Range.File, maxPasses, x.Code)
			return
		}
	}
}

// write writes the changed files. A file that cannot be written is a problem of
// that file, and keeps what was found in it.
func (f *fixer) write(r *Result) {
	for _, c := range f.sorted() {
		if err := edit.WriteFile(c.onDisk()); err != nil {
			r.Problems = append(r.Problems, problemOf(c.Before.Path, err))
			delete(f.changes, c.Before.Path)
			f.restore(r, c.Before)
		}
	}
	config.SortFindings(r.Findings)
}

// restore puts back what was found in a file before it was fixed.
func (f *fixer) restore(r *Result, file *source.File) {
	in := func(x finding.Finding) bool { return x.Range.File == file.Path }
	r.Findings = slices.DeleteFunc(r.Findings, in)
	for _, x := range f.first.Findings {
		if in(x) {
			r.Findings = append(r.Findings, x)
		}
	}
	r.Files[file.Path] = file
}

func (f *fixer) sorted() []*Change {
	return slices.SortedFunc(maps.Values(f.changes), func(a, b *Change) int { return strings.Compare(a.Before.Path, b.Before.Path) })
}
