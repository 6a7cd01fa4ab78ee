package linttest

import (
	"maps"
	"slices"
	"testing"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
)

// maxPasses bounds the fixing of one example, as the command line does.
const maxPasses = 10

// fix applies the fixes of a Bad example until none is left. The result must
// parse, keep no finding that had a fix, and be the twin, where there is one and
// everything could be fixed. It reports whether there was anything to fix.
func (r *runner) fix(t *testing.T, e rule.Example, twin *rule.Example) bool {
	files := texts(e)
	any := false
	for pass := 0; ; pass++ {
		res := r.check(t, files)
		next, changed := apply(t, files, res.Findings)
		if !changed {
			if len(res.Findings) > 0 {
				return any // what cannot be fixed stays; there is no twin to reach
			}
			break
		}
		if pass == maxPasses {
			t.Fatalf("fixes do not come to an end:\n%s", joined(next))
		}
		any, files = true, next
	}
	if any && twin != nil {
		if want, got := joined(texts(*twin)), joined(files); want != got {
			t.Errorf("rule.md:%d: the fixed example is not the Good one of line %d:\n%s", e.Line, twin.Line, edit.Diff("good", "fixed", []byte(want), []byte(got)))
		}
	}
	return any
}

// apply makes one pass of fixing.
func apply(t *testing.T, files map[string]string, findings []finding.Finding) (next map[string]string, changed bool) {
	t.Helper()
	next = maps.Clone(files)
	for name, text := range files {
		var groups [][]edit.Edit
		for _, f := range findings {
			if f.Range.File == name && f.Fix != nil && f.Fix.Applicability != finding.DisplayOnly {
				groups = append(groups, plain(t, name, f.Fix))
			}
		}
		var edits []edit.Edit
		for _, i := range edit.NonOverlapping(groups) {
			edits = append(edits, groups[i]...)
		}
		if len(edits) == 0 {
			continue
		}
		out, err := edit.Apply([]byte(text), edits)
		if err != nil {
			t.Fatal(err)
		}
		if string(out) == text {
			t.Fatalf("a fix of %s changes nothing", name)
		}
		next[name], changed = string(out), true
	}
	return next, changed
}

// plain returns the edits of a fix, which must lie in the finding's file.
func plain(t *testing.T, name string, fix *finding.Fix) []edit.Edit {
	t.Helper()
	var out []edit.Edit
	for _, e := range fix.Edits {
		if e.Range.File != name {
			t.Errorf("the fix %q of a finding in %s edits %s", fix.Message, name, e.Range.File)
			continue
		}
		out = append(out, edit.Edit{Start: e.Range.StartByte, End: e.Range.EndByte, New: e.Content})
	}
	return out
}

// joined is all files as one text.
func joined(files map[string]string) string {
	out := ""
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if len(files) > 1 {
			out += "-- " + name + " --\n"
		}
		out += files[name]
	}
	return out
}
