package cli

import (
	"context"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/report"
)

// examine runs the engine over all inputs. overlay holds texts that differ from
// the disk: standard input, and files that fixes have changed.
func (s *session) examine(ctx context.Context, overlay map[string][]byte) (*outcome, error) {
	r := request{named: map[string]bool{}, overlay: map[string][]byte{}, jobs: s.flags.jobs}
	for _, in := range s.inputs {
		r.paths = append(r.paths, in.Path)
		r.named[in.Path] = in.Named
	}
	if s.stdin != nil {
		r.overlay[s.stdin.Path] = s.stdin.Raw
	}
	for path, text := range overlay {
		r.overlay[path] = text
	}
	r.analyzers, r.torch = s.analyzers(), s.torch()
	bar := s.progress(len(r.paths))
	r.progress = bar.set
	defer bar.close()
	return s.check(ctx, r)
}

// analyzers returns the rules that are on for some input.
func (s *session) analyzers() []*analysis.Analyzer {
	var out []*analysis.Analyzer
	seen := map[*config.Settings]bool{}
	for _, in := range s.inputs {
		seen[in.Settings] = true
	}
	for _, e := range s.rules.Entries() {
		for settings := range seen {
			if e.Analyzer != nil && settings.Enabled[e.Doc.Code] {
				out = append(out, e.Analyzer)
				break
			}
		}
	}
	return out
}

// torch returns the oldest version that any input asks for; a project that says
// nothing asks for all.
func (s *session) torch() string {
	oldest := s.inputs[0].Settings.TargetTorch
	for _, in := range s.inputs {
		if v := in.Settings.TargetTorch; v == "" || oldest != "" && config.CompareVersions(v, oldest) < 0 {
			oldest = v
		}
	}
	return oldest
}

func (s *session) newReport(problems []finding.Problem) *report.Report {
	r := &report.Report{Rules: s.rules, Version: version(), Dir: workingDir(), Checked: len(s.inputs), UnsafeFixes: s.settings.UnsafeFixes}
	r.Problems = slices.Concat(s.problems, problems)
	slices.SortStableFunc(r.Problems, finding.Problem.Compare)
	r.Problems = slices.Compact(r.Problems)
	return r
}

// judge applies settings and comments to what the engine found.
func (s *session) judge(out *outcome) *report.Report {
	r := s.newReport(out.problems)
	r.Files = out.files
	byFile := map[string][]finding.Finding{}
	for _, f := range out.findings {
		byFile[f.Range.File] = append(byFile[f.Range.File], f)
	}
	partly := map[string]bool{}
	for _, p := range out.problems {
		partly[p.File] = partly[p.File] || p.Fatal
	}
	for _, in := range s.inputs {
		add(r, in.Settings.Judge(s.rules, config.Checked{
			Path: in.Path, File: out.files[in.Path], Findings: byFile[in.Path], Partly: partly[in.Path], Alone: in.Named,
		}))
		delete(byFile, in.Path)
	}
	for path, list := range byFile {
		s.addImported(r, config.Checked{Path: path, File: out.files[path], Findings: list, Partly: true})
	}
	config.SortFindings(r.Findings)
	return r
}

// addImported adds what was found in a module that nobody named but that a
// checked one imports: a helper's mistake shows only where it is called with
// the caller's values. Modules that settings exclude are passed over, and so
// are their comments' own mistakes; fixes are shown only.
func (s *session) addImported(r *report.Report, c config.Checked) {
	settings, err := s.resolver.For(c.Path)
	abs, _ := filepath.Abs(c.Path)
	if err != nil || settings.Excludes(abs) {
		return
	}
	j := settings.Judge(s.rules, c)
	j.Findings = slices.DeleteFunc(j.Findings, func(f finding.Finding) bool {
		e, ok := s.rules.Lookup(f.Code)
		return ok && e.Analyzer == nil
	})
	for i := range j.Findings {
		if fix := j.Findings[i].Fix; fix != nil {
			shown := *fix
			shown.Applicability = finding.DisplayOnly
			j.Findings[i].Fix = &shown
		}
	}
	add(r, j)
}

// add adds the judgement of one file to a report.
func add(r *report.Report, j config.Judgement) {
	r.Findings = append(r.Findings, j.Findings...)
	r.Suppressed = append(r.Suppressed, j.Suppressed...)
	r.Hidden += j.Hidden
}
