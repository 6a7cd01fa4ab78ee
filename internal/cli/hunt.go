package cli

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rlvet/rlvet/internal/hunt"
)

// huntFlags are the flags of `rlvet hunt`.
type huntFlags struct {
	checkFlags
	runFlags
}

func (a *app) huntCommand() *cobra.Command {
	flags := &huntFlags{}
	cmd := &cobra.Command{
		Use: "hunt SCRIPT [-- ARGUMENTS...]", Short: "Find where training first goes wrong", Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runHunt(cmd, flags, args) },
	}
	flags.register(cmd.Flags())
	return cmd
}

func (h *huntFlags) register(f *pflag.FlagSet) {
	f.SortFlags = false
	h.runFlags.register(f)
	h.launcher = "local"
	h.launchFlags.registerJobs(f, "")
}

func (a *app) runHunt(cmd *cobra.Command, flags *huntFlags, args []string) error {
	r, err := a.newRunner(cmd, &flags.checkFlags, &flags.runFlags, args)
	if err != nil {
		return err
	}
	if len(r.scripts) > 1 {
		return errors.New("hunt runs one script; the program's own arguments come after --")
	}
	return r.launched(func() error { return r.hunt(cmd.Context()) })
}

func (r *runner) hunt(ctx context.Context) error {
	p := r.newProgram(r.scripts[0])
	if err := p.locate(); err != nil {
		return err
	}
	checked, err := p.vet(ctx)
	if err != nil {
		return err
	}
	python, err := r.python(ctx, p.root)
	if err != nil {
		return err
	}
	job := &hunt.Job{Plan: p.plan(python, checked), Run: r.runShown}
	result, err := job.Hunt(ctx)
	if err != nil {
		return err
	}
	if result.Failure != nil {
		r.exit = exitFindings
	}
	e := json.NewEncoder(r.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(result)
}
