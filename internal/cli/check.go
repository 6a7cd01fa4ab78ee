package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// checkFlags are the flags of `rlvet check`.
type checkFlags struct {
	settingsFlags
	outputFile, stdinFilename, writeBaseline string
	newFrom, addIgnore                       string
	outputTexts                              []string
	outputs                                  []output
	diff, fixOnly, exitNonZeroOnFix          bool
	showFixes                                bool
	statistics, exitZero, showFiles          bool
	showSettings                             bool
	watch, quiet, noCache                    bool
	jobs                                     int
}

func (a *app) checkCommand() *cobra.Command {
	flags := &checkFlags{}
	cmd := &cobra.Command{
		Use: "check [PATH...]", Short: "Report mistakes in files, folders, notebooks or standard input (-)",
		Long:    "Report mistakes in Python files, notebooks, and the YAML, TOML, JSON and shell files that configure a training run. Without a PATH, the working directory is checked; - is standard input.\n\nThe exit code is 0 if nothing was found, 1 if something was, 2 if something could not be checked. Notes do not count, nor do warnings with --fail-on error.",
		Example: "  rlvet check\n  rlvet check --fix train.py\n  rlvet check --select ADV,KL --output-format github src/",
		RunE: func(cmd *cobra.Command, paths []string) error {
			return a.runCheck(cmd, flags, paths)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	flags.register(f)
	f.BoolVar(&flags.diff, "diff", false, "show what --fix would change, without changing it")
	f.BoolVar(&flags.fixOnly, "fix-only", false, "apply fixes and report nothing else")
	f.BoolVar(&flags.showFixes, "show-fixes", false, "list what --fix fixed, by file and rule")
	f.BoolVar(&flags.exitNonZeroOnFix, "exit-non-zero-on-fix", false, "exit with 1 if something was fixed, even if nothing is left")
	f.BoolVar(&flags.exitZero, "exit-zero", false, "exit with 0 even if something was found")
	f.BoolVar(&flags.statistics, "statistics", false, "count findings by rule instead of listing them")
	f.BoolVar(&flags.showFiles, "show-files", false, "list the files that would be checked")
	f.BoolVar(&flags.showSettings, "show-settings", false, "show the settings that would apply, and where they come from")
	f.BoolVar(&flags.watch, "watch", false, "check again whenever a file changes")
	f.StringVarP(&flags.outputFile, "output-file", "o", "", "write the report to a `FILE` instead of standard output")
	f.StringArrayVar(&flags.outputTexts, "output", nil, "write the report as `FORMAT[=FILE]`; may be repeated")
	f.StringVar(&flags.stdinFilename, "stdin-filename", "", "treat standard input as the file at this `PATH`")
	f.StringVar(&flags.addIgnore, "add-ignore", "", "add a comment with this `REASON` to each finding, which suppresses it")
	f.StringVar(&flags.newFrom, "new-from", "", "report only findings on lines that changed since a git `COMMIT`, or since the branch left it")
	f.StringVar(&flags.writeBaseline, "write-baseline", "", "write all findings to a `FILE`, for --baseline to read")
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "`NUMBER` of workers (default: one per core)")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print findings only, no summary and no warnings")
	f.BoolVarP(&flags.noCache, "no-cache", "n", false, "check everything again, and do not write the cache")
	return cmd
}

// session is one `rlvet check`.
type session struct {
	*app
	flags    *checkFlags
	resolver *config.Resolver
	settings *config.Settings // of the working directory: output and fixing
	files    *vet.Files
	covered  *coverageOf // with --statistics
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
		relaxCollector()
	}
	return s.once(cmd.Context(), paths)
}

// once checks the paths and reports.
func (s *session) once(ctx context.Context, paths []string) error {
	if err := s.open(paths); err != nil {
		return err
	}
	if s.flags.showFiles {
		for _, in := range s.files.Inputs {
			fmt.Fprintln(s.Stdout, in.Path)
		}
		r := s.files.Nothing()
		s.tell(r.Problems)
		s.exit = s.exitCode(r)
		return nil
	}
	if s.flags.showSettings {
		return s.showAllSettings()
	}
	s.warn(s.files.Warnings())
	if err := s.openBase(ctx); err != nil {
		return err
	}
	r, err := s.work(ctx)
	if err != nil {
		return err
	}
	return s.finish(r)
}

