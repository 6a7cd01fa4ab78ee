package confirm

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/rules"
)

// Script is one script of a request, and what came of it.
type Script struct {
	*vet.Result
	Name string   // as the user names it
	Args []string // of the program
	// Failure is what kept the script from being checked or run, or nil.
	Failure error
	Python  *harness.Python
	// Outcome has a target for each finding, in the same order; nil where there was
	// nothing to confirm.
	Outcome      *harness.Report
	Reproducible *harness.Reproduction
	// Fixes say what became of the fixes of confirmed findings, by index.
	Fixes   map[int]harness.FixVerdict
	Seconds float64
	// Claims are what the findings were claimed as, by index; empty where the findings are the
	// checker's. Failed are the claims that could not be tested.
	Claims map[int]claim.Claim
	Failed []FailedClaim

	program *program.Program
	planned harness.Plan
	probes  []string // of claims, by index
}

func (c *confirmation) newScript(p *program.Program) *Script {
	return &Script{
		Result: &vet.Result{Rules: c.Check.Rules, Version: c.Check.Version, Dir: paths.Working()}, Name: p.Name, Args: c.Plan.Args, program: p,
	}
}

// prepare checks the script and plans its runs where it has findings, or something is claimed.
func (s *Script) prepare(ctx context.Context, claims []claim.Claim) error {
	err := s.program.Vet(ctx)
	if s.program.Checked != nil {
		s.Result = s.program.Checked
	}
	if err != nil {
		return err
	}
	if len(claims) > 0 {
		s.take(ctx, claims)
	} else {
		s.Findings = slices.DeleteFunc(s.Findings, s.ofComments)
	}
	if len(s.Findings) == 0 {
		return nil
	}
	plan, err := s.program.Plan(ctx)
	if err != nil {
		return err
	}
	s.Python = plan.Python
	for i, f := range s.Findings {
		t, err := s.target(i, f)
		if err != nil {
			return err
		}
		plan.Targets = append(plan.Targets, t)
	}
	s.planned = plan
	return nil
}

// ofComments reports whether a finding is about a suppression comment, which no run evaluates.
func (s *Script) ofComments(f finding.Finding) bool {
	e, ok := s.Rules.Lookup(f.Code)
	return ok && e.Analyzer == nil
}

// Confirmed counts the findings that were confirmed.
func (s *Script) Confirmed() int { return s.Count(harness.Confirmed) }

// Count counts the findings of which the runs say the same.
func (s *Script) Count(v harness.Verdict) int {
	n := 0
	if s.Outcome != nil {
		for _, e := range s.Outcome.Targets {
			if e.Verdict == v {
				n++
			}
		}
	}
	return n
}

// stacks has the calls that led to what was seen name the cells of a notebook, not the lines of
// the script that they run as.
func (s *Script) stacks() {
	for _, e := range s.Outcome.Targets {
		for _, seed := range e.Seeds {
			if seed.Confirmation == nil {
				continue
			}
			for i, call := range seed.Confirmation.Stack {
				seed.Confirmation.Stack[i] = s.program.InCells(call)
			}
		}
	}
}

// byTable says of findings that rest on a document that no run can confirm or refute them.
func (s *Script) byTable() {
	for i, f := range s.Findings {
		if f.Source != "" && f.Evidence != finding.Claimed {
			s.Outcome.Targets[i].Verdict = harness.Inconclusive
			s.Outcome.Targets[i].Reason = "nothing to watch in a run: the evidence is a row of a table, by " + f.Source
		}
	}
}

// Fix says what became of the fix of a finding.
func (s *Script) Fix(finding int) harness.FixVerdict {
	if fix, ok := s.Fixes[finding]; ok {
		return fix
	}
	return harness.FixVerdict{Verdict: "not-tried"}
}

// target is the place of a finding in the copy of the project.
func (s *Script) target(id int, f finding.Finding) (harness.Target, error) {
	file := s.Files[f.Range.File]
	abs, err := paths.Real(f.Range.File)
	if err != nil {
		return harness.Target{}, err
	}
	rel, err := filepath.Rel(s.program.Root, abs)
	if err != nil {
		return harness.Target{}, err
	}
	if file.Cells != nil {
		rel = program.NotebookScript(rel)
	}
	probe := rules.Probe(f.Code)
	if s.probes != nil {
		probe = s.probes[id]
	}
	return harness.Target{
		ID: id, Code: f.Code, File: rel, Start: f.Range.StartByte, End: f.Range.EndByte,
		Row: row(file, f.Range.StartByte), EndRow: row(file, f.Range.EndByte),
		Text: string(file.Text[f.Range.StartByte:f.Range.EndByte]), Probe: probe, Claimed: f.Evidence == finding.Claimed,
	}, nil
}

// row is the line of an offset in the text that runs: the whole program's for a notebook.
func row(file *source.File, offset int) int {
	return 1 + strings.Count(string(file.Text[:offset]), "\n")
}

// Trouble says, a line each, which runs sent what is not of the protocol, or else how the
// program failed before it came to any finding, and what to do.
func (s *Script) Trouble() (lines []string) {
	if s.Outcome == nil {
		return nil
	}
	for _, fault := range s.Outcome.Faults() {
		lines = append(lines, fmt.Sprintf("%s: %s", s.Name, fault))
	}
	if how := s.Outcome.Fruitless(); how != "" && len(lines) == 0 {
		lines = append(lines, fmt.Sprintf("%s: no run reached a finding: %s; %s", s.Name, how, harness.Advice(how, s.Outcome.Runs[0].Crash, s.Python)))
	}
	return lines
}

// Err is what kept the script from being confirmed, in one line, nil where nothing did.
func (s *Script) Err() error {
	var unchecked *program.NotChecked
	if errors.As(s.Failure, &unchecked) {
		return errors.New(unchecked.Problems[len(unchecked.Problems)-1].String())
	}
	return s.Failure
}

// Agree counts the runs that say by themselves of a finding what all say together, and all
// runs.
func (s *Script) Agree(finding int) (agree, runs int) {
	e := s.Outcome.Targets[finding]
	for _, seed := range e.Seeds {
		if seed.Verdict == e.Verdict {
			agree++
		}
	}
	return agree, len(e.Seeds)
}
