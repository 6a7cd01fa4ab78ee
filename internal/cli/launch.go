package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/harness/slurm"
)

// launchFlags say where the runs go.
type launchFlags struct {
	launcher, work, slurmArgs string
	gpus, jobs                int
}

func (l *launchFlags) register(f *pflag.FlagSet) {
	l.registerJobs(f, "; with Slurm, as many as it allows")
	f.StringVar(&l.launcher, "launcher", "local", "where to run, by `KIND`: local, or slurm for one array of all scripts and seeds")
	f.StringVar(&l.slurmArgs, "slurm-args", "", "more `ARGUMENTS` for sbatch, such as \"--partition=gpu --time=30\"")
	f.IntVar(&l.gpus, "gpus", 0, "`NUMBER` of GPUs for each run, with Slurm")
	f.StringVar(&l.work, "work-dir", "", "`FOLDER` that all nodes share, for Slurm (default: rlvet/slurm in your cache folder)")
}

// registerJobs adds the flag for runs on this machine.
func (l *launchFlags) registerJobs(f *pflag.FlagSet, elsewhere string) {
	f.IntVarP(&l.jobs, "jobs", "j", 0, "`NUMBER` of runs at a time (default: one per GPU, each run then sees its own; without a GPU one"+elsewhere+")")
}

func (l *launchFlags) validJobs() error {
	if l.jobs < 0 {
		return fmt.Errorf("--jobs: %d is not a number of runs; give 1 or more", l.jobs)
	}
	return nil
}

// launch makes the launcher that the flags ask for. close ends its work; keep says that the
// same command, given again, is to go on where this one ended.
func (r *runner) launch() (l harness.Launcher, close func(keep bool) error, err error) {
	f := &r.flags.launchFlags
	if err := f.validJobs(); err != nil {
		return nil, nil, err
	}
	switch {
	case f.gpus < 0:
		return nil, nil, fmt.Errorf("--gpus: %d is not a number of GPUs; give 0 or more", f.gpus)
	case f.launcher == "local" && (f.slurmArgs != "" || f.gpus > 0 || f.work != ""):
		return nil, nil, errors.New("--slurm-args, --gpus and --work-dir go with --launcher slurm")
	case f.launcher == "local":
		return harness.Local{Jobs: f.jobs}, func(bool) error { return nil }, nil
	case f.launcher != "slurm":
		return nil, nil, fmt.Errorf("--launcher %s: there are local and slurm", f.launcher)
	case r.flags.inPlace:
		return nil, nil, errors.New("--in-place and --launcher slurm contradict each other; the nodes work in copies")
	}
	work, err := workFolder(f.work)
	if err != nil {
		return nil, nil, err
	}
	s := &slurm.Launcher{Work: work, GPUs: f.gpus, Jobs: f.jobs, Args: strings.Fields(f.slurmArgs), Say: r.note}
	return s, s.Close, nil
}

// workFolder is the folder for the folders of jobs.
func workFolder(given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no cache folder (%v); give --work-dir", err)
	}
	return filepath.Join(cache, "rlvet", "slurm"), nil
}

// runUnitCommand is what the task of an array is on its node. It is not for people.
func (a *app) runUnitCommand() *cobra.Command {
	return &cobra.Command{
		Use: "run-unit FOLDER INDEX", Short: "Run one unit of a batch", Hidden: true, Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			index, err := strconv.Atoi(args[1])
			if err != nil {
				return fmt.Errorf("%q is not the index of a unit", args[1])
			}
			return slurm.RunUnit(cmd.Context(), args[0], index)
		},
	}
}
