package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/hunt/emit"
	"github.com/rlvet/rlvet/internal/hunt/postmortem"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/program"
)

// huntFlags are the flags of `rlvet hunt`.
type huntFlags struct {
	checkFlags
	runFlags
	untilNaN              int
	patch, report, tests  string
	modules               []string
	noGradients, noRecord bool
	noFixCheck            bool
	maxRecord             int64 // megabytes
	format                string
}

func (a *app) huntCommand() *cobra.Command {
	flags := &huntFlags{}
	cmd := &cobra.Command{
		Use:   "hunt SCRIPT [-- ARGUMENTS...]",
		Short: "Find where training first turns non-finite, or where a gradient is wrong",
		Long: "Run a script unmodified under several seeds until training fails: a loss, gradient, parameter, reward or observation that is\n" +
			"not finite, or a gradient that explodes. Run the failing seed again operation by operation, and name the first one that turned\n" +
			"finite inputs into NaN or infinity: its line, its module, its inputs and outputs. Compare the gradients\n" +
			"of each autograd.Function that ran, and of the outermost modules, with finite differences. Then try a fix under the same seeds. The script runs in copies of its project.\n\n" +
			"The exit code is 1 if a seed failed or a gradient is wrong, 0 if not, 2 if the script could not run.",
		Example: "  rlvet hunt train.py --seeds 7,19,23 -- --lr 3e-4\n  rlvet hunt train.py --until-nan 50 --jobs 2\n  rlvet hunt train.py --seeds 7 --fix change.patch\n  rlvet hunt -m package.train --check-gradient policy.gate --output-format json",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runHunt(cmd, flags, args) },
	}
	flags.register(cmd.Flags())
	return cmd
}

func (h *huntFlags) register(f *pflag.FlagSet) {
	f.SortFlags = false
	h.runFlags.register(f)
	f.IntVar(&h.untilNaN, "until-nan", 0, "try the seeds 0 to `NUMBER` - 1 until one fails, instead of --seeds")
	f.StringVar(&h.patch, "fix", "", "try the patch in this `FILE`, as git diff writes it, instead of rlvet's own fix")
	f.StringArrayVar(&h.modules, "check-gradient", nil, "check the gradient of this network module too: its `NAME`, such as policy.gate; may be repeated")
	f.BoolVar(&h.noGradients, "no-gradients", false, "do not check gradients against finite differences")
	f.BoolVar(&h.noFixCheck, "no-fix-check", false, "do not try the fix of a rule that explains the failure")
	f.BoolVar(&h.noRecord, "no-record", false, "do not record the data that the script trains on")
	f.Int64Var(&h.maxRecord, "max-record", 64, "keep at most this many `MEGABYTES` of recorded inputs")
	f.StringVar(&h.report, "report", "", "write the post-mortem, postmortem.md and postmortem.html, into this `FOLDER`")
	f.StringVar(&h.tests, "emit-test", "", "write a pytest test that replays the failure into this `FOLDER` of the project, and a workflow that runs it")
	h.launcher = "local"
	h.launchFlags.registerJobs(f, "")
	f.StringVar(&h.format, "output-format", "text", "print as `FORMAT`: text, json")
	f.BoolVarP(&h.quiet, "quiet", "q", false, "show no progress and no warnings")
	h.checkFlags.registerRules(f)
}

// valid says what of the flags contradicts itself.
func (h *huntFlags) valid(f *pflag.FlagSet) error {
	switch {
	case h.untilNaN < 0 || f.Changed("until-nan") && h.untilNaN == 0:
		return fmt.Errorf("--until-nan: %d is not a number of seeds; give 1 or more", h.untilNaN)
	case h.untilNaN > 0 && f.Changed("seeds"):
		return errors.New("--until-nan and --seeds contradict each other; give one of them")
	case h.noGradients && len(h.modules) > 0:
		return errors.New("--no-gradients and --check-gradient contradict each other; give one of them")
	case h.maxRecord < 0:
		return fmt.Errorf("--max-record: %d is not a number of megabytes; give 0 or more", h.maxRecord)
	case !slices.Contains([]string{"text", "json"}, h.format):
		return fmt.Errorf("--output-format %s: hunt prints text or json", h.format)
	}
	return folder("--report", h.report)
}

