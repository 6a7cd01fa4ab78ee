package cli

import (
	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/harness"
)

// confirmFlags are the flags of `rlvet confirm`.
type confirmFlags struct {
	checkFlags
	runFlags
	noFixCheck bool
	html       string
}

func (a *app) confirmCommand() *cobra.Command {
	flags := &confirmFlags{}
	cmd := &cobra.Command{
		Use:   "confirm SCRIPT... [-- ARGUMENTS...]",
		Short: "Run scripts under seeds, and prove or refute what is found in them",
		Long: "Check scripts, run each unmodified under several seeds with the flagged expressions watched, and say of each finding\n" +
			"whether it was confirmed, with the numbers seen. Then apply the fix to a copy, run the same seeds again, and say whether\n" +
			"the mistake is gone. A script runs in a copy of its project, without network where the machine allows that.\n\n" +
			"The exit code is 1 if anything is confirmed, 0 if not, 2 if something could not run.",
		Example: "  rlvet confirm train.py -- --lr 3e-4\n  rlvet confirm -m package.train --seeds 0,1,2\n  rlvet confirm --select ADV009 --timeout 2m ppo.py grpo.py\n  rlvet confirm --launcher slurm --gpus 1 ppo.py grpo.py",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runConfirm(cmd, flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	flags.runFlags.register(f, "module")
	f.IntVar(&flags.limits.MaxHits, "max-hits", harness.DefaultHits, "look at so many evaluations of an expression (`NUMBER`)")
	flags.launchFlags.register(f)
	f.BoolVar(&flags.noFixCheck, "no-fix-check", false, "do not try the fixes")
	f.StringVar(&flags.html, "html", "", "write the evidence to a `FILE` as a page with plots, besides the report")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print verdicts only, no warnings")
	flags.checkFlags.register(f)
	for _, name := range fixing {
		f.MarkHidden(name)
	}
	return cmd
}
