package vet

import (
	"context"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/since"
	"github.com/rlvet/rlvet/internal/source"
)

// keepNew drops the findings that concern no new line. A finding concerns the lines
// that it marks and those of the values that it rests on: who changes a helper hears
// of the caller that it breaks.
func (f *Files) keepNew(ctx context.Context, r *Result) error {
	if f.Since == nil || len(r.Findings) == 0 {
		return nil
	}
	rows, err := f.Since.Rows(ctx, concerned(r))
	if err != nil {
		return err
	}
	var kept []finding.Finding
	for i := range r.Findings {
		if concernsNew(&r.Findings[i], r.Files, rows) {
			kept = append(kept, r.Findings[i])
		}
	}
	r.Old += len(r.Findings) - len(kept)
	r.Findings = kept
	return nil
}

// concerned lists the files in which findings have a place, each once.
func concerned(r *Result) []*source.File {
	var out []*source.File
	seen := map[string]bool{}
	for i := range r.Findings {
		for _, at := range places(&r.Findings[i]) {
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
