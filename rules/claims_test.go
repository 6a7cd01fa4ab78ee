package rules_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/rules"
)

// TestClaimedOfRightCode puts the probe of every rule, as a claim does, on whatever of its Good
// examples is written as what the rule flags: no claim about right code is confirmed. Rules whose
// page says "claims: found" are left out, since nobody can claim them there.
func TestClaimedOfRightCode(t *testing.T) {
	python := torchPython(t)
	for _, e := range rules.All() {
		bad, good := e.Doc.Examples(rule.Bad), e.Doc.Examples(rule.Good)
		if len(e.Doc.Watches) == 0 || e.Doc.OnlyFound {
			continue
		}
		for i := range min(len(bad), len(good)) {
			t.Run(fmt.Sprintf("%s example %d", e.Doc.Code, i+1), func(t *testing.T) {
				t.Parallel()
				claimOnRight(t, python, e, bad[i], good[i])
			})
		}
	}
}

// claimOnRight runs a Good example as the Bad one is run.
func claimOnRight(t *testing.T, python *harness.Python, e rule.Entry, bad, good rule.Example) {
	dir := t.TempDir()
	plan := harness.Plan{Root: dir, Seeds: []int{0}, Python: python, Args: argumentsOf(bad.Run), Isolation: harness.NoIsolation, Limits: harness.Limits{Timeout: 2 * time.Minute}}
	for _, f := range good.Files {
		text := rule.StripMarks(f.Text)
		if f.Name == good.Files[len(good.Files)-1].Name {
			plan.Script = f.Name
			if bad.Run != nil {
				text += "\n" + bad.Run.Text
			}
		}
		write(t, filepath.Join(dir, f.Name), text)
		if strings.HasSuffix(f.Name, ".py") {
			plan.Targets = append(plan.Targets, claimable(t, e, f.Name, rule.StripMarks(f.Text), len(plan.Targets))...)
		}
	}
	standIn(t, dir, bad)
	standIn(t, dir, good)
	if len(plan.Targets) == 0 {
		return
	}
	slots <- struct{}{}
	defer func() { <-slots }()
	reports, err := harness.RunAll(t.Context(), harness.Local{}, []harness.Plan{plan})
	if err != nil || reports[0].Failure != nil {
		t.Fatal(err, reports[0].Failure)
	}
	for _, k := range reports[0].Targets {
		if k.Verdict == harness.Confirmed {
			t.Errorf("%s, line %d of the Good example of line %d, `%s`: %s", e.Doc.Code, k.Target.Row, good.Line, k.Target.Text, k.Reason)
		}
	}
}

// claimable are the places of a file that a claim of the rule can be about, whether it names a
// column or not.
func claimable(t *testing.T, e rule.Entry, name, text string, first int) (out []harness.Target) {
	t.Helper()
	file, err := source.FromText(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := parse.New()
	defer p.Close()
	m, err := p.Parse(t.Context(), name, file.Text)
	if err != nil {
		t.Fatal(err)
	}
	lines := file.Lines()
	whole := claim.NewText(file, m)
	for _, place := range whole.Places {
		row := lines.Row(int(place.Start))
		chosen, err := claim.Wanted{Forms: e.Doc.Watches}.Choose(whole, lines.Start(row), lines.End(row), int(place.Start))
		if err != nil || chosen.Span != place.Span || slices.ContainsFunc(out, func(t harness.Target) bool { return t.Start == int(place.Start) && t.End == int(place.End) }) {
			continue
		}
		out = append(out, harness.Target{
			ID: first + len(out), Code: e.Doc.Code, File: name, Start: int(place.Start), End: int(place.End), Row: row, EndRow: lines.Row(int(place.End)),
			Text: string(file.Text[place.Start:place.End]), Probe: rules.Probe(e.Doc.Code), Claimed: true,
		})
	}
	return out
}
