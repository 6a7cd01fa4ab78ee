package cli

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/report"
)

// confirmation is one `rlvet confirm`: all scripts are checked, then all that have
// findings are run under all seeds, and then mended and run again.
type confirmation struct {
	*runner
	flags    *confirmFlags
	subjects []*subject
	said     map[string]bool // errors, each of which is said once
}

func (a *app) runConfirm(cmd *cobra.Command, flags *confirmFlags, args []string) error {
	r, err := a.newRunner(cmd, &flags.checkFlags, &flags.runFlags, args)
	if err != nil {
		return err
	}
	c := &confirmation{runner: r, flags: flags, said: map[string]bool{}}
	if err := c.reportable(); err != nil {
		return err
	}
	return c.launched(func() error { return c.once(cmd.Context(), r.scripts) })
}

// once checks, runs and reports. What keeps one script from being confirmed does not keep
// the others.
func (c *confirmation) once(ctx context.Context, scripts []string) error {
	if err := c.prepare(ctx, scripts); err != nil {
		return err
	}
	if err := c.run(ctx); err != nil {
		return err
	}
	var list []*report.Confirmation
	c.exit = exitClean
	for _, s := range c.subjects {
		list = append(list, &s.out)
		switch {
		case s.out.Failure != nil || s.fruitless():
			c.exit = exitFailure
		case s.out.Confirmed() > 0 && c.exit == exitClean:
			c.exit = exitFindings
		}
	}
	if len(list) == 1 && list[0].Failure != nil {
		return nil // it was said, and there is nothing else
	}
	return c.report(list)
}

// fruitless reports, and says, whether the program failed before it came to any finding.
func (s *subject) fruitless() bool {
	if s.out.Outcome == nil {
		return false
	}
	how := s.out.Outcome.Fruitless()
	if how != "" {
		s.errorf("%s: no run came to any finding: %s; make it run first (its arguments go after --, its Python is --python PATH, and --show-output shows what it printed)", s.out.Script, how)
	}
	return how != ""
}

// prepare checks the scripts and plans the runs of those that have findings.
func (c *confirmation) prepare(ctx context.Context, scripts []string) error {
	known := map[string]bool{}
	for _, path := range scripts {
		s := c.newSubject(path)
		err := s.locate()
		if err == nil && known[s.path()] {
			continue
		}
		c.subjects, known[s.path()] = append(c.subjects, s), true
		if err == nil {
			err = s.prepare(ctx)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.fail(err)
	}
	return nil
}

// fail notes and says what keeps a script from being confirmed, if anything does.
func (s *subject) fail(err error) {
	if err == nil {
		return
	}
	s.out.Failure = err
	if !errors.Is(err, errNotChecked) && !s.confirmation.said[err.Error()] {
		s.confirmation.said[err.Error()] = true
		s.errorf("%v", err)
	}
}

// running are the scripts that have something to confirm and can run.
func (c *confirmation) running() (list []*subject) {
	for _, s := range c.subjects {
		if len(s.planned.Targets) > 0 && s.out.Failure == nil {
			list = append(list, s)
		}
	}
	return list
}

// run runs the seeds of all scripts, the first of each once more, to see whether it is
// the same run again, and then the fixes.
func (c *confirmation) run(ctx context.Context) error {
	begun := time.Now()
	subjects := c.running()
	var plans []harness.Plan
	for _, s := range subjects {
		again := s.planned
		again.Seeds, again.Progress = again.Seeds[:1], nil
		plans = append(plans, s.planned, again)
	}
	if len(plans) == 0 {
		return nil
	}
	reports, err := c.runShown(ctx, "the programs as they are", plans)
	if err != nil {
		return err
	}
	for i, s := range subjects {
		first, again := reports[2*i], reports[2*i+1]
		if err := cmp.Or(first.Failure, again.Failure); err != nil {
			s.fail(err)
			continue
		}
		s.out.Outcome, s.out.Reproducible = first, harness.Compare(first.Runs[0], again.Runs[0])
	}
	if !c.flags.noFixCheck {
		err = c.tryFixes(ctx)
	}
	for _, s := range subjects {
		s.out.Seconds = time.Since(begun).Seconds()
	}
	return err
}
