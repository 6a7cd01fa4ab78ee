package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/paths"
)

// place is "train.py:31:17", or "loop.ipynb:cell 2:3:1" in a notebook.
func place(r finding.Range) string {
	if r.Cell > 0 {
		return fmt.Sprintf("%s:cell %d:%d:%d", r.File, r.Cell, r.Start.Row, r.Start.Column)
	}
	return fmt.Sprintf("%s:%d:%d", r.File, r.Start.Row, r.Start.Column)
}

// fileRow is the first line of a range for readers that know lines of files only. A
// notebook's cell has none: there it is the top of the file, and inCell says the rest.
func fileRow(r finding.Range) int {
	if r.Cell > 0 {
		return 1
	}
	return r.Start.Row
}

// fileEnd is the last line, as fileRow is the first.
func fileEnd(r finding.Range) int {
	if r.Cell > 0 {
		return 1
	}
	return r.End.Row
}

// inCell is "cell 2:3:1: " in a notebook, "" elsewhere.
func inCell(r finding.Range) string {
	if r.Cell == 0 {
		return ""
	}
	return fmt.Sprintf("cell %d:%d:%d: ", r.Cell, r.Start.Row, r.Start.Column)
}

// fromRoot is a path as seen from a folder, where it lies in it.
func fromRoot(dir, path string) string {
	rel, err := filepath.Rel(dir, paths.In(dir, path))
	if err != nil || strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// numbered tells apart what is otherwise equal: the n-th one gets n behind it.
func numbered(fingerprint string, n int) string {
	if n == 1 {
		return fingerprint
	}
	return fmt.Sprintf("%s-%d", fingerprint, n)
}

// bySeverity returns the findings, the most severe first, else in their order.
func bySeverity(list []finding.Finding) []finding.Finding {
	weight := map[finding.Severity]int{finding.Error: 0, finding.Warning: 1, finding.Note: 2}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b finding.Finding) int { return cmp.Compare(weight[a.Severity], weight[b.Severity]) })
	return out
}