// open finds the files to check, or reads standard input.
func (s *session) open(list []string) (err error) {
	request := s.request(s.flags, s.resolver)
	request.Paths, request.All = list, s.flags.writeBaseline != ""
	request.Comment, request.Write = strings.TrimSpace(s.flags.addIgnore), !s.flags.diff
	switch {
	case slices.Contains(list, ""):
		return errors.New("a path is empty, as of a variable that is not set; name a file or a folder, or . for this one")
	case len(list) == 1 && list[0] == "-" || s.flags.stdinFilename != "":
		if request.Text, err = s.readStdin(list); err != nil {
			return err
		}
	case slices.Contains(list, "-"):
		return errors.New("standard input (-) and paths cannot be checked together; run rlvet twice")
	}
	if s.flags.statistics {
		s.measure(&request)
	}
	if s.files, err = vet.Open(request); err != nil {
		return err
	}
	s.settings = s.files.Settings
	return nil
}

// measure has a check count what is known of each expression, for --statistics.
func (s *session) measure(request *vet.Request) {
	s.covered = newCoverageOf()
	request.Also(s.covered.analyzer())
}

// readStdin takes standard input as the only file.
func (s *session) readStdin(list []string) (*vet.Text, error) {
	if len(list) > 1 || len(list) == 1 && list[0] != "-" {
		return nil, fmt.Errorf("--stdin-filename is for standard input; drop it or the path %s", list[0])
	}
	name := "-"
	if s.flags.stdinFilename != "" {
		name = filepath.ToSlash(s.flags.stdinFilename)
	}
	raw, err := io.ReadAll(io.LimitReader(s.Stdin, source.MaxNotebookSize+1))
	if err != nil {
		return nil, fmt.Errorf("standard input cannot be read: %v", err)
	}
	return &vet.Text{Path: name, Raw: raw}, nil
}

// request is a check by some settings, in this program.
func (a *app) request(flags *checkFlags, resolver *config.Resolver) vet.Request {
	return vet.Request{
		Rules: a.rules, Resolver: resolver, Version: version(), Engine: a.engine,
		Jobs: flags.jobs, Store: a.store(flags, resolver), Identity: identity(), Trace: a.trace(),
	}
}

// trace writes the stacks of the panics of analyzers, where RLVET_DEBUG asks for them.
func (a *app) trace() func([]byte) {
	if a.Getenv("RLVET_DEBUG") == "" {
		return nil
	}
	return func(stack []byte) { a.Stderr.Write(stack) }
}

// warn says which selections have no effect.
func (s *session) warn(warnings []string) {
	for _, w := range warnings {
		if !s.flags.quiet {
			s.warnf("%s", w)
		}
	}
}

// work checks, and fixes where that is asked for.
func (s *session) work(ctx context.Context) (*vet.Result, error) {
	bar := &checkBar{app: s.app, quiet: s.flags.quiet}
	defer bar.close()
	s.files.Progress = bar.set
	if !s.fixing() {
		return s.files.Check(ctx)
	}
	r, err := s.files.Fix(ctx)
	if err != nil {
		return nil, err
	}
	for _, why := range r.Refused {
		s.warnf("%s", why)
	}
	return r, nil
}

func (s *session) fixing() bool {
	return s.settings.Fix && s.flags.writeBaseline == "" || s.flags.diff || s.flags.fixOnly || s.flags.addIgnore != ""
}

// exitCode is 2 where something could not be checked, else 1 where something
// was found that is as severe as the settings ask for.
func (s *session) exitCode(r *vet.Result) int {
	if len(r.Fatal()) > 0 {
		return exitFailure
	}
	found := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
		return f.Severity == finding.Error || f.Severity == finding.Warning && s.settings.FailOn == finding.Warning
	})
	switch {
	case s.flags.exitZero:
		return exitClean
	case s.flags.exitNonZeroOnFix && r.Fixed > 0:
		return exitFindings
	case s.flags.diff:
		found = r.Fixed > 0
	case s.flags.fixOnly:
		found = false
	}
	if found {
		return exitFindings
	}
	return exitClean
}