func (a *app) runHunt(cmd *cobra.Command, flags *huntFlags, args []string) error {
	if err := flags.valid(cmd.Flags()); err != nil {
		return err
	}
	flags.explainFreely()
	r, err := a.newRunner(cmd, &flags.checkFlags, &flags.runFlags, args)
	if err != nil {
		return err
	}
	if len(r.request.Scripts) > 1 {
		return errors.New("hunt runs one script; the program's own arguments come after --")
	}
	h := &hunting{runner: r, flags: flags}
	return r.launched(func() error { return h.once(cmd.Context()) })
}

// hunting is one `rlvet hunt`.
type hunting struct {
	*runner
	flags *huntFlags
	wrong sync.Once // tells of a gradient that is wrong
}

// once hunts and reports.
func (h *hunting) once(ctx context.Context) error {
	bar := &checkBar{app: h.app, quiet: h.quiet}
	defer bar.close()
	request := h.huntRequest()
	request.Check.Progress = bar.set
	script := ""
	request.Checked = func(p *program.Program) {
		bar.close()
		script = p.Name
		check := &session{app: h.app, flags: &h.flags.checkFlags}
		if p.Checked != nil {
			check.warn(p.Checked.Warnings)
			check.tell(p.Checked.Problems)
		}
	}
	request.Step = func(name string, plans []harness.Plan) func([]*harness.Report) {
		bar.close()
		end := h.step(name, plans)
		h.tellWrong(plans)
		return func(reports []*harness.Report) {
			end(reports)
			for _, r := range reports {
				h.showOutput(script, r.Runs)
			}
		}
	}
	result, err := hunt.Run(ctx, request)
	if err != nil {
		return err
	}
	switch {
	case result.Error != "":
		h.errorf("%s", result.Error)
		h.exit = exitFailure
	case result.Found():
		h.exit = exitFindings
	}
	if h.flags.report != "" && result.Error == "" {
		files, err := postmortem.Write(h.flags.report, result)
		if err != nil {
			return fmt.Errorf("--report: %w", err)
		}
		maps.Copy(result.Files, files)
	}
	if h.flags.format == "json" {
		return hunt.WriteJSON(h.Stdout, result)
	}
	return hunt.WriteText(h.Stdout, result, h.coloured(h.Stdout))
}

// tellWrong has plans that are about to run tell of the first wrong gradient as soon as it is known.
func (h *hunting) tellWrong(plans []harness.Plan) {
	for i := range plans {
		p, inner := &plans[i], plans[i].Progress
		p.Progress = func(e harness.Progress) {
			if inner != nil {
				inner(e)
			}
			if e.Kind != "wrong-gradient" {
				return
			}
			h.wrong.Do(func() {
				place := ""
				if e.Wrong.Filename != nil && p.Notebook == nil {
					place = fmt.Sprintf(" (%s:%d)", paths.Short(filepath.Join(p.Root, filepath.FromSlash(*e.Wrong.Filename))), e.Wrong.Row)
				}
				h.note(fmt.Sprintf("seed %d: the gradient of %s%s is wrong; going on ...", e.Seed, e.Wrong.Function, place))
			})
		}
	}
}

// huntRequest is what the flags ask for.
func (h *hunting) huntRequest() hunt.Request {
	f := h.flags
	r := hunt.Request{
		Request: h.request, Command: commandLine(), Gradients: !f.noGradients, Modules: f.modules, Record: f.maxRecord << 20,
		Patch: f.patch, NoFix: f.noFixCheck,
	}
	if f.noRecord {
		r.Record = 0
	}
	if f.untilNaN > 0 {
		r.Plan.Seeds, r.AtATime = nil, max(1, f.jobs)
		for seed := range f.untilNaN {
			r.Plan.Seeds = append(r.Plan.Seeds, seed)
		}
	}
	if f.tests != "" {
		r.Test = &emit.Tests{Dir: f.tests, Revision: revision(), Say: func(step string) { h.note(step + " ...") }}
	}
	return r
}

// folder says before anything runs what would keep files from being written to a folder.
func folder(flag, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: %s is a file; name a folder", flag, path)
	}
	return nil
}

// commandLine is the command that runs, as it can be given again.
func commandLine() string {
	words := []string{"rlvet"}
	for _, arg := range os.Args[1:] {
		if arg == "" || strings.ContainsAny(arg, " \t\n\"'$`\\*?[]{}()<>|&;#~!") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}
