package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rlvet/rlvet/internal/harness"
)

// runFlags are the flags of the commands that run programs.
type runFlags struct {
	launchFlags
	module, seeds, python, device, isolation string
	inPlace, respectSeeds, showOutput        bool
	limits                                   harness.Limits
	maxMemory, maxCopy                       int64 // megabytes
}

// register adds the flags that say what to run, and how far.
func (r *runFlags) register(f *pflag.FlagSet) {
	f.StringVarP(&r.module, "module", "m", "", "run a Python `MODULE` instead of a script, as python -m does")
	f.StringVar(&r.seeds, "seeds", "0,1,2,3,4", "`SEEDS` to run, comma separated")
	f.StringVar(&r.python, "python", "", "`PATH` of the Python to run with (default: VIRTUAL_ENV's or CONDA_PREFIX's, .venv's, venv's, or the first on PATH that has torch)")
	f.StringVar(&r.device, "device", "", "`DEVICE` to run on: cpu hides GPUs (default: what the script chooses)")
	f.DurationVar(&r.limits.Timeout, "timeout", harness.DefaultTimeout, "`TIME` for each run, such as 90s or 10m")
	f.IntVar(&r.limits.MaxSteps, "max-steps", 0, "end a run after this `NUMBER` of optimizer steps")
	f.IntVar(&r.limits.MaxEnvironmentSteps, "max-env-steps", 0, "end a run after this `NUMBER` of environment steps")
	f.Int64Var(&r.maxMemory, "max-memory", 0, "end a run that uses more than this many `MEGABYTES`")
	f.Int64Var(&r.maxCopy, "max-copy", harness.DefaultCopy>>20, "copy at most this many `MEGABYTES` of the project for each run")
	f.BoolVar(&r.inPlace, "in-place", false, "run in the project itself instead of a copy")
	f.StringVar(&r.isolation, "isolation", "auto", "how to isolate the script, by `MEANS`: auto, bwrap, userns or none")
	f.BoolVar(&r.respectSeeds, "respect-script-seeds", false, "let the script set its own seeds")
	f.BoolVar(&r.showOutput, "show-output", false, "print what the script printed")
}

// registerOnce is register for a command that runs one seed unless it is asked for others.
func (r *runFlags) registerOnce(f *pflag.FlagSet) {
	r.register(f)
	r.seeds, f.Lookup("seeds").DefValue = "0", "0"
}

// registerConfirm adds those of `rlvet confirm`.
func (r *runFlags) registerConfirm(f *pflag.FlagSet) {
	r.register(f)
	f.IntVar(&r.limits.MaxHits, "max-hits", harness.DefaultHits, "watch at most `NUMBER` evaluations of an expression")
	r.launchFlags.register(f)
}

// what returns the scripts to run, none for a module, and the programs' own arguments.
func (r *runFlags) what(cmd *cobra.Command, args []string) (scripts, rest []string, err error) {
	scripts = args
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		scripts, rest = args[:dash], args[dash:]
	}
	for _, name := range fixing {
		if f := cmd.Flags().Lookup(name); f != nil && f.Hidden && f.Changed {
			return nil, nil, fmt.Errorf("--%s: %s tries all fixes in copies and writes none; write them by rlvet check --fix", name, cmd.Name())
		}
	}
	switch {
	case r.module != "" && len(scripts) > 0:
		return nil, nil, fmt.Errorf("give a script or -m %s, not both; the program's own arguments come after --", r.module)
	case r.module == "" && len(scripts) == 0:
		return nil, nil, fmt.Errorf("name the script to run: rlvet %s train.py -- ARGUMENTS", cmd.Name())
	}
	return scripts, rest, nil
}

// fixing are the flags of check that would have fixes written.
var fixing = []string{"fix", "unsafe-fixes", "fixable", "unfixable"}

// hideFixing leaves those flags out of the help of a command that writes no fixes.
func hideFixing(f *pflag.FlagSet) {
	for _, name := range fixing {
		f.MarkHidden(name)
	}
}

// limit are the limits with what is given in megabytes.
func (r *runFlags) limit() harness.Limits {
	limits := r.limits
	limits.MaxMemory, limits.MaxCopy = r.maxMemory<<20, r.maxCopy<<20
	return limits
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
