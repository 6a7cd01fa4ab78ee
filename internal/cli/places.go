package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/watch"
)

// placeFlags are the flags of `rlvet watch`.
type placeFlags struct {
	checkFlags
	runFlags
	at                []string
	clip              float64
	format, csv, html string
}

func (a *app) watchCommand() *cobra.Command {
	flags := &placeFlags{}
	cmd := &cobra.Command{
		Use:   "watch SCRIPT [--at FILE:LINE]... [-- ARGUMENTS...]",
		Short: "Run a script and show what its expressions are, by update and mini-epoch",
		Long: "Run a script unmodified, in a copy of its project, and write down what its expressions are at each evaluation: shape, mean, std, range,\n" +
			"zeros, NaN, and whether a gradient is attached; of ratios the clipped share and the approximate KL. It is what people paste prints for.\n\n" +
			"--at FILE:LINE watches the value that the line assigns, returns or evaluates; --at 'adv.std()@ppo.py:88' an expression of your own, behind\n" +
			"the line; in a notebook --at 'FILE:cell 3:4'. With no --at, what rlvet infers to be the ratio, the advantages, the log-probs, the KL, the\n" +
			"entropy, the logits and the losses is watched, under any names; of what it cannot infer, variables whose names say so.\n\n" +
			"The exit code is 0, or 2 if a place could not be watched or the script could not run.",
		Example: "  rlvet watch ppo.py -- --total-timesteps 4096\n  rlvet watch train.py --at loss.py:42 --at 'adv.std()@ppo.py:88' --csv values.csv\n  rlvet watch train.py --seeds 0,1,2 --html curves.html",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runWatch(cmd, flags, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&flags.at, "at", nil, "watch `FILE:LINE`, FILE:LINE:COLUMN or EXPRESSION@FILE:LINE (repeatable)")
	f.Float64Var(&flags.clip, "clip", watch.DefaultClip, "a ratio farther from 1 than this `NUMBER` counts as clipped")
	flags.runFlags.registerOnce(f)
	f.StringVar(&flags.csv, "csv", "", "write every evaluation to a `FILE`, a row each")
	f.StringVar(&flags.html, "html", "", "write curves to a `FILE` as a page")
	f.StringVar(&flags.format, "output-format", "text", "print as `FORMAT`: text, json, csv")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "show no progress")
	return cmd
}

// placeWriters write the result, by format.
var placeWriters = map[string]func(io.Writer, *watch.Result) error{"text": watch.WriteText, "json": watch.WriteJSON, "csv": watch.WriteCSV}

// valid says what of the flags makes no sense, and reads the places.
func (p *placeFlags) valid() (list []watch.At, err error) {
	switch {
	case placeWriters[p.format] == nil:
		return nil, fmt.Errorf("--output-format %s: watch prints text, json or csv", p.format)
	case !(p.clip > 0):
		return nil, fmt.Errorf("--clip: %g is no clip range; give a number above 0", p.clip)
	}
	for flag, path := range map[string]string{"--csv": p.csv, "--html": p.html} {
		if path == "" {
			continue
		}
		if err := writable(path); err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
	}
	for _, text := range p.at {
		at, err := watch.ParseAt(text)
		if err != nil {
			return nil, fmt.Errorf("--at: %w", err)
		}
		list = append(list, at)
	}
	return list, nil
}

func (a *app) runWatch(cmd *cobra.Command, flags *placeFlags, args []string) error {
	list, err := flags.valid()
	if err != nil {
		return err
	}
	r, err := a.newRunner(cmd, &flags.checkFlags, &flags.runFlags, args)
	if err != nil {
		return err
	}
	result, err := watch.Run(cmd.Context(), watch.Request{Request: r.request, At: list, Clip: flags.clip})
	if err != nil {
		return err
	}
	r.showOutput(result.Script, result.Runs)
	return a.watched(flags, result)
}

// watched reports what was seen.
func (a *app) watched(flags *placeFlags, result *watch.Result) error {
	a.exit = exitClean
	for _, line := range append(result.Misplaced, result.Trouble()...) {
		a.errorf("%s", line)
		a.exit = exitFailure
	}
	if len(result.Places) == 0 {
		return nil
	}
	if err := writeOutput("--csv", flags.csv, func(w io.Writer) error { return watch.WriteCSV(w, result) }); err != nil {
		return err
	}
	if err := writeOutput("--html", flags.html, func(w io.Writer) error { return watch.WritePage(w, result) }); err != nil {
		return err
	}
	return placeWriters[flags.format](a.Stdout, result)
}
