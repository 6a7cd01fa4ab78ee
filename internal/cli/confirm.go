package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/harness"
)

// confirmFlags are the flags of `rlvet confirm`.
type confirmFlags struct {
	checkFlags
	launchFlags
	module, seeds, python, device, isolation string
	inPlace, respectSeeds, noFixCheck        bool
	showOutput                               bool
	html                                     string
	limits                                   harness.Limits
	maxMemory, maxCopy                       int64 // megabytes
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
	f.StringVarP(&flags.module, "module", "m", "", "run a `MODULE` instead of a script")
	f.StringVar(&flags.seeds, "seeds", "0,1,2,3,4", "`SEEDS` to run, comma separated")
	f.StringVar(&flags.python, "python", "", "`PATH` of the Python to run with (default: the active environment's, or .venv's)")
	f.StringVar(&flags.device, "device", "", "`DEVICE` to run on: cpu hides GPUs (default: what the script takes)")
	f.DurationVar(&flags.limits.Timeout, "timeout", harness.DefaultTimeout, "`TIME` for each run, such as 90s or 10m")
	f.IntVar(&flags.limits.MaxSteps, "max-steps", 0, "end a run after this `NUMBER` of optimizer steps")
	f.IntVar(&flags.limits.MaxEnvironmentSteps, "max-env-steps", 0, "end a run after this `NUMBER` of environment steps")
	f.IntVar(&flags.limits.MaxHits, "max-hits", harness.DefaultHits, "look at so many evaluations of an expression (`NUMBER`)")
	f.Int64Var(&flags.maxMemory, "max-memory", 0, "end a run that uses more than so many `MEGABYTES`")
	f.Int64Var(&flags.maxCopy, "max-copy", harness.DefaultCopy>>20, "`MEGABYTES` of the project that may be copied for each run")
	flags.launchFlags.register(f)
	f.BoolVar(&flags.inPlace, "in-place", false, "run in the project itself instead of a copy")
	f.StringVar(&flags.isolation, "isolation", "auto", "what the script is kept from, by `MEANS`: auto, bwrap, userns or none")
	f.BoolVar(&flags.respectSeeds, "respect-script-seeds", false, "leave the seeds that the script sets as they are")
	f.BoolVar(&flags.noFixCheck, "no-fix-check", false, "do not try the fixes")
	f.BoolVar(&flags.showOutput, "show-output", false, "print what the script printed")
	f.StringVar(&flags.html, "html", "", "write the evidence to a `FILE` as a page with plots, besides the report")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print verdicts only, no warnings")
	flags.checkFlags.register(f)
	for _, name := range fixing {
		f.MarkHidden(name)
	}
	return cmd
}

// fixing are the flags of check that would have fixes written.
var fixing = []string{"fix", "unsafe-fixes", "fixable", "unfixable"}

// what returns the scripts to run, none for a module, and the programs' own arguments.
func (f *confirmFlags) what(cmd *cobra.Command, args []string) (scripts, rest []string, err error) {
	scripts = args
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		scripts, rest = args[:dash], args[dash:]
	}
	for _, name := range fixing {
		if cmd.Flags().Changed(name) {
			return nil, nil, fmt.Errorf("--%s: confirm tries all fixes in copies and writes none; write them by rlvet check --fix", name)
		}
	}
	switch {
	case f.module != "" && len(scripts) > 0:
		return nil, nil, fmt.Errorf("give a script or -m %s, not both; the program's own arguments come after --", f.module)
	case f.module == "" && len(scripts) == 0:
		return nil, nil, errors.New("name the script to run: rlvet confirm train.py -- ARGUMENTS")
	}
	return scripts, rest, nil
}

func readSeeds(list string) ([]int, error) {
	var out []int
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 0 {
			return nil, fmt.Errorf("--seeds: %q is not a seed; give numbers such as 0,1,2", s)
		}
		out = append(out, n)
	}
	return out, nil
}
