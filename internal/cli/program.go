package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/report"
)

// program is one script that is checked, and then run.
type program struct {
	*runner
	session *session // its check
	name    string   // as the user names it
	root    string   // of the project, absolute
	script  string   // relative to root
}

func (r *runner) newProgram(name string) *program {
	s := &session{app: r.app, flags: r.checkFlags, resolver: r.resolver, settings: r.settings}
	return &program{runner: r, session: s, name: name}
}

// path is the script's own, absolute; "" where it was not found.
func (p *program) path() string { return filepath.Join(p.root, p.script) }

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
func (p *program) locate() error {
	info, err := os.Stat(p.name)
	switch {
	case err != nil:
		return fmt.Errorf("%s: no such script", p.name)
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name the script in it that trains", p.name)
	}
	abs, err := realPath(p.name)
	if err != nil {
		return err
	}
	p.root = project.Root(project.OS{}, abs)
	p.script, err = filepath.Rel(p.root, abs)
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

// errNotChecked is a failure that was said already.
var errNotChecked = errors.New("it could not be checked")

// vet checks the script.
func (p *program) vet(ctx context.Context) (*report.Report, error) {
	if err := p.session.collect([]string{p.name}); err != nil {
		return nil, err
	}
	p.session.warn()
	found, err := p.session.examine(ctx, nil)
	if err != nil {
		return nil, err
	}
	r, err := p.session.judge(ctx, found)
	if err != nil {
		return r, err
	}
	p.session.tell(r.Problems)
	if p.session.exitCode(&judged{report: r}) == exitFailure {
		return r, errNotChecked
	}
	return r, nil
}

// plan is what to run, with nothing watched yet.
func (p *program) plan(python *harness.Python, checked *report.Report) harness.Plan {
	f := p.runFlags
	plan := harness.Plan{
		Root: p.root, Script: p.script, Module: f.module, Args: p.args, Seeds: p.seeds, Python: python, Device: f.device,
		Isolation: harness.Isolation(f.isolation), RespectSeeds: f.respectSeeds, InPlace: f.inPlace, Limits: f.limit(),
		Overlay: map[string][]byte{},
	}
	if plan.Module != "" {
		plan.Script = ""
	}
	if file := checked.Files[p.session.inputs[0].Path]; file != nil && file.Cells != nil {
		plan.Script = notebookScript(plan.Script)
		plan.Overlay[plan.Script] = file.Text
	}
	return plan
}

// notebookScript names the script that a notebook's cells are run as.
func notebookScript(path string) string { return strings.TrimSuffix(path, ".ipynb") + "_ipynb.py" }
