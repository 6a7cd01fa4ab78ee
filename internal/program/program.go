// Package program is a training program that is checked and then run: what `rlvet confirm`
// and `rlvet hunt` share.
//
// Input: a [Request]: scripts or a module, by what they are checked, and how they are run.
// Output: a [Program] each: where it lies, what was found in it, and the plan of its runs,
// with nothing watched yet.
// Limits: what is watched in the runs, and what they say, is the commands' own.
package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// DefaultSeeds are run where no others are asked for.
var DefaultSeeds = []int{0, 1, 2, 3, 4}

// Request says which programs to run, and how.
type Request struct {
	// Check says how each program is checked before it runs; its paths are the program's.
	Check vet.Request
	// Scripts are the files of the programs, as the user names them; none for a module.
	Scripts []string
	// Plan is what the runs of all programs have in common: the module, the arguments, the
	// seeds ([DefaultSeeds] where there are none), the device, the isolation and the limits.
	Plan harness.Plan
	// Imports asks for what is found in the modules of its project that a program imports, too: they run with it.
	Imports bool
	// Python is the path of the one to run with; "" looks for it.
	Python string
	// Launcher says where the runs go; nil is this machine.
	Launcher harness.Launcher
	// Step is called before some runs begin, with what they are for, and may have their plans
	// tell it what happens; what it returns is called when they have ended, with what came of
	// them, nil where they could not run. Nil for nobody.
	Step func(name string, plans []harness.Plan) (end func([]*harness.Report))
}

// Runner runs the programs of a request.
type Runner struct {
	Request
	pythons map[string]*harness.Python // by the project's folder
}

// NewRunner completes a request; the error is one about its module.
func NewRunner(r Request) (*Runner, error) {
	if r.Plan.Seeds == nil {
		r.Plan.Seeds = DefaultSeeds
	}
	if r.Launcher == nil {
		r.Launcher = harness.Local{}
	}
	switch {
	case r.Plan.Module != "":
		path, err := moduleFile(r.Plan.Module)
		if err != nil {
			return nil, err
		}
		r.Scripts = []string{path}
	case len(r.Scripts) == 0:
		return nil, errors.New("there is no script to run")
	}
	return &Runner{Request: r, pythons: map[string]*harness.Python{}}, nil
}

