package cli

import (
	"context"
	"slices"
	"sort"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// Fixing is a loop of passes. A pass checks, takes the fixes that do not touch
// each other, applies them in memory and starts again on the result: what one
// fix hides from another shows in the next pass, so edits need never be merged.
// Nothing is written until no fix is left, and then each file once. A fix after
// which more of a file fails to parse is refused for good. Passes are bounded;
// that they run out means that two fixes undo each other, which is a mistake of
// ours and is said.
const maxPasses = 10

// change is a file that fixes have changed.
type change struct {
	before, after *source.File
	count         int // findings fixed
}

// onDisk returns the changed file as one that was read from the disk: after
// several passes it was made from a text that only memory holds.
func (c *change) onDisk() *source.File {
	f := c.after.Derive(c.after.Program)
	f.Raw = c.before.Raw
	return f
}

// fixer is the state of the loop.
type fixer struct {
	*session
	settings map[string]*config.Settings // of the files that were asked for
	changes  map[string]*change
	refused  map[string]bool // fingerprints of findings whose fix was refused
	first    *report.Report  // of the files as they were
}

// fix runs the loop and writes the result, unless --diff only shows it.
func (s *session) fix(ctx context.Context) (*judged, error) {
	f := &fixer{session: s, settings: map[string]*config.Settings{}, changes: map[string]*change{}, refused: map[string]bool{}}
	for _, in := range s.inputs {
		f.settings[in.Path] = in.Settings
	}
	var r *report.Report
	var stats []string
	for pass := 0; ; pass++ {
		out, err := s.examine(ctx, f.overlay())
		if err != nil {
			return nil, err
		}
		if r, err = s.judge(ctx, out); err != nil {
			return nil, err
		}
		if err := f.offerComments(r); err != nil {
			return nil, err
		}
		stats = out.stats
		if pass == 0 {
			f.first = r
		}
		if pass == maxPasses {
			f.unsettled(r)
			break
		}
		if !f.pass(r) {
			break
		}
	}
	if !s.flags.diff && s.stdin == nil {
		f.write(r)
	}
	j := &judged{report: r, stats: stats}
	for _, c := range f.sorted() {
		j.fixed = append(j.fixed, *c)
		r.Fixed += c.count
	}
	return j, nil
}

// overlay returns the changed texts as the files would hold them.
func (f *fixer) overlay() map[string][]byte {
	out := map[string][]byte{}
	for path, c := range f.changes {
		if raw, err := c.after.Bytes(); err == nil {
			out[path] = raw
		}
	}
	return out
}

// pass applies what can be applied together, and reports whether that was
// anything.
func (f *fixer) pass(r *report.Report) bool {
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
	if settings == nil || !settings.Fixable[x.Code] && f.flags.addIgnore == "" {
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
	after, applied, refused := vet.Mend(file, groups)
	for _, i := range refused {
		f.refuse(file, list[i])
	}
	return applied > 0 && f.took(file, after, applied)
}

// took remembers a changed file.
func (f *fixer) took(before, after *source.File, count int) bool {
	c := f.changes[before.Path]
	if c == nil {
		c = &change{before: before}
		f.changes[before.Path] = c
	}
	c.after = after
	c.count += count
	return true
}

// refuse remembers a fix that was not applied, and says so. In a file that parses
// it is a mistake of ours; around broken lines nobody can tell what a change does.
func (f *fixer) refuse(file *source.File, x *finding.Finding) {
	f.refused[x.Fingerprint] = true
	why := "because the file would no longer parse, or not change, or because it leaves its cell; please report it"
	if vet.Broken(file) {
		why = "because less of the file would parse, which is broken elsewhere; mend its syntax first"
	}
	f.warnf("%s:%d: the fix of %s was not applied, %s", x.Range.File, x.Range.Start.Row, x.Code, why)
}

// unsettled says where fixes go round in circles.
func (f *fixer) unsettled(r *report.Report) {
	for i := range r.Findings {
		if x := &r.Findings[i]; f.fixable(x) {
			f.warnf("%s: fixes did not settle after %d passes, the last was of %s; please report it", x.Range.File, maxPasses, x.Code)
			return
		}
	}
}

// write writes the changed files. A file that cannot be written is a problem of
// that file, and keeps what was found in it.
func (f *fixer) write(r *report.Report) {
	for _, c := range f.sorted() {
		if err := edit.WriteFile(c.onDisk()); err != nil {
			r.Problems = append(r.Problems, problemOf(c.before.Path, err))
			delete(f.changes, c.before.Path)
			f.restore(r, c.before)
		}
	}
	config.SortFindings(r.Findings)
}

// restore puts back what was found in a file before it was fixed.
func (f *fixer) restore(r *report.Report, file *source.File) {
	in := func(x finding.Finding) bool { return x.Range.File == file.Path }
	r.Findings = slices.DeleteFunc(r.Findings, in)
	for _, x := range f.first.Findings {
		if in(x) {
			r.Findings = append(r.Findings, x)
		}
	}
	r.Files[file.Path] = file
}

func (f *fixer) sorted() []*change {
	var out []*change
	for _, c := range f.changes {
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].before.Path < out[j].before.Path })
	return out
}
