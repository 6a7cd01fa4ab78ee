package cli

import (
	"context"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/report"
)

// # Trying a fix
//
// The fixes of all confirmed findings are applied to a copy of the project, and the same
// seeds are run again. What a fix made of the flagged expression is watched by the same
// probe: the finding is fixed if it was evaluated there and not confirmed any more, and
// no loss or parameter turns non-finite that was finite before.

// tryFixes runs the fixed program; nil where there is nothing to fix.
func (c *confirmation) tryFixes(ctx context.Context, p harness.Plan, before *harness.Report) (map[int]report.FixVerdict, error) {
	out := map[int]report.FixVerdict{}
	byFile := map[string][]int{}
	for i, e := range before.Targets {
		f := c.findings[i]
		if e.Verdict != harness.Confirmed {
			continue
		}
		out[i] = report.FixVerdict{Verdict: "not-tried", Reason: "the finding has no fix"}
		if f.Fix != nil && f.Fix.Applicability != finding.DisplayOnly && inOneFile(f) {
			byFile[f.Range.File] = append(byFile[f.Range.File], i)
		}
	}
	if len(byFile) == 0 {
		return out, nil
	}
	p.Targets = nil
	for path, list := range byFile {
		if err := c.applyFixes(&p, path, list, out); err != nil {
			return nil, err
		}
	}
	after, err := harness.Run(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, e := range after.Targets {
		out[e.Target.ID] = report.JudgeFix(e, before.Runs, after.Runs)
	}
	return out, nil
}

func inOneFile(f finding.Finding) bool {
	for _, e := range f.Fix.Edits {
		if e.Range.File != f.Range.File {
			return false
		}
	}
	return true
}

// applyFixes puts the fixed text of a file into the plan, and what the fixes made of the
// flagged expressions.
func (c *confirmation) applyFixes(p *harness.Plan, path string, list []int, out map[int]report.FixVerdict) error {
	file := c.files[path]
	var groups [][]edit.Edit
	for _, i := range list {
		groups = append(groups, plainEdits(c.findings[i].Fix.Edits))
	}
	var all []edit.Edit
	chosen := edit.NonOverlapping(groups)
	taken := map[int]bool{}
	for _, k := range chosen {
		all, taken[k] = append(all, groups[k]...), true
	}
	after, err := edit.ApplyFile(file, all)
	if err != nil {
		return err
	}
	for k, i := range list {
		if !taken[k] {
			out[i] = report.FixVerdict{Verdict: "not-tried", Reason: "its fix touches that of another finding"}
			continue
		}
		t, err := c.target(i, c.findings[i])
		if err != nil {
			return err
		}
		t.Start, t.End = edit.Moved(all, t.Start, t.End)
		t.Text = string(after.Text[t.Start:t.End])
		t.Wider = wider(all, groups[k], c.findings[i], after.Text)
		p.Targets = append(p.Targets, t)
		p.Overlay[t.File] = after.Text
	}
	return nil
}

// wider is the range in the fixed text that covers what one fix changed around its
// finding; edits elsewhere in the file only move it.
func wider(all, own []edit.Edit, f finding.Finding, text []byte) harness.Span {
	from, to := f.Range.StartByte, f.Range.EndByte
	for _, e := range own {
		from, to = min(from, e.Start), max(to, e.End)
	}
	var before, inside []edit.Edit
	for _, e := range all {
		switch {
		case e.End < from || e.End == from && e.Start < from:
			before = append(before, e)
		case e.Start <= to:
			inside = append(inside, e)
		}
	}
	start, end := edit.MovedAround(inside, from, to)
	for _, e := range before {
		grow := len(e.New) - (e.End - e.Start)
		start, end = start+grow, end+grow
	}
	return harness.Span{Start: start, End: end, Text: string(text[start:end])}
}
