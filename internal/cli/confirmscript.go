package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/rules"
)

// subject is one script of a confirmation.
type subject struct {
	*program
	confirmation *confirmation
	planned      harness.Plan
	out          report.Confirmation
}

func (c *confirmation) newSubject(name string) *subject {
	s := &subject{program: c.newProgram(name), confirmation: c}
	s.out = report.Confirmation{Report: s.session.newReport(nil), Script: name, Args: c.args}
	return s
}

// prepare checks the script and plans its runs where it has findings.
func (s *subject) prepare(ctx context.Context) error {
	checked, err := s.vet(ctx)
	if checked != nil {
		s.out.Report = checked
	}
	if err != nil || len(s.out.Findings) == 0 {
		return err
	}
	if s.out.Python, err = s.python(ctx, s.root); err != nil {
		return err
	}
	s.planned = s.plan(s.out.Python, checked)
	return s.addTargets()
}

// addTargets turns findings into targets.
func (s *subject) addTargets() error {
	for i, f := range s.out.Findings {
		t, err := s.target(i, f)
		if err != nil {
			return err
		}
		s.planned.Targets = append(s.planned.Targets, t)
	}
	return nil
}

// target is the place of a finding in the copy of the project.
func (s *subject) target(id int, f finding.Finding) (harness.Target, error) {
	file := s.out.Files[f.Range.File]
	abs, err := realPath(f.Range.File)
	if err != nil {
		return harness.Target{}, err
	}
	rel, err := filepath.Rel(s.root, abs)
	if err != nil {
		return harness.Target{}, err
	}
	if file.Cells != nil {
		rel = notebookScript(rel)
	}
	return harness.Target{
		ID: id, Code: f.Code, File: rel, Start: f.Range.StartByte, End: f.Range.EndByte,
		Row: row(file, f.Range.StartByte), EndRow: row(file, f.Range.EndByte),
		Text: string(file.Text[f.Range.StartByte:f.Range.EndByte]), Probe: rules.Probe(f.Code),
	}, nil
}

// row is the line of an offset in the text that runs: the whole program's for a notebook.
func row(file *source.File, offset int) int {
	return 1 + strings.Count(string(file.Text[:offset]), "\n")
}
