package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/view"
	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

// auditFlags are the flags of `rlvet audit`.
type auditFlags struct {
	checkFlags
	preferences, metrics []string
	primary              string
	scripts              []string
	html                 string
	callback, live       bool
	untilIdle            time.Duration
	format               string
}

func (a *app) auditCommand() *cobra.Command {
	flags := &auditFlags{}
	cmd := &cobra.Command{
		Use:   "audit RUN_DIR | --emit-callback [FILE]",
		Short: "Judge what a training run left: is its reward honest, and which checkpoint to take",
		Long: "Read what a run of PPO, GRPO or RLHF left in a folder (logs of trainers, TensorBoard and W&B, completions, checkpoints), and say\n" +
			"whether its reward rose because the policy became better or because it cheats: KL, length, repetition, entropy, clipping, held-out\n" +
			"scores. Checkpoints at which a signal alerts are excluded; of the others, the one that held-out judgements prefer is recommended,\n" +
			"never simply the one with the highest reward. What was not logged is listed. Nothing is run, and nothing is written unless asked for.\n\n" +
			"The exit code is 0 if nothing alerts, 1 if something does, 2 if the run could not be read.",
		Example: "  rlvet audit runs/ppo-7b\n  rlvet audit runs/ppo-7b --preferences ratings.csv --html audit.html\n  rlvet audit runs/ppo-7b --live --until-idle 30m\n  rlvet audit --emit-callback",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runAudit(cmd, flags, args) },
	}
	flags.register(cmd.Flags())
	return cmd
}

