package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/hunt/emit"
	"github.com/rlvet/rlvet/internal/report"
)

// hunting is one `rlvet hunt`.
type hunting struct {
	*runner
	flags   *huntFlags
	program *program
}

// once hunts and reports.
func (h *hunting) once(ctx context.Context) error {
	work, err := os.MkdirTemp("", "rlvet-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	job, err := h.job(ctx, work)
	if err != nil {
		return err
	}
	result, err := job.Hunt(ctx)
	if err != nil {
		return err
	}
	switch trouble := result.Trouble(); {
	case trouble != "":
		result.Error = fmt.Sprintf("%s: %s; make it run first (its arguments go after --, its Python is --python PATH, and --show-output shows what it printed)", h.program.name, trouble)
		h.errorf("%s", result.Error)
		h.exit = exitFailure
	case result.Found():
		h.exit = exitFindings
	}
	if err := h.leave(ctx, job, result); err != nil {
		return err
	}
	return h.write(result)
}

// job is what the flags ask for.
func (h *hunting) job(ctx context.Context, work string) (*hunt.Job, error) {
	p, f := h.program, h.flags
	if err := p.locate(); err != nil {
		return nil, err
	}
	if f.tests != "" {
		if _, err := emit.Folder(f.tests, p.root); err != nil {
			return nil, fmt.Errorf("--emit-test: %w", err)
		}
	}
	job := &hunt.Job{
		Script: p.path(), Dir: workingDir(), Version: version(), Command: commandLine(), Work: work,
		Gradients: !f.noGradients, NoFix: f.noFixCheck, Modules: f.modules, Record: f.maxRecord << 20, Run: h.runAll, Check: h.check,
	}
	if f.noRecord {
		job.Record = 0
	}
	var err error
	if f.patch != "" {
		if job.Fix, err = hunt.ReadPatch(f.patch, p.root); err != nil {
			return nil, fmt.Errorf("--fix: %w", err)
		}
	}
	checked, err := p.vet(ctx)
	if err != nil {
		return nil, err
	}
	python, err := h.python(ctx, p.root)
	if err != nil {
		return nil, err
	}
	job.Plan = p.plan(python, checked)
	if file := checked.Files[p.session.inputs[0].Path]; file != nil && file.Cells != nil {
		job.Notebook = file
	}
	if f.untilNaN > 0 {
		job.Plan.Seeds, job.AtATime = upTo(f.untilNaN), max(1, f.jobs)
	}
	return job, nil
}

// check returns the static findings of some files.
func (h *hunting) check(ctx context.Context, paths []string) (*report.Report, error) {
	return h.checkAside(ctx, h.checkFlags, h.resolver, paths)
}

// runAll runs plans, shows meanwhile what is done, and afterwards what the programs
// printed where that is asked for.
func (h *hunting) runAll(ctx context.Context, step string, plans []harness.Plan) ([]*harness.Report, error) {
	reports, err := h.runShown(ctx, step, plans)
	for _, r := range reports {
		h.showOutput(h.program.name, r.Runs)
	}
	return reports, err
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// commandLine is the command that runs, as it can be given again.
func commandLine() string {
	words := []string{"rlvet"}
	for _, arg := range os.Args[1:] {
		if arg == "" || strings.ContainsAny(arg, " \t\n\"'$`\\*?[]{}()<>|&;#~!") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}
