package mcp

import (
	"errors"
	"fmt"
	"time"

	"github.com/rlvet/rlvet/internal/confirm"
	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/words"
)

// confirmRequest is what an agent asks for, within the limits of the server.
func (o Options) confirmRequest(run Run) (confirm.Request, error) {
	r := *o.Confirm
	r.Check = o.Check
	r.Check.Resolver = o.settings(run.Select)
	if err := within(&r, run); err != nil {
		return r, err
	}
	switch {
	case run.Script == "" && run.Module == "":
		return r, errors.New("give the script to run, or the module")
	case run.Script != "" && run.Module != "":
		return r, errors.New("script and module contradict each other; give one of them")
	case run.Script != "":
		r.Scripts = []string{run.Script}
	}
	r.Plan.Module, r.Plan.Args = run.Module, run.Args
	if len(run.Claims) > claim.Most {
		return r, fmt.Errorf("claims: these are %d, and %d are tested at a time", len(run.Claims), claim.Most)
	}
	for i, fields := range run.Claims {
		c, err := fields.Read()
		if err != nil {
			return r, fmt.Errorf("claims: %d: %w", i+1, err)
		}
		r.Claims = append(r.Claims, c)
	}
	return r, nil
}

// onceRequest is the same for a tool that runs one seed unless it is asked for others.
func (o Options) onceRequest(run Run) (confirm.Request, error) {
	r, err := o.confirmRequest(run)
	if len(run.Seeds) == 0 {
		r.Plan.Seeds = r.Plan.Seeds[:min(1, len(r.Plan.Seeds))]
	}
	return r, err
}

// within takes over the limits that a call sets itself. They are never wider than the
// server's.
func within(r *confirm.Request, run Run) error {
	plan := &r.Plan
	if run.Timeout != "" {
		asked, err := time.ParseDuration(run.Timeout)
		if err != nil || asked <= 0 {
			return fmt.Errorf("timeout: %q is no time; write it as 90s or 10m", run.Timeout)
		}
		if most := plan.Limits.Timeout; asked > most {
			return fmt.Errorf("timeout: %s is more than the %s that this server allows (rlvet mcp --timeout)", asked, most)
		}
		plan.Limits.Timeout = asked
	}
	switch most := plan.Limits.MaxSteps; {
	case run.MaxSteps < 0:
		return fmt.Errorf("max_steps: %d is not a number of steps; give 1 or more", run.MaxSteps)
	case most > 0 && run.MaxSteps > most:
		return fmt.Errorf("max_steps: %d are more than the %d that this server allows (rlvet mcp --max-steps)", run.MaxSteps, most)
	case run.MaxSteps > 0:
		plan.Limits.MaxSteps = run.MaxSteps
	}
	if len(run.Seeds) == 0 {
		return nil
	}
	if most := len(plan.Seeds); len(run.Seeds) > most {
		return fmt.Errorf("seeds: %d are more than the %d that this server allows (rlvet mcp --seeds)", len(run.Seeds), most)
	}
	for _, seed := range run.Seeds {
		if seed < 0 {
			return fmt.Errorf("seeds: \"%d\" is not a seed; give numbers such as 0,1,2", seed)
		}
	}
	plan.Seeds = run.Seeds
	return nil
}

// confirmedOf is the answer on one script.
func confirmedOf(s *confirm.Script) Confirmed {
	c := Confirmed{Verdicts: []Verdict{}, Notes: notesOf(s.Result)}
	for _, p := range s.Problems {
		c.Notes = append(c.Notes, "warning: "+words.Plain(p.String()))
	}
	for _, p := range s.Misplaced() {
		c.Notes = append(c.Notes, "error: "+words.Plain(p.String()))
	}
	for _, trouble := range s.Trouble() {
		c.Notes = append(c.Notes, "error: "+words.Plain(trouble))
	}
	for i, f := range s.Findings {
		e := s.Outcome.Targets[i]
		v := Verdict{
			Code: f.Code, Path: paths.Short(paths.In(s.Dir, f.Range.File)), Cell: f.Range.Cell, Line: f.Range.Start.Row,
			Verdict: string(e.Verdict), Reason: e.Reason,
		}
		if e.Verdict == "confirmed" { // else no fix was tried
			fix := s.Fix(i)
			v.Fix = fix.Verdict
			if fix.Reason != "" {
				v.Fix += ": " + fix.Reason
			}
		}
		if claim, ok := s.Claims[i]; ok {
			v.Claim = claim.String()
		}
		v.Agree, v.Runs = s.Agree(i)
		c.Verdicts = append(c.Verdicts, v)
	}
	return c
}
