package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/read"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
)

// auditFlags are the flags of `rlvet audit`.
type auditFlags struct {
	checkFlags
	preferences, metrics []string
	primary              string
	scripts              []string
	html, callback       string
	live                 bool
	untilIdle            time.Duration
	format               string
}

func (a *app) auditCommand() *cobra.Command {
	flags := &auditFlags{}
	cmd := &cobra.Command{
		Use:   "audit RUN_DIR",
		Short: "Judge what a training run left: is its reward honest, and which checkpoint to take",
		Long: "Read what a run of PPO, GRPO or RLHF left in a folder (logs of trainers, TensorBoard and W&B, completions, checkpoints), and say\n" +
			"whether its reward rose because the policy became better or because it cheats: KL, length, repetition, entropy, clipping, held-out\n" +
			"scores. Checkpoints at which a signal alerts are out; of the others the one that held-out judgements prefer is recommended, never\n" +
			"the one with the highest reward. What was not logged is said. Nothing is run, and nothing is written unless asked for.\n\n" +
			"The exit code is 0 if nothing alerts, 1 if something does, 2 if the run could not be read.",
		Example: "  rlvet audit runs/ppo-7b\n  rlvet audit runs/ppo-7b --preferences ratings.csv --html audit.html\n  rlvet audit runs/ppo-7b --live --until-idle 30m\n  rlvet audit --emit-callback",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runAudit(cmd, flags, args) },
	}
	flags.register(cmd.Flags())
	return cmd
}

func (f *auditFlags) register(s *pflag.FlagSet) {
	s.SortFlags = false
	s.StringArrayVar(&f.preferences, "preferences", nil, "`FILE` of held-out judgements, as CSV or JSON lines: preferences against the base model (or another checkpoint, named in a column against), or scores; give it several times for several")
	s.StringVar(&f.primary, "primary", "", "`NAME` of the held-out metric by which checkpoints are ranked")
	s.StringArrayVar(&f.metrics, "metric", nil, "take a metric for what it measures, as `NAME=QUANTITY[:UNIT]`, besides the settings (rlvet config audit.metrics)")
	s.StringArrayVar(&f.scripts, "script", nil, "check the `FILE` that trained, and show what is found in it beside what it explains; it is not run")
	s.StringVar(&f.html, "html", "", "write the result to a `FILE` as a page with plots, besides the report")
	s.BoolVar(&f.live, "live", false, "follow a run that goes on, print what changes, and stop with exit code 1 at the first alert")
	s.DurationVar(&f.untilIdle, "until-idle", 0, "with --live, stop with exit code 0 once nothing was written for this `TIME`, such as 30m")
	s.StringVar(&f.callback, "emit-callback", "", "print a Python file that logs what an audit needs, or write it to a `FILE`")
	s.Lookup("emit-callback").NoOptDefVal = standardOutput
	s.StringVar(&f.format, "output-format", "text", "print as `FORMAT`: text, json")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no warnings")
	f.checkFlags.registerRules(s)
}

// valid says what of the flags contradicts itself.
func (f *auditFlags) valid(s *pflag.FlagSet) error {
	switch {
	case !slices.Contains([]string{"text", "json"}, f.format):
		return fmt.Errorf("--output-format %s: audit prints text or json", f.format)
	case f.primary != "" && !slices.Contains(audit.HeldOuts, f.primary):
		return unknownHeldOut(f.primary)
	case s.Changed("until-idle") && !f.live:
		return errors.New("--until-idle says when --live stops; give --live too")
	case f.untilIdle < 0 || s.Changed("until-idle") && f.untilIdle == 0:
		return fmt.Errorf("--until-idle: %s is no time to wait; give one such as 30m", f.untilIdle)
	}
	for _, path := range f.preferences { // said before a long log is read
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("--preferences: %s: %w", path, source.Cause(err))
		}
	}
	if f.html == "" {
		return nil
	}
	if err := writable(f.html); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

