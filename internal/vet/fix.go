package vet

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/rule"
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
	Fixed         map[string]int // findings fixed, by code
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

// passes is the loop. The command line and editors differ in how they check, and in which
// fixes they may apply.
type passes struct {
	check   func() (*Result, error) // of the files with changes
	allowed func(*finding.Finding) bool
	changes map[string]*Change
	refused map[string]bool // fingerprints of findings whose fix was refused
	said    []string        // about refused fixes
	first   *Result         // of the files as they were
}

// run returns what is found when no fix is left.
func (p *passes) run() (*Result, error) {
	p.changes, p.refused = map[string]*Change{}, map[string]bool{}
	for pass := 0; ; pass++ {
		r, err := p.check()
		if err != nil {
			return nil, err
		}
		if pass == 0 {
			p.first = r
		}
		if pass == maxPasses {
			p.unsettled(r)
			return r, nil
		}
		if !p.pass(r) {
			return r, nil
		}
	}
}

// FixFile applies the safe fixes of one file until none is left, and returns the file, nil
// where none was applied. The function check returns the findings of the file as changed so far.
func FixFile(file *source.File, fixable rule.Set, check func(*source.File) ([]finding.Finding, error)) *source.File {
	var p passes
	p.allowed = func(x *finding.Finding) bool { return fixable[x.Code] && x.Fix.Applicability == finding.Safe }
	p.check = func() (*Result, error) {
		now := file
		if c := p.changes[file.Path]; c != nil {
			now = c.After
		}
		findings, err := check(now)
		return &Result{Findings: findings, Files: map[string]*source.File{file.Path: now}}, err
	}
	p.run() // what was applied before a check failed stays
	if c := p.changes[file.Path]; c != nil {
		return c.After
	}
	return nil
}

// fixer fixes files for the command line.
type fixer struct {
	*Files
	passes
	settings map[string]*config.Settings // of the files that may be changed
	outside  map[string]string           // files that links lead to out of the project, by the links
}

// Fix checks and fixes the files, and writes them where the request says so.
func (f *Files) Fix(ctx context.Context) (*Result, error) {
	x := &fixer{Files: f, settings: map[string]*config.Settings{}, outside: map[string]string{}}
	for _, in := range f.Inputs {
		if target := linkedOutside(in); target != "" {
			x.outside[in.Path] = target
			continue
		}
		x.settings[in.Path] = in.Settings
	}
	x.allowed = x.allows
	x.passes.check = func() (*Result, error) {
		r, err := f.examine(ctx, x.overlay())
		if err != nil {
			return nil, err
		}
		if err := f.dropKnown(r); err != nil { // what the baseline knows stays as it is
			return nil, err
		}
		x.offerComments(r)
		return r, nil
	}
	r, err := x.run()
	if err != nil {
		return nil, err
	}
	x.sayOutside(r)
	if f.Write && f.Text == nil {
		x.write(r)
	}
	r.Refused = x.said
	for _, c := range x.sorted() {
		r.Changes = append(r.Changes, *c)
		for _, n := range c.Fixed {
			r.Fixed += n
		}
	}
	return r, nil
}

// linkedOutside returns the file that a link leads to where that is not of the project, ""
// else. Who walks a folder with --fix means its files; a link that is named is meant.
func linkedOutside(in config.Input) string {
	target := paths.Linked(in.Path)
	if in.Named || target == "" {
		return ""
	}
	root, err := paths.Real(in.Settings.Root)
	if err != nil || filepath.IsLocal(paths.From(root, target)) {
		return ""
	}
	return target
}

// sayOutside says which files would be changed if they were of the project.
func (f *fixer) sayOutside(r *Result) {
	for _, link := range slices.Sorted(maps.Keys(f.outside)) {
		if slices.ContainsFunc(r.Findings, func(x finding.Finding) bool { return x.Range.File == link && x.Fix != nil }) {
			f.say("%s: nothing is fixed there, since the link leads out of the project to %s; name the link on the command line to fix it", link, f.outside[link])
		}
	}
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
func (f *passes) pass(r *Result) bool {
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

// fixable reports whether the fix of x may be applied: it is allowed, was not refused, and
// stays within one file.
func (f *passes) fixable(x *finding.Finding) bool {
	if x.Fix == nil || f.refused[x.Fingerprint] || !f.allowed(x) {
		return false
	}
	return !slices.ContainsFunc(x.Fix.Edits, func(e finding.Edit) bool { return e.Range.File != x.Range.File })
}

// allows reports whether the settings allow the fix of x: its rule and its applicability.
func (f *fixer) allows(x *finding.Finding) bool {
	settings := f.settings[x.Range.File]
	if settings == nil || !settings.Fixable[x.Code] && f.Comment == "" {
		return false
	}
	return x.Fix.Applicability == finding.Safe || x.Fix.Applicability == finding.Unsafe && settings.UnsafeFixes
}

// passFile applies the fixes of one file that can be applied together.
func (f *passes) passFile(file *source.File, list []*finding.Finding) bool {
	var groups [][]edit.Edit
	for _, x := range list {
		groups = append(groups, finding.Plain(x.Fix.Edits))
	}
	after, applied, refused := Apply(file, groups)
	for _, i := range refused {
		f.refuse(file, list[i])
	}
	if len(applied) == 0 {
		return false
	}
	c := f.changes[file.Path]
	if c == nil {
		c = &Change{Before: file, Fixed: map[string]int{}}
		f.changes[file.Path] = c
	}
	c.After = after
	for _, i := range applied {
		c.Fixed[list[i].Code]++
	}
	return true
}

func (f *passes) say(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

// refuse remembers a fix that was not applied, and says so. In a file that parses
// it is a mistake of ours; around broken lines nobody can tell what a change does.
func (f *passes) refuse(file *source.File, x *finding.Finding) {
	f.refused[x.Fingerprint] = true
	why := "because the file would no longer parse, or not change, or because it leaves its cell; please report it"
	if Broken(file) {
		why = "because less of the file would parse, which is broken elsewhere; fix its syntax first"
	}
	f.say("%s:%d: the fix of %s was not applied, %s", x.Range.File, x.Range.Start.Row, x.Code, why)
}

// unsettled says where fixes go round in circles.
func (f *passes) unsettled(r *Result) {
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
