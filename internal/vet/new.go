package vet

import (
	"context"
	"slices"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/since"
	"github.com/rlvet/rlvet/internal/source"
)

// keepNew drops the findings that concern no new line. A finding concerns the lines
// that it marks and those of the values that it rests on: who changes a helper hears
// of the caller that it breaks.
func (f *Files) keepNew(ctx context.Context, r *Result) error {
	if f.Since == nil || len(r.Findings)+len(r.More) == 0 {
		return nil
	}
	rows, err := f.Since.Rows(ctx, concerned(r))
	if err != nil {
		return err
	}
	old := func(x finding.Finding) bool { return !concernsNew(&x, r.Files, rows) }
	before := len(r.Findings)
	r.Findings, r.More = slices.DeleteFunc(r.Findings, old), slices.DeleteFunc(r.More, old)
	r.Old += before - len(r.Findings)
	return nil
}

// concerned lists the files in which findings have a place, each once.
func concerned(r *Result) []*source.File {
	var out []*source.File
	seen := map[string]bool{}
	for _, x := range slices.Concat(r.Findings, r.More) {
		for _, at := range places(&x) {
			if f := r.Files[at.File]; f != nil && !seen[at.File] {
				seen[at.File] = true
				out = append(out, f)
			}
		}
	}
	return out
}

// places are the ranges of a finding and of its origins.
func places(f *finding.Finding) []finding.Range {
	out := []finding.Range{f.Range}
	for _, n := range f.Related {
		out = append(out, n.Range)
	}
	return out
}

func concernsNew(f *finding.Finding, files map[string]*source.File, rows map[string]since.Rows) bool {
	for _, at := range places(f) {
		file := files[at.File]
		if file == nil {
			return true // who can tell
		}
		lines := file.Lines()
		if rows[at.File].Touch(lines.Row(at.StartByte), lines.Row(max(at.StartByte, at.EndByte-1))) {
			return true
		}
	}
	return false
}
