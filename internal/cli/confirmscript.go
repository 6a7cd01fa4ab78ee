package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/rules"
)

// subject is one script of a confirmation.
type subject struct {
	*confirmation
	session *session // its check
	name    string   // as the user names it
	root    string   // of the project, absolute
	script  string   // relative to root
	plan    harness.Plan
	out     report.Confirmation
}

func (c *confirmation) newSubject(name string) *subject {
	s := &subject{confirmation: c, name: name}
	s.session = &session{app: c.app, flags: &c.flags.checkFlags, resolver: c.resolver, settings: c.settings}
	s.out = report.Confirmation{Report: s.session.newReport(nil), Script: name, Args: c.args}
	return s
}

// path is the script's own, absolute; "" where it was not found.
func (s *subject) path() string { return filepath.Join(s.root, s.script) }

// moduleFile finds the file of a module below the working directory.
func moduleFile(module string) (string, error) {
	base := filepath.Join(strings.Split(module, ".")...)
	for _, path := range []string{base + ".py", filepath.Join(base, "__main__.py"), filepath.Join("src", base+".py")} {
		if fileExists(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("-m %s: no %s.py or %s/__main__.py here; start rlvet where you start the module", module, base, base)
}

// locate finds the script and its project.
func (s *subject) locate() error {
	info, err := os.Stat(s.name)
	switch {
	case err != nil:
		return fmt.Errorf("%s: no such script", s.name)
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name the script in it that trains", s.name)
	}
	abs, err := realPath(s.name)
	if err != nil {
		return err
	}
	s.root = project.Root(project.OS{}, abs)
	s.script, err = filepath.Rel(s.root, abs)
	return err
}

// realPath is a path in full, links followed.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// prepare checks the script and plans its runs where it has findings.
func (s *subject) prepare(ctx context.Context) error {
	if err := s.session.collect([]string{s.name}); err != nil {
		return err
	}
	s.session.warn()
	found, err := s.session.examine(ctx, nil)
	if err != nil {
		return err
	}
	if s.out.Report, err = s.session.judge(ctx, found); err != nil {
		return err
	}
	s.session.tell(s.out.Problems)
	if s.session.exitCode(&judged{report: s.out.Report}) == exitFailure {
		return errNotChecked
	}
	if len(s.out.Findings) == 0 {
		return nil
	}
	if s.out.Python, err = s.python(ctx); err != nil {
		return err
	}
	return s.makePlan()
}

// python finds the Python to run with, once for all scripts of a project.
func (s *subject) python(ctx context.Context) (*harness.Python, error) {
	if p := s.pythons[s.root]; p != nil {
		return p, nil
	}
	p, err := harness.FindPython(ctx, s.flags.python, s.root)
	switch {
	case err != nil:
		return nil, err
	case p.Torch == "":
		return nil, fmt.Errorf("%s has no torch; activate the environment in which you train, or give --python PATH", p.Path)
	}
	s.pythons[s.root] = p
	return p, nil
}

// makePlan turns findings into targets.
func (s *subject) makePlan() error {
	limits := s.flags.limits
	limits.MaxMemory, limits.MaxCopy = s.flags.maxMemory<<20, s.flags.maxCopy<<20
	s.plan = harness.Plan{
		Root: s.root, Script: s.script, Module: s.flags.module, Args: s.args, Seeds: s.seeds, Python: s.out.Python, Device: s.flags.device,
		Isolation: harness.Isolation(s.flags.isolation), RespectSeeds: s.flags.respectSeeds, InPlace: s.flags.inPlace, Limits: limits,
		Overlay: map[string][]byte{},
	}
	if s.plan.Module != "" {
		s.plan.Script = ""
	}
	for i, f := range s.out.Findings {
		t, err := s.target(i, f)
		if err != nil {
			return err
		}
		s.plan.Targets = append(s.plan.Targets, t)
	}
	if file := s.out.Files[s.session.inputs[0].Path]; file != nil && file.Cells != nil {
		s.plan.Script = notebookScript(s.plan.Script)
		s.plan.Overlay[s.plan.Script] = file.Text
	}
	return nil
}

// notebookScript names the script that a notebook's cells are run as.
func notebookScript(path string) string { return strings.TrimSuffix(path, ".ipynb") + "_ipynb.py" }

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
