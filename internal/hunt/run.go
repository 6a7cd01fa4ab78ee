package hunt

import (
	"context"
	"fmt"
	"os"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/vet"
)

// Request says what to hunt in, and how.
type Request struct {
	// Request is of one script, or a module.
	program.Request
	// Command is the command line, for the reader.
	Command string
	// AtATime is the number of seeds that are tried together where the first that fails
	// ends the search; 0 tries all seeds.
	AtATime int
	// Gradients says whether to try gradients against finite differences; Modules are those
	// of plain modules to try as well.
	Gradients bool
	Modules   []string
	// Record is the number of bytes of recorded inputs that may be kept; 0 keeps none.
	Record int64
	// Patch is the file of a fix to try, "" to try that of a finding which explains the
	// failure; NoFix tries none of those.
	Patch string
	NoFix bool
	// Test writes the test that would have caught what was found; nil for none.
	Test Tester
	// Checked is called once the program was checked; nil for nobody.
	Checked func(*program.Program)
}

// Tester writes a test of what was found.
type Tester interface {
	// Ready says, before anything runs, why the project at root can have no test.
	Ready(root string) error
	// Write writes the test, and puts it into the result. What the runs left is still there.
	Write(ctx context.Context, j *Job, r *Result) error
}

// Run hunts. The error is one that kept the program from being checked or run; of one that
// cannot run by itself the result has the Error.
func Run(ctx context.Context, r Request) (*Result, error) {
	work, err := paths.Temporary()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	job, err := r.job(ctx, work)
	if err != nil {
		return nil, err
	}
	result, err := job.Hunt(ctx)
	if err != nil {
		return nil, err
	}
	if trouble := result.Trouble(); trouble != "" {
		result.Error = fmt.Sprintf("%s: %s; %s", job.Name, trouble, harness.Advice(trouble, nil, job.Plan.Python))
		return result, nil
	}
	if r.Test == nil {
		return result, nil
	}
	return result, r.Test.Write(ctx, job, result)
}

// job checks the program and says what is to be done with it.
func (r *Request) job(ctx context.Context, work string) (*Job, error) {
	runner, err := program.NewRunner(r.Request)
	if err != nil {
		return nil, err
	}
	p, err := runner.Locate(runner.Scripts[0])
	if err != nil {
		return nil, err
	}
	if r.Test != nil {
		if err := r.Test.Ready(p.Root); err != nil {
			return nil, err
		}
	}
	job := &Job{
		Name: p.Name, Script: p.Path(), Dir: paths.Working(), Version: r.Check.Version, Command: r.Command, Work: work,
		AtATime: r.AtATime, Gradients: r.Gradients, NoFix: r.NoFix, Modules: r.Modules, Record: r.Record, Run: runner.Run,
		Check: func(ctx context.Context, path string) (*vet.Result, error) {
			request := r.Check
			request.Paths = []string{paths.Short(path)}
			return vet.CheckWhole(ctx, request)
		},
	}
	if r.Patch != "" {
		if job.Fix, err = ReadPatch(r.Patch, p.Root); err != nil {
			return nil, fmt.Errorf("--fix: %w", err)
		}
	}
	err = p.Vet(ctx)
	if r.Checked != nil && ctx.Err() == nil {
		r.Checked(p)
	}
	if err != nil {
		return nil, err
	}
	job.Notebook = p.Notebook
	job.Plan, err = p.Plan(ctx)
	return job, err
}
