package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/observe"
	"github.com/rlvet/rlvet/internal/words"
)

// observeFlags are the flags of `rlvet observe`.
type observeFlags struct {
	checkFlags
	runFlags
	compare bool
}

func (a *app) observeCommand() *cobra.Command {
	flags := &observeFlags{}
	cmd := &cobra.Command{
		Use:   "observe SCRIPT [-- ARGUMENTS...]",
		Short: "Run a script for a moment and check it by what its values were",
		Long: "Run a script unmodified, in a copy of its project, for one short seed, and record what every expression is: what made it, its shape, whether\n" +
			"a gradient is attached. Then check the program with the record beside it: what a registry calls, what a container or a framework hands over is\n" +
			"known. Places that did not run are not judged.\n\n" +
			"The exit code is 0 if nothing was found, 1 if something was, 2 if the script could not run or be checked.",
		Example: "  rlvet observe train.py -- --total-timesteps 4096\n  rlvet observe train.py --max-steps 20 --output-format sarif",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runObserve(cmd, flags, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	flags.runFlags.registerOnce(f)
	f.BoolVar(&flags.compare, "compare", false, "list where the run contradicts what is inferred without it: defects of rlvet")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print findings only, and show no progress")
	flags.checkFlags.register(f)
	hideFixing(f)
	return cmd
}

func (a *app) runObserve(cmd *cobra.Command, flags *observeFlags, args []string) error {
	r, err := a.newRunner(cmd, &flags.checkFlags, &flags.runFlags, args)
	if err != nil {
		return err
	}
	result, err := observe.Run(cmd.Context(), observe.Request{Request: r.request, Compare: flags.compare})
	if result != nil {
		r.showOutput(result.Script, []harness.SeedRun{result.Run})
	}
	if err != nil {
		return err
	}
	check := &session{app: a, flags: &flags.checkFlags, settings: r.settings}
	check.tell(result.Checked.Problems)
	a.exit = check.exitCode(result.Checked)
	if err := check.report(result.Checked, a.Stdout); err != nil {
		return err
	}
	for _, d := range result.Compared.Wrong {
		fmt.Fprintf(a.Stdout, "%s: %s of `%s`: inferred %s, seen %s\n", d.Place, d.What, words.Plain(d.Text), d.Said, d.Seen)
	}
	if flags.compare {
		fmt.Fprintf(a.Stdout, "%s known to both sources, %d different.\n", words.Count(result.Compared.Values, "fact"), len(result.Compared.Wrong))
	}
	r.note(result.Summary())
	return nil
}
