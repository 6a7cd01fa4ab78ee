package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/confirm"
	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/report"
)

// confirmFlags are the flags of `rlvet confirm`.
type confirmFlags struct {
	checkFlags
	runFlags
	noFixCheck bool
	html       string
	claims     []string // as they are written
	claimsFile string
}

func (a *app) confirmCommand() *cobra.Command {
	flags := &confirmFlags{}
	cmd := &cobra.Command{
		Use:   "confirm SCRIPT... [-- ARGUMENTS...]",
		Short: "Run scripts under seeds, and prove or refute what is found in them",
		Long: "Check scripts, run each unmodified under several seeds with the flagged expressions watched, and say of each finding\n" +
			"whether it was confirmed, with the numbers seen. Then apply the fix to a copy, run the same seeds again, and say whether\n" +
			"the mistake is gone. A script runs in a copy of its project, without network where the machine allows that.\n\n" +
			"With --claim, test what somebody else says is wrong instead: the probe of a rule is put on the expression of that line which the\n" +
			"rule watches, or the contract of a quantity on the expression that is the quantity.\n\n" +
			"The exit code is 1 if anything is confirmed, 0 if not, 2 if something could not run.",
		Example: "  rlvet confirm train.py -- --lr 3e-4\n  rlvet confirm -m package.train --seeds 0,1,2\n  rlvet confirm --select ADV009 --timeout 2m ppo.py grpo.py\n  rlvet confirm --launcher slurm --gpus 1 ppo.py grpo.py\n  rlvet confirm train.py --claim OBJ001@loss.py:42 --claim ratio@loss.py:51",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runConfirm(cmd, flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	flags.runFlags.registerConfirm(f)
	f.BoolVar(&flags.noFixCheck, "no-fix-check", false, "do not try the fixes")
	f.StringArrayVar(&flags.claims, "claim", nil, "test `RULE@FILE:LINE` or QUANTITY@FILE:LINE instead of what is found, such as OBJ001@loss.py:42 or ratio@loss.py:42; a column may follow (repeatable)")
	f.StringVar(&flags.claimsFile, "claims", "", "test the claims in `FILE`, a JSON array of such texts, or of objects with rule or quantity, path, line, column and by")
	f.StringVar(&flags.html, "html", "", "write the evidence to a `FILE` as a page with plots, besides the report")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print verdicts only, and no warnings")
	flags.checkFlags.register(f)
	f.Lookup("output-format").Usage = "print as `FORMAT`: " + strings.Join(report.ConfirmationFormats, ", ")
	f.Lookup("show-hints").Usage = "test findings that rest on variable names alone too (the default; --no-show-hints does not)"
	hideFixing(f)
	return cmd
}

func (a *app) runConfirm(cmd *cobra.Command, flags *confirmFlags, args []string) error {
	flags.takeHints() // a run can tell whether they are right
	r, err := a.newRunner(cmd, &flags.checkFlags, &flags.runFlags, args)
	if err != nil {
		return err
	}
	c := &confirming{runner: r, flags: flags, said: map[string]bool{}}
	if c.claims, err = flags.claimed(len(r.request.Scripts)); err != nil {
		return err
	}
	if err := c.reportable(); err != nil {
		return err
	}
	return c.launched(func() error { return c.once(cmd.Context()) })
}

// confirming is one `rlvet confirm`.
type confirming struct {
	*runner
	flags  *confirmFlags
	claims []claim.Claim
	said   map[string]bool // errors, each of which is said once
}

// claimed reads the claims for a number of scripts.
func (f *confirmFlags) claimed(scripts int) (list []claim.Claim, err error) {
	if f.claimsFile != "" {
		text, err := os.ReadFile(f.claimsFile)
		if err == nil {
			list, err = claim.ReadAll(text)
		}
		if err != nil {
			return nil, fmt.Errorf("--claims %s: %w", f.claimsFile, err)
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("--claims %s: it holds no claims", f.claimsFile)
		}
	}
	for _, text := range f.claims {
		c, err := claim.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("--claim: %w", err)
		}
		list = append(list, c)
	}
	switch {
	case len(list) > 0 && scripts > 1:
		return nil, errors.New("claims are tested in the runs of one script; name one")
	case len(list) > claim.Most:
		return nil, fmt.Errorf("these are %d claims, and %d are tested at a time; test them in parts", len(list), claim.Most)
	}
	return list, nil
}

// reportable says before anything runs what would keep the report from being written.
func (c *confirming) reportable() error {
	if err := report.ConfirmationFormat(c.settings.OutputFormat); err != nil {
		return err
	}
	if c.flags.html == "" {
		return nil
	}
	if err := writable(c.flags.html); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// once confirms and reports.
func (c *confirming) once(ctx context.Context) error {
	bar := &checkBar{app: c.app, quiet: c.quiet}
	defer bar.close()
	request := confirm.Request{Request: c.request, Claims: c.claims, NoFixes: c.flags.noFixCheck}
	request.Check.Progress = bar.set
	request.Checked = func(s *confirm.Script) {
		bar.close()
		c.checked(s)
	}
	result, err := confirm.Run(ctx, request)
	if err != nil {
		return err
	}
	c.exit = exitClean
	for _, s := range result.Scripts {
		c.fail(s)
	}
	for _, s := range result.Scripts {
		trouble := s.Trouble()
		for _, line := range trouble {
			c.errorf("%s", line)
		}
		switch {
		case s.Failure != nil || len(trouble) > 0 || len(s.Failed) > 0:
			c.exit = exitFailure
		case s.Confirmed() > 0 && c.exit == exitClean:
			c.exit = exitFindings
		}
	}
	if len(result.Scripts) == 1 && result.Scripts[0].Failure != nil {
		return nil // it was said, and there is nothing else
	}
	return c.report(result)
}

// checked says what is to be said of a script before it runs.
func (c *confirming) checked(s *confirm.Script) {
	check := &session{app: c.app, flags: &c.flags.checkFlags}
	check.warn(s.Warnings)
	check.tell(s.Problems)
	check.tell(s.Misplaced())
	c.fail(s)
}

// fail says what keeps a script from being confirmed, if anything does.
func (c *confirming) fail(s *confirm.Script) {
	if s.Failure != nil && !s.Unchecked() && !c.said[s.Failure.Error()] {
		c.said[s.Failure.Error()] = true
		c.errorf("%v", s.Failure)
	}
}

// report writes the report, and the page where one is asked for.
func (c *confirming) report(result *confirm.Result) error {
	for _, s := range result.Scripts {
		if s.Outcome != nil {
			c.showOutput(s.Name, s.Outcome.Runs)
		}
	}
	if err := report.WriteConfirmations(c.Stdout, result, c.settings.OutputFormat, c.coloured(c.Stdout)); err != nil {
		return err
	}
	return writeOutput("--html", c.flags.html, func(w io.Writer) error { return report.WriteConfirmationPage(w, result) })
}
