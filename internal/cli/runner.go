package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/harness"
)

// runner is what the commands that run programs share: what to run and where, with which
// Python, and the settings by which the programs are checked first.
type runner struct {
	*app
	checkFlags *checkFlags
	runFlags   *runFlags
	resolver   *config.Resolver
	settings   *config.Settings // of the working directory
	scripts    []string
	args       []string // of the programs
	seeds      []int
	launcher   harness.Launcher
	pythons    map[string]*harness.Python // by the project's folder
	notes      io.Writer                  // for lines about what goes on
}

// newRunner reads the command line.
func (a *app) newRunner(cmd *cobra.Command, check *checkFlags, run *runFlags, args []string) (*runner, error) {
	r := &runner{app: a, checkFlags: check, runFlags: run, pythons: map[string]*harness.Python{}, notes: a.Stderr}
	var err error
	if r.scripts, r.args, err = run.what(cmd, args); err != nil {
		return nil, err
	}
	if r.resolver, err = check.resolver(a, cmd); err != nil {
		return nil, err
	}
	if r.settings, err = r.resolver.For("."); err != nil {
		return nil, err
	}
	if r.seeds, err = readSeeds(run.seeds); err != nil {
		return nil, err
	}
	return r, harness.Isolation(run.isolation).Valid()
}

// launched calls work once there is a launcher, and closes that afterwards.
func (r *runner) launched(work func() error) error {
	launcher, end, err := r.launch()
	if err != nil {
		return err
	}
	r.launcher = launcher
	err = work()
	if trouble := end(err != nil); trouble != nil {
		r.warnf("%v", trouble)
	}
	return err
}

// note writes a line about what goes on.
func (r *runner) note(text string) {
	if !r.checkFlags.quiet {
		fmt.Fprintln(r.notes, text)
	}
}

// python finds the Python to run with, once for all scripts of a project.
func (r *runner) python(ctx context.Context, root string) (*harness.Python, error) {
	if p := r.pythons[root]; p != nil {
		return p, nil
	}
	p, err := harness.FindPython(ctx, r.runFlags.python, root)
	switch {
	case err != nil:
		return nil, err
	case p.Torch == "":
		return nil, fmt.Errorf("%s has no torch; activate the environment in which you train, or give --python PATH", p.Path)
	}
	r.pythons[root] = p
	return p, nil
}

// showOutput writes what the programs printed, where that is asked for.
func (r *runner) showOutput(script string, runs []harness.SeedRun) {
	if !r.runFlags.showOutput {
		return
	}
	for _, run := range runs {
		fmt.Fprintf(r.Stderr, "-- %s, seed %d --\n%s\n", script, run.Seed, run.Output)
	}
}