func unknownHeldOut(name string) error {
	if near := rule.Nearest(name, audit.HeldOuts); near != "" {
		return fmt.Errorf("--primary: unknown held-out metric %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("--primary: unknown held-out metric %q; there are %s", name, strings.Join(audit.HeldOuts, ", "))
}

func (a *app) runAudit(cmd *cobra.Command, flags *auditFlags, args []string) error {
	if cmd.Flags().Changed("emit-callback") {
		return a.emitCallback(flags.callback, args)
	}
	if err := flags.valid(cmd.Flags()); err != nil {
		return err
	}
	dir, err := runFolder(args, flags.live)
	if err != nil {
		return err
	}
	flags.explainFreely()
	resolver, err := flags.resolver(a, cmd)
	if err != nil {
		return err
	}
	settings, err := resolver.For(dir)
	if err != nil {
		return err
	}
	u := &auditing{app: a, flags: flags, resolver: resolver, settings: settings, dir: dir}
	if u.names, err = meanings(settings, flags.metrics); err != nil {
		return err
	}
	if err := u.checkScripts(cmd.Context()); err != nil {
		return err
	}
	if flags.live {
		return u.follow(cmd.Context())
	}
	return u.once(cmd.Context())
}

// runFolder is the folder that the arguments name. One that is followed may come yet, in a
// folder that is there.
func runFolder(args []string, live bool) (string, error) {
	switch len(args) {
	case 0:
		return "", errors.New("name the folder of the run: rlvet audit runs/ppo-7b")
	case 1:
	default:
		return "", fmt.Errorf("audit reads one run at a time, and %d are named: %s", len(args), strings.Join(args, ", "))
	}
	switch info, err := os.Stat(args[0]); {
	case args[0] == "":
		return "", errors.New("the name of the run's folder is empty; name it: rlvet audit runs/ppo-7b")
	case os.IsNotExist(err) && live && isFolder(filepath.Dir(filepath.Clean(args[0]))):
	case os.IsNotExist(err):
		return "", fmt.Errorf("%s: no such folder; name the one that the trainer wrote its logs to", args[0])
	case err != nil:
		return "", fmt.Errorf("%s cannot be read: %v", args[0], source.Cause(err))
	case !info.IsDir():
		return "", fmt.Errorf("%s is a file; name the folder that the trainer wrote its logs to", args[0])
	}
	return args[0], nil
}

// meanings are what metrics measure: as the command line says, else as the settings do.
func meanings(settings *config.Settings, flags []string) (map[string]read.Meaning, error) {
	out := map[string]read.Meaning{}
	for name, m := range settings.Metrics {
		out[name] = read.Meaning{Quantity: m.Quantity, Unit: m.Unit}
	}
	for _, text := range flags {
		at := strings.LastIndex(text, "=") // a name may hold one, a quantity does not
		if at <= 0 {
			return nil, fmt.Errorf("--metric: %q is not NAME=QUANTITY[:UNIT], as in my/judge=held_out:points", text)
		}
		m, err := config.ParseMetric(text[at+1:])
		if err != nil {
			return nil, fmt.Errorf("--metric %s: %w", text[:at], err)
		}
		out[text[:at]] = read.Meaning{Quantity: m.Quantity, Unit: m.Unit}
	}
	return out, nil
}

// auditing is one `rlvet audit`.
type auditing struct {
	*app
	flags    *auditFlags
	resolver *config.Resolver
	settings *config.Settings // of the run's folder
	dir      string
	names    map[string]read.Meaning
	findings []finding.Finding // in the scripts that trained
}

// once audits and reports.
func (u *auditing) once(ctx context.Context) error {
	r, err := u.audit(ctx)
	if err != nil {
		return err
	}
	return u.report(r)
}

// audit reads the run and judges it.
func (u *auditing) audit(ctx context.Context) (*audit.Result, error) {
	run, err := u.read(ctx)
	if err != nil {
		return nil, err
	}
	if err := u.logged(run); err != nil {
		return nil, err
	}
	u.addSettings(run)
	r := audit.Examine(run, audit.Options{Primary: u.flags.primary, Texts: u.flags.format == "json" || u.flags.html != ""})
	if u.flags.primary != "" && r.Primary == "" && !u.flags.live { // what is not there yet may come
		return nil, fmt.Errorf("--primary %s: the run has no such score; without --primary the best that it has is taken", u.flags.primary)
	}
	if len(u.flags.scripts) > 0 {
		audit.Explain(r, u.findings)
	}
	return r, nil
}

// logged says which metric of the command line the run does not have; of a run that goes on it
// may come yet.
func (u *auditing) logged(run *record.Run) error {
	var names []string
	for _, s := range run.Series {
		names = append(names, s.Name)
	}
	for _, text := range u.flags.metrics {
		name := text[:strings.LastIndex(text, "=")]
		switch near := rule.Nearest(name, names); {
		case u.flags.live || slices.Contains(names, name):
		case near != "":
			return fmt.Errorf("--metric: the run has no metric %q; did you mean %q?", name, near)
		default:
			return fmt.Errorf("--metric: the run has no metric %q", name)
		}
	}
	return nil
}

// addSettings adds to what was read the settings file that says what metrics of the run measure.
func (u *auditing) addSettings(run *record.Run) {
	var said []string
	for _, s := range run.Series {
		if m, ok := u.settings.Metrics[s.Name]; ok && u.names[s.Name] == (read.Meaning{Quantity: m.Quantity, Unit: m.Unit}) && !slices.Contains(said, s.Name) {
			said = append(said, s.Name)
		}
	}
	if from := u.settings.Origin("audit.metrics"); len(said) > 0 {
		run.Sources = append(run.Sources, record.Source{
			Path: from, Format: "settings", Records: int64(len(said)), Notes: []string{"says what " + strings.Join(said, ", ") + " measures"},
		})
	}
}

// read reads the run, and the judgements of it.
func (u *auditing) read(ctx context.Context) (*record.Run, error) {
	bar := u.newProgress("reading ", decor.Counters(decor.SizeB1000(0), "% .1f / % .1f"), 0, u.flags.quiet || u.flags.live)
	run, err := read.Run(ctx, u.dir, read.Options{Names: u.names, Progress: bar.set})
	bar.close()
	if err != nil {
		return nil, unread{err}
	}
	for _, path := range u.flags.preferences {
		j, notes, err := read.Judgements(path)
		if err != nil {
			return nil, fmt.Errorf("--preferences: %w", err)
		}
		run.Judgements.Preferences = append(run.Judgements.Preferences, j.Preferences...)
		run.Judgements.Scores = append(run.Judgements.Scores, j.Scores...)
		run.Notes = append(run.Notes, notes...)
	}
	return run, nil
}

// unread says that the folder holds nothing that can be read: of a run that has just begun
// it is no mistake.
type unread struct{ error }
