package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/since"
	"github.com/rlvet/rlvet/internal/source"
)

// checkFlags are the flags of `rlvet check`.
type checkFlags struct {
	settingsFlags
	outputFile, stdinFilename, writeBaseline string
	newFrom, addIgnore                       string
	outputTexts                              []string
	outputs                                  []output
	diff, fixOnly, exitNonZeroOnFix          bool
	statistics, exitZero, showFiles          bool
	showSettings                             bool
	watch, quiet, noCache                    bool
	jobs                                     int
}

func (a *app) checkCommand() *cobra.Command {
	flags := &checkFlags{}
	cmd := &cobra.Command{
		Use: "check [PATH...]", Short: "Report mistakes in files, folders, notebooks or standard input (-)",
		Long:    "Report mistakes in Python files and notebooks. Without a PATH, the working directory is checked; - is standard input.\n\nThe exit code is 0 where nothing was found, 1 where something was, 2 where something could not be checked. Notes do not count.",
		Example: "  rlvet check\n  rlvet check --fix train.py\n  rlvet check --select ADV,KL --output-format github src/",
		RunE: func(cmd *cobra.Command, paths []string) error {
			return a.runCheck(cmd, flags, paths)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	flags.register(f)
	f.BoolVar(&flags.diff, "diff", false, "show what --fix would change, and change nothing")
	f.BoolVar(&flags.fixOnly, "fix-only", false, "apply fixes and report nothing else")
	f.BoolVar(&flags.exitNonZeroOnFix, "exit-non-zero-on-fix", false, "exit with 1 where something was fixed, even if nothing is left")
	f.BoolVar(&flags.exitZero, "exit-zero", false, "exit with 0 even where something was found")
	f.BoolVar(&flags.statistics, "statistics", false, "count findings by rule instead of listing them")
	f.BoolVar(&flags.showFiles, "show-files", false, "list the files that would be checked")
	f.BoolVar(&flags.showSettings, "show-settings", false, "show the settings that would hold, and where they come from")
	f.BoolVar(&flags.watch, "watch", false, "check again whenever a file changes")
	f.StringVarP(&flags.outputFile, "output-file", "o", "", "write the report to a `FILE` instead of standard output")
	f.StringArrayVar(&flags.outputTexts, "output", nil, "write the report as `FORMAT[=FILE]`; give it several times for several reports")
	f.StringVar(&flags.stdinFilename, "stdin-filename", "", "`PATH` that standard input stands for")
	f.StringVar(&flags.addIgnore, "add-ignore", "", "suppress what is found by comments, with this `REASON`")
	f.StringVar(&flags.newFrom, "new-from", "", "report only what concerns lines that are new since a `COMMIT` of git, or since the branch left it")
	f.StringVar(&flags.writeBaseline, "write-baseline", "", "write all findings to a `FILE`, for use with --baseline")
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "`NUMBER` of workers (default one a core)")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print findings only, no summary and no warnings")
	f.BoolVarP(&flags.noCache, "no-cache", "n", false, "check everything again, and keep nothing for the next time")
	return cmd
}

// session is one `rlvet check`.
type session struct {
	*app
	flags    *checkFlags
	resolver *config.Resolver
	settings *config.Settings // of the working directory: output and fixing
	inputs   []config.Input
	problems []finding.Problem // met while looking for files
	stdin    *source.File      // standard input, if it is checked
	base     *since.Base       // with which lines are compared, if they are
}

// newSession returns a check with the settings of the working directory.
func (a *app) newSession(cmd *cobra.Command, flags *checkFlags) (*session, error) {
	resolver, err := flags.resolver(a, cmd)
	if err != nil {
		return nil, err
	}
	s := &session{app: a, flags: flags, resolver: resolver}
	s.settings, err = resolver.For(".")
	return s, err
}

func (a *app) runCheck(cmd *cobra.Command, flags *checkFlags, paths []string) error {
	if err := contradict(cmd); err != nil {
		return err
	}
	if flags.jobs < 0 {
		return fmt.Errorf("--jobs: %d is not a number of workers; give 1 or more", flags.jobs)
	}
	if err := flags.nonEmpty(cmd.Flags().Changed("new-from")); err != nil {
		return err
	}
	if err := checkReason(flags.addIgnore, cmd.Flags().Changed("add-ignore")); err != nil {
		return err
	}
	var err error
	if flags.outputs, err = readOutputs(flags.outputTexts); err != nil {
		return err
	}
	s, err := a.newSession(cmd, flags)
	if err != nil {
		return err
	}
	if flags.watch && (slices.Contains(paths, "-") || flags.stdinFilename != "") {
		return errors.New("--watch needs files; standard input cannot be watched")
	}
	if flags.watch {
		return s.watch(cmd.Context(), paths)
	}
	if a.Getenv("GOGC") == "" {
		hurry()
	}
	return s.once(cmd.Context(), paths)
}

// once checks the paths and reports.
func (s *session) once(ctx context.Context, paths []string) error {
	if err := s.collect(paths); err != nil {
		return err
	}
	if s.flags.showFiles {
		for _, in := range s.inputs {
			fmt.Fprintln(s.Stdout, in.Path)
		}
		s.tell(s.problems)
		s.exit = s.exitCode(&judged{report: s.newReport(nil)})
		return nil
	}
	if s.flags.showSettings {
		return s.showAllSettings()
	}
	s.warn()
	if err := s.openBase(ctx); err != nil {
		return err
	}
	j, err := s.work(ctx)
	if err != nil {
		return err
	}
	return s.finish(j)
}

// collect finds the files to check.
func (s *session) collect(paths []string) error {
	if len(paths) == 1 && paths[0] == "-" || s.flags.stdinFilename != "" {
		return s.collectStdin(paths)
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, p := range paths {
		if p == "-" {
			return errors.New("standard input (-) and paths cannot be checked together; run rlvet twice")
		}
	}
	files, err := config.Discover(s.resolver, paths)
	if err != nil {
		return err
	}
	s.inputs, s.problems = files.Inputs, files.Problems
	return nil
}

// collectStdin takes standard input as the only file.
func (s *session) collectStdin(paths []string) error {
	if len(paths) > 1 || len(paths) == 1 && paths[0] != "-" {
		return fmt.Errorf("--stdin-filename is for standard input; drop it or the path %s", paths[0])
	}
	name := "-"
	if s.flags.stdinFilename != "" {
		name = filepath.ToSlash(s.flags.stdinFilename)
	}
	raw, err := io.ReadAll(io.LimitReader(s.Stdin, source.MaxNotebookSize+1))
	if err != nil {
		return fmt.Errorf("standard input cannot be read: %v", err)
	}
	settings, err := s.resolver.For(name)
	if err != nil {
		return err
	}
	abs, _ := filepath.Abs(name)
	if settings.ForceExclude && settings.Excludes(abs) {
		return nil
	}
	if s.stdin, err = source.FromBytes(name, raw); err != nil {
		s.problems = append(s.problems, problemOf(name, err))
		return nil
	}
	s.settings = settings
	s.inputs = []config.Input{{Path: name, Settings: settings, Named: true}}
	return nil
}

// problemOf turns an error about a file into a problem.
func problemOf(path string, err error) finding.Problem {
	var e *source.Error
	if errors.As(err, &e) {
		return finding.Problem{File: e.Path, Line: e.Line, Message: e.Message, Fatal: !e.Skipped()}
	}
	return finding.Problem{File: path, Message: err.Error(), Fatal: true}
}

// warn says which selections have no effect, each once.
func (s *session) warn() {
	seen := map[string]bool{}
	for _, in := range s.inputs {
		for _, w := range in.Settings.Warnings {
			if !seen[w] && !s.flags.quiet {
				s.warnf("%s", w)
			}
			seen[w] = true
		}
	}
}

// judged is the outcome of a session: what is reported, and what fixes made of
// the files.
type judged struct {
	report *report.Report
	fixed  []change
	stats  []string
}

// work checks, and fixes where that is asked for.
func (s *session) work(ctx context.Context) (*judged, error) {
	if len(s.inputs) == 0 {
		return &judged{report: s.newReport(nil)}, nil
	}
	if s.fixing() {
		return s.fix(ctx)
	}
	out, err := s.examine(ctx, nil)
	if err != nil {
		return nil, err
	}
	r, err := s.judge(ctx, out)
	return &judged{report: r, stats: out.stats}, err
}

func (s *session) fixing() bool {
	return s.settings.Fix && s.flags.writeBaseline == "" || s.flags.diff || s.flags.fixOnly || s.flags.addIgnore != ""
}

// exitCode is 2 where something could not be checked, else 1 where something
// was found.
func (s *session) exitCode(j *judged) int {
	for _, p := range j.report.Problems {
		if p.Fatal {
			return exitFailure
		}
	}
	found := false
	for _, f := range j.report.Findings {
		found = found || f.Severity != finding.Note
	}
	switch {
	case s.flags.exitZero:
		return exitClean
	case s.flags.exitNonZeroOnFix && j.report.Fixed > 0:
		return exitFindings
	case s.flags.diff:
		found = j.report.Fixed > 0
	case s.flags.fixOnly:
		found = false
	}
	if found {
		return exitFindings
	}
	return exitClean
}

// workingDir returns the working directory, or "" where the system cannot say.
func workingDir() string {
	wd, _ := os.Getwd()
	return wd
}
