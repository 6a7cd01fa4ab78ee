package report

import (
	"io"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/vet"
)

// GitLab writes a report of GitLab's Code Quality: the part of Code Climate's format
// that GitLab reads. Files are named from the root of the repository there, so rlvet
// ought to run in it.
type GitLab struct{}

type gitLabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitLabLocation `json:"location"`
}

type gitLabLocation struct {
	Path  string      `json:"path"`
	Lines gitLabLines `json:"lines"`
}

type gitLabLines struct {
	Begin int `json:"begin"`
	End   int `json:"end"`
}

// gitLabSeverity are GitLab's words: critical and blocker are for what is known to
// break, which a static finding is not.
var gitLabSeverity = map[finding.Severity]string{finding.Error: "major", finding.Warning: "minor", finding.Note: "info"}

// Write writes the array. GitLab tells issues apart, and old from new, by the
// fingerprint, so each is given once.
func (GitLab) Write(w io.Writer, r *vet.Result) error {
	list := []gitLabIssue{}
	prints := map[string]int{}
	for _, f := range r.Findings {
		prints[f.Fingerprint]++
		list = append(list, gitLabIssue{
			Description: f.Code + ": " + inCell(f.Range) + f.Line(), CheckName: f.Name, Fingerprint: numbered(f.Fingerprint, prints[f.Fingerprint]),
			Severity: gitLabSeverity[f.Severity], Location: gitLabLocation{fromRoot(r.Dir, f.Range.File), gitLabLines{fileRow(f.Range), fileEnd(f.Range)}},
		})
	}
	return encode(w, list, "  ")
}
