package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/rules"
)

// confirmFlags are the flags of `rlvet confirm`.
type confirmFlags struct {
	checkFlags
	module, seeds, python, device, isolation string
	inPlace, respectSeeds, noFixCheck        bool
	showOutput                               bool
	runs                                     int
	limits                                   harness.Limits
	maxMemory, maxCopy                       int64 // megabytes
}

func (a *app) confirmCommand() *cobra.Command {
	flags := &confirmFlags{}
	cmd := &cobra.Command{
		Use:   "confirm SCRIPT [-- ARGUMENTS...]",
		Short: "Run a script under seeds, and prove or refute what is found in it",
		Long: "Check a script, run it unmodified under several seeds with the flagged expressions watched, and say of each finding\n" +
			"whether it was confirmed, with the numbers seen. Then apply the fix to a copy, run the same seeds again, and say whether\n" +
			"the mistake is gone. The script runs in a copy of its project, without network where the machine allows that.\n\n" +
			"The exit code is 1 if anything is confirmed, 0 if not, 2 if it could not run.",
		Example: "  rlvet confirm train.py -- --lr 3e-4\n  rlvet confirm -m package.train --seeds 0,1,2\n  rlvet confirm --select ADV009 --timeout 2m train.py",
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
	f.IntVar(&flags.runs, "runs", 1, "`NUMBER` of runs at a time")
	f.BoolVar(&flags.inPlace, "in-place", false, "run in the project itself instead of a copy")
	f.StringVar(&flags.isolation, "isolation", "auto", "what the script is kept from, by `MEANS`: auto, bwrap, userns or none")
	f.BoolVar(&flags.respectSeeds, "respect-script-seeds", false, "leave the seeds that the script sets as they are")
	f.BoolVar(&flags.noFixCheck, "no-fix-check", false, "do not try the fixes")
	f.BoolVar(&flags.showOutput, "show-output", false, "print what the script printed")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print verdicts only, no warnings")
	flags.register(f)
	return cmd
}

// confirmation is one `rlvet confirm`.
type confirmation struct {
	*session
	flags    *confirmFlags
	root     string // of the project, absolute
	script   string // relative to root
	seeds    []int
	findings []finding.Finding
	files    map[string]*source.File
	python   *harness.Python
}

func (a *app) runConfirm(cmd *cobra.Command, flags *confirmFlags, args []string) error {
	script, rest, err := flags.what(cmd, args)
	if err != nil {
		return err
	}
	resolver, err := flags.resolver(a, cmd)
	if err != nil {
		return err
	}
	s := &session{app: a, flags: &flags.checkFlags, resolver: resolver}
	if s.settings, err = resolver.For("."); err != nil {
		return err
	}
	c := &confirmation{session: s, flags: flags}
	if c.seeds, err = readSeeds(flags.seeds); err != nil {
		return err
	}
	if err := c.locate(script); err != nil {
		return err
	}
	return c.once(cmd.Context(), rest)
}

// what returns the script to run, "" for a module, and the program's own arguments.
func (f *confirmFlags) what(cmd *cobra.Command, args []string) (script string, rest []string, err error) {
	own, rest := args, []string(nil)
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		own, rest = args[:dash], args[dash:]
	}
	switch {
	case f.module != "" && len(own) > 0:
		return "", nil, fmt.Errorf("give a script or -m %s, not both; the program's own arguments come after --", f.module)
	case f.module == "" && len(own) == 0:
		return "", nil, errors.New("name the script to run: rlvet confirm train.py -- ARGUMENTS")
	case len(own) > 1:
		return "", nil, fmt.Errorf("one script at a time, not %s; the program's own arguments come after --", strings.Join(own, " "))
	case f.module != "":
		return "", rest, nil
	}
	return own[0], rest, nil
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

// locate finds the script and its project.
func (c *confirmation) locate(script string) error {
	if script == "" {
		path, err := moduleFile(c.flags.module)
		if err != nil {
			return err
		}
		script = path
	}
	info, err := os.Stat(script)
	switch {
	case err != nil:
		return fmt.Errorf("%s: no such script", script)
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name the script in it that trains", script)
	}
	abs, err := filepath.Abs(script)
	if err != nil {
		return err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return err
	}
	c.root = project.Root(project.OS{}, abs)
	if c.script, err = filepath.Rel(c.root, abs); err != nil {
		return err
	}
	return c.collect([]string{script})
}

// moduleFile finds the file of a module below the working directory.
func moduleFile(module string) (string, error) {
	base := filepath.Join(strings.Split(module, ".")...)
	for _, path := range []string{base + ".py", filepath.Join(base, "__main__.py"), filepath.Join("src", base+".py")} {
		if fileExists(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("-m %s: no %s.py or %s/__main__.py here; start rlvet where you start the module", module, base, base)
}

// once checks, runs and reports.
func (c *confirmation) once(ctx context.Context, args []string) error {
	c.warn()
	out, err := c.examine(ctx, nil)
	if err != nil {
		return err
	}
	r := c.judge(out)
	c.tell(r.Problems)
	c.findings, c.files = r.Findings, r.Files
	if code := c.exitCode(&judged{report: r}); code == exitFailure {
		c.exit = exitFailure
		return nil
	}
	conf := &report.Confirmation{Report: r, Script: c.script}
	if len(c.findings) > 0 {
		if err := c.run(ctx, args, conf); err != nil {
			return err
		}
	}
	c.exit = exitClean
	if conf.Confirmed() > 0 {
		c.exit = exitFindings
	}
	return c.reportConfirmation(conf)
}

// run runs the seeds, and then the fixes.
func (c *confirmation) run(ctx context.Context, args []string, conf *report.Confirmation) error {
	python, err := harness.FindPython(ctx, c.flags.python, c.root)
	if err != nil {
		return err
	}
	if c.python = python; python.Torch == "" {
		return fmt.Errorf("%s has no torch; activate the environment in which you train, or give --python PATH", python.Path)
	}
	plan, err := c.plan(args)
	if err != nil {
		return err
	}
	conf.Python = python
	begun := time.Now()
	if conf.Outcome, err = harness.Run(ctx, plan); err != nil {
		return err
	}
	conf.Reproducible, err = c.repeat(ctx, plan, conf.Outcome)
	if err == nil && !c.flags.noFixCheck {
		conf.Fixes, err = c.tryFixes(ctx, plan, conf.Outcome)
	}
	conf.Seconds = time.Since(begun).Seconds()
	return err
}

// plan turns findings into targets.
func (c *confirmation) plan(args []string) (harness.Plan, error) {
	limits := c.flags.limits
	limits.MaxMemory, limits.MaxCopy = c.flags.maxMemory<<20, c.flags.maxCopy<<20
	p := harness.Plan{
		Root: c.root, Script: c.script, Module: c.flags.module, Args: args, Seeds: c.seeds, Python: c.python, Device: c.flags.device,
		Isolation: harness.Isolation(c.flags.isolation), RespectSeeds: c.flags.respectSeeds, InPlace: c.flags.inPlace, Jobs: c.flags.runs, Limits: limits,
		Overlay: map[string][]byte{},
	}
	if p.Module != "" {
		p.Script = ""
	}
	for i, f := range c.findings {
		t, err := c.target(i, f)
		if err != nil {
			return p, err
		}
		p.Targets = append(p.Targets, t)
	}
	if file := c.files[c.inputs[0].Path]; file != nil && file.Cells != nil {
		p.Script = notebookScript(p.Script)
		p.Overlay[p.Script] = file.Text
	}
	return p, nil
}

// notebookScript names the script that a notebook's cells are run as.
func notebookScript(path string) string { return strings.TrimSuffix(path, ".ipynb") + "_ipynb.py" }

// target is the place of a finding in the copy of the project.
func (c *confirmation) target(id int, f finding.Finding) (harness.Target, error) {
	file := c.files[f.Range.File]
	abs, err := filepath.Abs(f.Range.File)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return harness.Target{}, err
	}
	rel, err := filepath.Rel(c.root, abs)
	if err != nil {
		return harness.Target{}, err
	}
	if file.Cells != nil {
		rel = notebookScript(rel)
	}
	return harness.Target{
		ID: id, Code: f.Code, File: rel, Start: f.Range.StartByte, End: f.Range.EndByte,
		Row: row(file, f.Range.StartByte), EndRow: row(file, f.Range.EndByte),
		Text: string(file.Text[f.Range.StartByte:f.Range.EndByte]), Probe: rules.Probe(f.Code),
	}, nil
}

// row is the line of an offset in the text that runs: the whole program's for a notebook.
func row(file *source.File, offset int) int {
	return 1 + strings.Count(string(file.Text[:offset]), "\n")
}

// repeat runs one seed once more: the first losses must be the same.
func (c *confirmation) repeat(ctx context.Context, p harness.Plan, first *harness.Report) (*report.Reproduction, error) {
	p.Seeds = p.Seeds[:1]
	again, err := harness.Run(ctx, p)
	if err != nil {
		return nil, err
	}
	return report.Compare(first.Runs[0], again.Runs[0]), nil
}

// reportConfirmation writes the report.
func (c *confirmation) reportConfirmation(conf *report.Confirmation) error {
	if c.flags.showOutput && conf.Outcome != nil {
		for _, r := range conf.Outcome.Runs {
			fmt.Fprintf(c.Stderr, "-- seed %d --\n%s\n", r.Seed, r.Output)
		}
	}
	return report.WriteConfirmation(c.Stdout, conf, c.settings.OutputFormat, c.coloured(c.Stdout))
}
