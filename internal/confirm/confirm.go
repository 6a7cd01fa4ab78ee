// Package confirm is `rlvet confirm`, for whoever wants its verdicts: command line, editor and
// agents. It asks each finding of a program whether it is true of a run.
//
// Input: a [Request]. All its scripts are checked, then all that have findings are run under
// all seeds with the flagged expressions watched, and then with their fixes. Output: a
// [Result], whose JSON is what `rlvet confirm --output-format json` prints.
//
// The programs run as processes of their own, which the harness starts and ends; that they
// crash, or are killed, is a result and no error. So nothing here needs a process of its own:
// the end of the context ends all that runs.
package confirm

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/words"
)

// Request says what to confirm, and how.
type Request struct {
	program.Request
	// Claims are tested instead of what is found; none tests what is found.
	Claims []claim.Claim
	// NoFixes tries no fixes.
	NoFixes bool
	// Checked is called once a script was checked and, where it has findings, is ready to
	// run; nil for nobody.
	Checked func(*Script)
}

// Result is what came of it, a script each, in the order of the request.
type Result struct{ Scripts []*Script }

// confirmation is one request under way.
type confirmation struct {
	*program.Runner
	request Request
	derived *derivations
	scripts []*Script
}

// Run confirms what is found in the scripts. What keeps one script from being confirmed is in
// its result, and does not keep the others; the error is one that kept all.
func Run(ctx context.Context, r Request) (*Result, error) {
	derived := &derivations{kinds: map[place]domain.Kind{}}
	if len(r.Claims) > 0 {
		r.Check.Resolver = heard(r.Check, r.Claims)
		r.Check.Also(derived.step())
	}
	r.Imports = len(r.Claims) == 0
	runner, err := program.NewRunner(r.Request)
	if err != nil {
		return nil, err
	}
	c := &confirmation{Runner: runner, request: r, derived: derived}
	if err := c.prepare(ctx); err != nil {
		return nil, err
	}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	return &Result{Scripts: c.scripts}, nil
}

// prepare checks the scripts, each once, and plans the runs of those that have findings.
func (c *confirmation) prepare(ctx context.Context) error {
	known := map[string]bool{}
	for _, name := range c.Scripts {
		p, err := c.Locate(name)
		if err == nil && known[p.Path()] {
			continue
		}
		known[p.Path()] = true
		s := c.newScript(p)
		c.scripts = append(c.scripts, s)
		if err == nil {
			err = s.prepare(ctx, c.request.Claims)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.Failure = err
		if c.request.Checked != nil {
			c.request.Checked(s)
		}
	}
	return nil
}

// running are the scripts that have something to confirm and can run.
func (c *confirmation) running() (list []*Script) {
	for _, s := range c.scripts {
		if len(s.planned.Targets) > 0 && s.Failure == nil {
			list = append(list, s)
		}
	}
	return list
}

// run runs the seeds of all scripts, the first of each once more, to see whether it is
// the same run again, and then the fixes.
func (c *confirmation) run(ctx context.Context) error {
	begun := time.Now()
	scripts := c.running()
	var plans []harness.Plan
	for _, s := range scripts {
		again := s.planned
		again.Seeds, again.Progress = again.Seeds[:1], nil
		plans = append(plans, s.planned, again)
	}
	if len(plans) == 0 {
		return nil
	}
	reports, err := c.Run(ctx, words.Choose(len(scripts), "running the script", "running the scripts"), plans)
	if err != nil {
		return err
	}
	for i, s := range scripts {
		first, again := reports[2*i], reports[2*i+1]
		if s.Failure = cmp.Or(first.Failure, again.Failure); s.Failure == nil {
			s.Outcome, s.Reproducible = first, harness.Compare(first.Runs[0], again.Runs[0])
			s.stacks()
			s.byTable()
			c.ofOthers(s)
			s.ofQuantities()
		}
	}
	if !c.request.NoFixes {
		err = c.tryFixes(ctx)
	}
	for _, s := range scripts {
		s.Seconds = time.Since(begun).Seconds()
	}
	return err
}

// Unchecked reports whether the script could not be checked: the reasons are in its problems.
func (s *Script) Unchecked() bool { return errors.As(s.Failure, new(*program.NotChecked)) }
