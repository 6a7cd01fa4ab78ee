package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/program"
)

// runner is what the commands that run programs share: what to run and where, and what is
// shown meanwhile.
type runner struct {
	*app
	flags    *runFlags
	quiet    bool
	settings *config.Settings // of the working directory
	request  program.Request
	notes    io.Writer // for lines about what goes on
}

// newRunner reads the command line.
func (a *app) newRunner(cmd *cobra.Command, check *checkFlags, run *runFlags, args []string) (*runner, error) {
	r := &runner{app: a, flags: run, quiet: check.quiet, notes: a.Stderr}
	scripts, own, err := run.what(cmd, args)
	if err != nil {
		return nil, err
	}
	resolver, err := check.resolver(a, cmd)
	if err != nil {
		return nil, err
	}
	if r.settings, err = resolver.For("."); err != nil {
		return nil, err
	}
	r.request = program.Request{Check: a.request(check, resolver), Scripts: scripts, Python: run.python, Step: r.step}
	r.request.Plan, err = run.plan()
	r.request.Plan.Args = own
	return r, err
}

// plan is what the flags say of all runs.
func (r *runFlags) plan() (harness.Plan, error) {
	seeds, err := readSeeds(r.seeds)
	if err != nil {
		return harness.Plan{}, err
	}
	p := harness.Plan{
		Module: r.module, Seeds: seeds, Device: r.device, Isolation: harness.Isolation(r.isolation),
		RespectSeeds: r.respectSeeds, InPlace: r.inPlace, Limits: r.limit(),
	}
	return p, p.Isolation.Valid()
}

// launched calls work once there is a launcher, and closes that afterwards.
func (r *runner) launched(work func() error) error {
	launcher, end, err := r.launch()
	if err != nil {
		return err
	}
	r.request.Launcher = launcher
	err = work()
	if trouble := end(err != nil); trouble != nil {
		r.warnf("%v", trouble)
	}
	return err
}

// note writes a line about what goes on.
func (r *runner) note(text string) {
	if !r.quiet {
		fmt.Fprintln(r.notes, text)
	}
}

// showOutput writes what the programs printed, where that is asked for.
func (r *runner) showOutput(script string, runs []harness.SeedRun) {
	if !r.flags.showOutput {
		return
	}
	for _, run := range runs {
		fmt.Fprintf(r.Stderr, "-- %s, seed %d --\n%s\n", script, run.Seed, run.Output)
	}
}