// moduleFile finds the file of a module below the working directory.
func moduleFile(module string) (string, error) {
	base := filepath.Join(strings.Split(module, ".")...)
	for _, path := range []string{base + ".py", filepath.Join(base, "__main__.py"), filepath.Join("src", base+".py")} {
		if paths.Exist(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("-m %s: no %s.py or %s/__main__.py here; start rlvet where you start the module", module, base, base)
}

// Run runs plans, a step of the work, where the request says.
func (r *Runner) Run(ctx context.Context, step string, plans []harness.Plan) ([]*harness.Report, error) {
	end := func([]*harness.Report) {}
	if r.Step != nil {
		end = r.Step(step, plans)
	}
	reports, err := harness.RunAll(ctx, r.Launcher, plans)
	tellInCells(plans, reports)
	end(reports)
	return reports, err
}

// RunOne runs a single plan. The error is also what kept it from running.
func (r *Runner) RunOne(ctx context.Context, step string, plan harness.Plan) (*harness.Report, error) {
	reports, err := r.Run(ctx, step, []harness.Plan{plan})
	if err != nil {
		return nil, err
	}
	return reports[0], reports[0].Failure
}

// Only opens and checks the one program of a request; done says what is done with it, as "watched". The error is one line.
func Only(ctx context.Context, request Request, done string) (*Runner, *Program, error) {
	r, err := NewRunner(request)
	if err != nil {
		return nil, nil, err
	}
	if len(r.Scripts) > 1 {
		return nil, nil, fmt.Errorf("one script is %s at a time; name one", done)
	}
	p, err := r.Locate(r.Scripts[0])
	if err == nil {
		err = p.Vet(ctx)
	}
	if err != nil {
		return nil, nil, OneLine(err)
	}
	return r, p, nil
}

// Program is one program.
type Program struct {
	Name   string // as the user names it
	Root   string // of its project, absolute
	Script string // relative to Root
	// With are further files to check with the script, as they are to be shown.
	With []string
	// Checked is what was found in it; nil before Vet, and where that failed early.
	Checked *vet.Result
	// Notebook is the program's file where it is one.
	Notebook *source.File
	runner   *Runner
}

// Locate finds a script and its project.
func (r *Runner) Locate(name string) (*Program, error) {
	p := &Program{Name: name, runner: r}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		if near := project.Misspelt(project.OS{}, name); near != "" {
			return p, fmt.Errorf("%s: no such script; did you mean %s?", name, near)
		}
		return p, fmt.Errorf("%s: no such script", name)
	case info.IsDir():
		return p, fmt.Errorf("%s is a folder; name the script in it that trains", name)
	}
	if l := source.LanguageOf(name); l.Configures() {
		return p, fmt.Errorf("%s is no Python program; name the script that it starts, with its arguments behind --", name)
	}
	abs, err := paths.Real(name)
	if err != nil {
		return p, err
	}
	p.Root = project.Root(project.OS{}, abs)
	p.Script, err = filepath.Rel(p.Root, abs)
	return p, err
}

// Path is the script's own, absolute; "" where it was not found.
func (p *Program) Path() string { return filepath.Join(p.Root, p.Script) }

// NotChecked is the error of a program that has findings or none, nobody knows: it holds
// why.
type NotChecked struct{ Problems []finding.Problem }

func (*NotChecked) Error() string { return "it could not be checked" }

// OneLine is the error of [Program.Vet] as one line that names the file and the line.
func OneLine(err error) error {
	if unchecked := (*NotChecked)(nil); errors.As(err, &unchecked) {
		return errors.New(unchecked.Problems[0].String())
	}
	return err
}

// Vet checks the program, without the baseline: what is known can be confirmed too.
func (p *Program) Vet(ctx context.Context) error {
	request := p.runner.Check
	request.Paths, request.Text, request.All = append([]string{p.Name}, p.With...), nil, true
	files, err := vet.Open(request)
	if err != nil {
		return err
	}
	own := files.Inputs
	if p.runner.Imports {
		if err := files.AddImports(ctx); err != nil {
			return err
		}
	}
	if p.Checked, err = files.Check(ctx); err != nil {
		return err
	}
	imported := map[string]bool{}
	for _, in := range files.Inputs[len(own):] {
		imported[in.Path] = true
	}
	p.Checked.Problems = slices.DeleteFunc(p.Checked.Problems, func(f finding.Problem) bool { return imported[f.File] }) // they keep nothing from running
	asAWhole(p.Checked.Problems)
	if fatal := p.Checked.Fatal(); len(fatal) > 0 {
		return &NotChecked{fatal}
	}
	for _, in := range own {
		if file := p.Checked.Files[in.Path]; file != nil && file.Cells != nil {
			p.Notebook = file
		}
	}
	return nil
}

// asAWhole takes back what a check says of statements with an error, that it skips them: a
// program runs as a whole.
func asAWhole(problems []finding.Problem) {
	for i := range problems {
		message, skipped := strings.CutSuffix(problems[i].Message, parse.Skipped)
		if skipped && problems[i].Cell > 0 {
			message += "; finish the cell or delete it, since a notebook is run as a whole"
		}
		problems[i].Message = message
	}
}

// Plan is what to run of the program, with nothing watched yet, by a Python that has torch.
func (p *Program) Plan(ctx context.Context) (harness.Plan, error) {
	plan, err := p.AnyPlan(ctx)
	if err == nil && plan.Python.Torch == "" {
		err = fmt.Errorf("%s has no torch; activate the environment in which you train, or give --python PATH", plan.Python.Path)
	}
	return plan, err
}

// AnyPlan is the same for a program that may do without torch. The Python is looked for once
// for all programs of a project.
func (p *Program) AnyPlan(ctx context.Context) (harness.Plan, error) {
	plan := p.runner.Plan
	python, err := p.python(ctx)
	if err != nil {
		return plan, err
	}
	plan.Root, plan.Script, plan.Python, plan.Overlay = p.Root, p.Script, python, map[string][]byte{}
	if plan.Module != "" {
		plan.Script = ""
	}
	if p.Notebook != nil {
		plan.Script = NotebookScript(p.Script)
		plan.Overlay[plan.Script] = p.Notebook.Text
		plan.Notebook = p.Notebook
	}
	return plan, nil
}

func (p *Program) python(ctx context.Context) (*harness.Python, error) {
	if known := p.runner.pythons[p.Root]; known != nil {
		return known, nil
	}
	python, err := harness.FindPython(ctx, p.runner.Python, p.Root)
	if err != nil {
		return nil, err
	}
	p.runner.pythons[p.Root] = python
	return python, nil
}
