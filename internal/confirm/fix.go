package confirm

import (
	"context"
	"slices"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

// # Trying the fixes
//
// The fixes of all confirmed findings are applied to a copy of the project, and the same
// seeds are run again. What a fix made of the flagged expression is watched by the same
// probe: the finding is fixed if it was evaluated there and not confirmed any more, and
// no loss or parameter turns non-finite that was finite before.
//
// A program with a mistake often ends at it, before other findings can be judged. Those
// are watched in the fixed program too, and what is confirmed there is fixed in turn,
// until nothing new is confirmed.
const maxRounds = 4

// trial is the state of the rounds for one script.
type trial struct {
	*Script
	first  *harness.Report // verdicts are improved in place
	before []harness.SeedRun
	fixes  map[int]harness.FixVerdict
	fixed  []int // findings whose fixes are applied, in the order in which they were confirmed
}

// tryFixes runs the fixed programs, all of a round together, and improves the verdicts
// on what the programs did not come to before.
func (c *confirmation) tryFixes(ctx context.Context) error {
	var trials []*trial
	for _, s := range c.running() {
		t := &trial{Script: s, first: s.Outcome, before: s.Outcome.Runs, fixes: map[int]harness.FixVerdict{}}
		trials, s.Fixes = append(trials, t), t.fixes
	}
	for range maxRounds {
		going, err := c.round(ctx, trials)
		if len(going) == 0 || err != nil {
			return err
		}
		trials = going
	}
	return nil
}

// round applies the fixes of what was confirmed since the last one, and runs the fixed
// programs. It returns the trials that had any.
func (c *confirmation) round(ctx context.Context, trials []*trial) (going []*trial, err error) {
	var plans []harness.Plan
	for _, t := range trials {
		if !t.add() {
			continue
		}
		plan, err := t.next()
		if err != nil {
			return nil, err
		}
		going, plans = append(going, t), append(plans, plan)
	}
	if len(plans) == 0 {
		return nil, nil
	}
	reports, err := c.Run(ctx, words.Choose(len(plans), "running the script with its fix", "running the scripts with their fixes"), plans)
	if err != nil {
		return nil, err
	}
	for i, t := range going {
		t.take(reports[i])
	}
	return going, nil
}

// add takes up the fixes of what was confirmed since the last round; it is false where
// there is none.
func (t *trial) add() bool {
	added := false
	for i, e := range t.first.Targets {
		f := t.Findings[i]
		if _, known := t.fixes[i]; known || e.Verdict != harness.Confirmed {
			continue
		}
		if why := untried(f); why != "" {
			t.fixes[i] = harness.FixVerdict{Verdict: "not-tried", Reason: why}
			continue
		}
		if t.touches(f) {
			t.fixes[i] = harness.FixVerdict{Verdict: "not-tried", Reason: "its fix overlaps that of another finding"}
			continue
		}
		t.fixed, added = append(t.fixed, i), true
	}
	return added
}

// untried says why the fix of a finding is not tried, "" where it is.
func untried(f finding.Finding) string {
	switch {
	case f.Fix == nil:
		return "the finding has no fix"
	case f.Fix.Applicability == finding.DisplayOnly:
		return "its fix is a suggestion that somebody has to complete"
	case !inOneFile(f):
		return "its fix changes another file too"
	}
	return ""
}

func inOneFile(f finding.Finding) bool {
	return !slices.ContainsFunc(f.Fix.Edits, func(e finding.Edit) bool { return e.Range.File != f.Range.File })
}

// touches reports whether the fix of f overlaps one that is taken up already.
func (t *trial) touches(f finding.Finding) bool {
	groups := [][]edit.Edit{}
	for _, i := range t.fixed {
		if t.Findings[i].Range.File == f.Range.File {
			groups = append(groups, finding.Plain(t.Findings[i].Fix.Edits))
		}
	}
	groups = append(groups, finding.Plain(f.Fix.Edits))
	return len(edit.NonOverlapping(groups)) < len(groups)
}

// edits are those of all fixes that are taken up, in one file.
func (t *trial) edits(path string) []edit.Edit {
	var out []edit.Edit
	for _, i := range t.fixed {
		if t.Findings[i].Range.File == path {
			out = append(out, finding.Plain(t.Findings[i].Fix.Edits)...)
		}
	}
	return out
}

// next plans a run of the fixed program: it watches what was fixed, and what the
// program did not come to.
func (t *trial) next() (harness.Plan, error) {
	p := t.planned
	p.Targets, p.Overlay = nil, map[string][]byte{}
	for path, text := range t.planned.Overlay {
		p.Overlay[path] = text
	}
	for i, e := range t.first.Targets {
		fixed := slices.Contains(t.fixed, i)
		if !fixed && (e.Verdict == harness.Confirmed || e.Verdict == harness.Refuted) {
			continue
		}
		target, after, err := t.moved(i, fixed)
		if err != nil {
			return p, err
		}
		p.Targets = append(p.Targets, target)
		p.Overlay[target.File] = after.Text
		if after.Cells != nil {
			p.Notebook = after
		}
	}
	return p, nil
}

// moved is the target of a finding in the fixed file, and that file.
func (t *trial) moved(i int, fixed bool) (harness.Target, *source.File, error) {
	f := t.Findings[i]
	target, err := t.target(i, f)
	if err != nil {
		return target, nil, err
	}
	all := t.edits(f.Range.File)
	after, err := edit.ApplyFile(t.Files[f.Range.File], all)
	if err != nil {
		return target, nil, err
	}
	target.Start, target.End = edit.Moved(all, target.Start, target.End)
	target.Text = string(after.Text[target.Start:target.End])
	target.Row, target.EndRow = row(after, target.Start), row(after, target.End)
	if target.Fixed = fixed; fixed {
		target.Wider = wider(all, finding.Plain(f.Fix.Edits), f, after.Text)
	}
	return target, after, nil
}

// take judges the fixes by what the fixed program did.
func (t *trial) take(after *harness.Report) {
	var codes []string
	for _, i := range t.fixed {
		if after.Failure != nil {
			t.fixes[i] = harness.FixVerdict{Verdict: "not-tried", Reason: after.Failure.Error()}
		}
		codes = append(codes, t.Findings[i].Code)
	}
	for _, e := range after.Targets {
		i := e.Target.ID
		if slices.Contains(t.fixed, i) {
			t.fixes[i] = harness.JudgeFix(e, len(t.fixed), t.before, after.Runs)
			continue
		}
		if e.Verdict == harness.Confirmed || e.Verdict == harness.Refuted {
			e.Target = t.first.Targets[i].Target
			e.Reason += " (seen once " + words.And(codes) + " " + words.Choose(len(codes), "was fixed", "were fixed") + ")"
			t.first.Targets[i] = e
		}
	}
}

// wider is the range in the fixed text that covers what one fix changed around its
// finding; edits elsewhere in the file only move it.
func wider(all, own []edit.Edit, f finding.Finding, text []byte) harness.Span {
	from, to := f.Range.StartByte, f.Range.EndByte
	for _, e := range own {
		if !e.AddsLines() {
			from, to = min(from, e.Start), max(to, e.End)
		}
	}
	moved := 0
	var inside []edit.Edit
	for _, e := range all {
		switch {
		case e.Start >= from && e.End <= to && (slices.Contains(own, e) || e.Start > from && e.End < to):
			inside = append(inside, e)
		case e.End <= from:
			moved += len(e.New) - (e.End - e.Start)
		}
	}
	start, end := edit.MovedAround(inside, from, to)
	return harness.Span{Start: start + moved, End: end + moved, Text: string(text[start+moved : end+moved])}
}