func (f *auditFlags) register(s *pflag.FlagSet) {
	s.SortFlags = false
	s.StringArrayVar(&f.preferences, "preferences", nil, "`FILE` of held-out judgements, as CSV or JSON lines: preferences against the base model (or another checkpoint, named in the column against), or scores; may be repeated")
	s.StringVar(&f.primary, "primary", "", "`NAME` of the held-out metric by which checkpoints are ranked")
	s.StringArrayVar(&f.metrics, "metric", nil, "say what a metric measures, as `NAME=QUANTITY[:UNIT]`, besides the settings (rlvet config audit.metrics)")
	s.StringArrayVar(&f.scripts, "script", nil, "check the training script or configuration `FILE`, and show its findings beside the signals that they explain; it is not run")
	s.StringVar(&f.html, "html", "", "write the result to a `FILE` as a page with plots, besides the report")
	s.BoolVar(&f.live, "live", false, "follow a run that goes on, print what changes, and stop with exit code 1 at the first alert")
	s.DurationVar(&f.untilIdle, "until-idle", 0, "with --live, stop with exit code 0 once nothing was written for this `TIME`, such as 30m")
	s.BoolVar(&f.callback, "emit-callback", false, "print a Python file that logs what an audit needs, or write it to the FILE that is named instead of a run")
	s.StringVar(&f.format, "output-format", "text", "print as `FORMAT`: text, json")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "show no progress and no warnings")
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
	if near := words.Nearest(name, audit.HeldOuts); near != "" {
		return fmt.Errorf("--primary: unknown held-out metric %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("--primary: unknown held-out metric %q; there are %s", name, strings.Join(audit.HeldOuts, ", "))
}

func (a *app) runAudit(cmd *cobra.Command, flags *auditFlags, args []string) error {
	if flags.callback {
		return a.emitCallback(args)
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
	u := &auditing{app: a, flags: flags}
	metrics, err := meanings(flags.metrics)
	if err != nil {
		return err
	}
	checking := &checkBar{app: a, quiet: flags.quiet}
	defer checking.close()
	request := audit.Request{
		Options: audit.Options{Primary: flags.primary, Texts: flags.format == "json" || flags.html != ""},
		Dir:     dir, Metrics: metrics, Preferences: flags.preferences, Scripts: flags.scripts, Check: a.request(&flags.checkFlags, resolver),
	}
	request.Check.Progress = checking.set
	job, err := audit.Open(cmd.Context(), request)
	checking.close()
	switch {
	case err != nil:
		return err
	case flags.live:
		return u.follow(cmd.Context(), job)
	}
	return u.once(cmd.Context(), job)
}

// runFolder is the folder that the arguments name. One that is followed may come yet, in a
// folder that is there.
func runFolder(args []string, live bool) (string, error) {
	switch len(args) {
	case 0:
		return "", errors.New("name the folder of the run: rlvet audit runs/ppo-7b")
	case 1:
	default:
		return "", fmt.Errorf("audit reads one run at a time, and %d are named; name one, as in rlvet audit %s", len(args), words.Typed(args[0]))
	}
	switch info, err := os.Stat(args[0]); {
	case args[0] == "":
		return "", errors.New("the name of the run's folder is empty; name it: rlvet audit runs/ppo-7b")
	case strings.Contains(args[0], "://"):
		return "", fmt.Errorf("%s is an address, and audit reads what lies on this disk; %s", args[0], fetching(args[0]))
	case os.IsNotExist(err) && live && paths.IsFolder(filepath.Dir(filepath.Clean(args[0]))):
	case os.IsNotExist(err):
		if near := project.Misspelt(project.OS{}, args[0]); near != "" {
			return "", fmt.Errorf("%s: no such folder; did you mean %s?", args[0], near)
		}
		return "", fmt.Errorf("%s: no such folder; name the one that the trainer wrote its logs to", args[0])
	case err != nil:
		return "", fmt.Errorf("%s cannot be read: %v", args[0], source.Cause(err))
	case !info.IsDir():
		return "", fmt.Errorf("%s is a file, and audit reads the folder of a run; run: rlvet audit %s", args[0], filepath.Dir(args[0]))
	}
	return args[0], nil
}

// fetching says how the logs at an address come to the disk. W&B's own folder is on the
// machine that trained; elsewhere its library writes what audit reads (docs.wandb.ai, Export API).
func fetching(address string) string {
	u, err := url.Parse(address)
	if err != nil || !strings.Contains(u.Host, "wandb") {
		return "download the folder that the trainer wrote its logs to, and name it"
	}
	run := strings.Replace(strings.Trim(u.Path, "/"), "/runs/", "/", 1)
	return fmt.Sprintf(`name the folder wandb/ of the machine that trained, or export the run: mkdir run && python -c "import wandb; wandb.Api().run('%s').history(samples=100000).to_csv('run/history.csv')" && rlvet audit run`, run)
}

// meanings are what metrics measure, as the command line says.
func meanings(flags []string) (map[string]config.Metric, error) {
	out := map[string]config.Metric{}
	for _, text := range flags {
		at := strings.LastIndex(text, "=") // a name may hold one, a quantity does not
		if at <= 0 {
			return nil, fmt.Errorf("--metric: %q is not NAME=QUANTITY[:UNIT], as in my/judge=held_out:points", text)
		}
		m, err := config.ParseMetric(text[at+1:])
		if err != nil {
			return nil, fmt.Errorf("--metric %s: %w", text[:at], err)
		}
		out[text[:at]] = m
	}
	return out, nil
}

// auditing is one `rlvet audit`.
type auditing struct {
	*app
	flags *auditFlags
}

// once audits and reports.
func (u *auditing) once(ctx context.Context, job *audit.Job) error {
	bar := u.newProgress("reading ", decor.Counters(decor.SizeB1000(0), "% .1f / % .1f"), 0, u.flags.quiet)
	job.Progress = bar.set
	r, err := job.Audit(ctx)
	bar.close()
	if err != nil {
		return err
	}
	return u.report(r)
}

// follow audits again and again, says what changes, and reports what was found last.
func (u *auditing) follow(ctx context.Context, job *audit.Job) error {
	if !u.flags.quiet {
		f := audit.FalseAlarms
		fmt.Fprintf(u.Stderr, "Following %s; stop with Ctrl-C. False alarms: of %d simulated runs in which nothing is wrong, %d alerted and %d warned.\n", job.Dir, f.Runs, f.Alerted, f.Warned)
	}
	changes := u.Stdout
	if u.flags.format == "json" { // which standard output is for
		changes = u.Stderr
	}
	var last *audit.Result
	waiting := ""
	for round, err := range job.Follow(ctx, u.flags.untilIdle) {
		switch {
		case err != nil:
			return err
		case round.Result == nil:
			if round.Waiting != waiting && !u.flags.quiet {
				fmt.Fprintf(u.Stderr, "Waiting: %s\n", words.Plain(round.Waiting))
			}
			waiting = round.Waiting
			continue
		}
		var before []audit.Signal
		if last != nil {
			before = last.Signals
		}
		for _, line := range view.Changes(before, round.Result.Signals) {
			fmt.Fprintln(changes, line)
		}
		last = round.Result
	}
	if last == nil {
		return errors.New(waiting)
	}
	return u.report(last)
}
