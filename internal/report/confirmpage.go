package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/confirm"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/page"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

//go:generate go run github.com/valyala/quicktemplate/qtc -skipLineComments -ext=qtpl

// WriteConfirmationPage writes the reports of some scripts as one page of HTML that needs
// nothing else.
func WriteConfirmationPage(w io.Writer, r *confirm.Result) error {
	return page.Render(w, viewOf(reported(r)))
}

// What the template shows.
type (
	pageView struct {
		Heading, Version string
		Claimed          bool // rather than found
		Scripts          []scriptView
	}
	scriptView struct {
		Heading    string
		Failure    string // why it was not run
		Facts      []factView
		Findings   []findingView
		Runs       []runView
		Tracebacks []factView
	}
	factView    struct{ Name, Value string }
	findingView struct {
		ID, Code, Name, Message, Where, Place, SeenIn string

		Verdict verdictView
		Says    []string // the first stands out
		Lines   []page.Line
		Figures []page.Figure
		Legend  []page.Entry
		Seeds   []seedView
		Change  *changeView
		Fix     *verdictView
	}
	verdictView struct{ Class, Sign, Word, Lead, Reason string }
	seedView    struct {
		Seed, Hits int
		Verdict    verdictView
		Seen       string
	}
	changeView struct {
		Message string
		Lines   []page.Line
	}
	runView struct {
		Seed, Steps                       int
		Ended, Nonfinite, Seconds, Memory string
	}
)

func viewOf(all []confirmation) *pageView {
	v := &pageView{Heading: titleOf(all), Claimed: all[0].noun() == "claim"}
	for n, c := range all {
		s := scriptView{Facts: c.facts(), Runs: c.runViews(), Tracebacks: c.tracebacks()}
		if len(all) > 1 {
			s.Heading = c.Name
		}
		if c.Failure != nil {
			s.Failure = oneLine(c.Failure.Error()) + "."
		}
		for i := range c.judgedFindings() {
			f := c.findingView(i)
			f.ID = fmt.Sprintf("finding-%d-%d", n+1, i+1)
			s.Findings = append(s.Findings, f)
		}
		v.Version, v.Scripts = c.Version, append(v.Scripts, s)
	}
	return v
}

// titleOf is "train.py: 2 of 3 findings confirmed".
func titleOf(all []confirmation) string {
	what := words.Count(len(all), "script")
	if len(all) == 1 {
		what = all[0].Name
	}
	found, confirmed, noun := 0, 0, "finding"
	for _, c := range all {
		found, confirmed, noun = found+len(c.Findings), confirmed+c.Confirmed(), c.noun()
	}
	if found == 0 {
		return what + ": nothing to confirm"
	}
	return fmt.Sprintf("%s: %d of %s confirmed", what, confirmed, words.Count(found, noun))
}

// judgedFindings is the number of findings of which there is a verdict: all or none.
func (c confirmation) judgedFindings() int {
	if c.Outcome == nil {
		return 0
	}
	return len(c.Findings)
}

func (c confirmation) findingView(i int) findingView {
	f, e := &c.Findings[i], c.Outcome.Targets[i]
	v := findingView{
		Code: f.Code, Name: f.Name, Message: capital(oneLine(f.Line())), Where: fmt.Sprintf("line %d", f.Range.Start.Row), Place: place(f.Range),
		SeenIn: seenIn(e), Verdict: verdictOf(string(e.Verdict)), Says: c.says(i), Seeds: seedViews(e.Seeds),
		Lines: MarkedLines(c.Files[f.Range.File], f.Range, 3),
	}
	if f.Range.Cell > 0 {
		v.Where = fmt.Sprintf("cell %d, line %d", f.Range.Cell, f.Range.Start.Row)
	}
	if f.Fix != nil && e.Verdict != harness.Refuted { // else there is nothing to fix
		v.Change = c.change(f.Fix)
	}
	if fix, ok := c.Fixes[i]; ok {
		w := verdictOf(fix.Verdict)
		w.Reason = sentence(fix.Reason)
		v.Fix = &w
	}
	v.Figures, v.Legend = figures(e, c.Fixes[i].After)
	return v
}

// verdicts are the looks of verdicts: a sign and a word besides the colour.
var verdicts = map[string]verdictView{
	"confirmed":    {"confirmed", "✗", "confirmed", "", ""},
	"refuted":      {"refuted", "✓", "refuted", "", ""},
	"not-reached":  {"not-reached", "–", "not reached", "", ""},
	"inconclusive": {"inconclusive", "?", "inconclusive", "", ""},
	"fixed":        {"fixed", "✓", "fix verified", "The same seeds ran again with the fix, and the mistake is gone.", ""},
	"not-fixed":    {"not-fixed", "✗", "fix failed", "The same seeds ran again with the fix, and the program still fails.", ""},
	"not-known":    {"inconclusive", "?", "fix not verified", "The same seeds ran again with the fix, and nothing told whether the mistake is gone.", ""},
	"not-tried":    {"not-tried", "–", "fix not tried", "No fix was tried.", ""},
}

func verdictOf(name string) verdictView {
	if v, ok := verdicts[name]; ok {
		return v
	}
	return verdictView{"inconclusive", "?", name, "", ""}
}

func seedViews(seeds []harness.SeedEvidence) []seedView {
	var out []seedView
	for _, s := range seeds {
		v := seedView{Seed: s.Seed, Hits: s.Hits, Verdict: verdictOf(string(s.Verdict)), Seen: sentence(s.Reason)}
		if s.Confirmation != nil {
			v.Seen = sentence(fmt.Sprintf("at evaluation %d, %s%s", s.Confirmation.Hit+1, afterSteps(s.Confirmation.Step), inWords(s.Confirmation.Seen)))
		}
		out = append(out, v)
	}
	return out
}

// MarkedLines are the lines of a range, with those around it; nil where there is no file.
func MarkedLines(file *source.File, at finding.Range, context int) []page.Line {
	if file == nil {
		return nil
	}
	var out []page.Line
	for _, l := range frameLines(file, at, context) {
		line := page.Line{Row: l.row, Gap: len(out) > 0 && l.row != out[len(out)-1].Row+1, Before: l.text}
		if l.marks > 0 {
			line.Before, line.Marked, line.Behind = l.cut()
		}
		out = append(out, line)
	}
	return out
}

// change is what a fix does to its files.
func (c confirmation) change(fix *finding.Fix) *changeView {
	v := &changeView{Message: sentence(fix.Message)}
	for _, name := range editedFiles(fix) {
		file := c.Files[name]
		if file == nil {
			continue
		}
		for i, l := range diffLines(file, editsOf(fix, name)) {
			v.Lines = append(v.Lines, page.Line{Row: l.row, Sign: strings.TrimSpace(string(l.sign)), Before: l.text, Gap: i > 0 && l.gap})
		}
	}
	return v
}

// facts say what was run, and how.
func (c confirmation) facts() []factView {
	if c.Outcome == nil {
		return nil
	}
	device := "cpu"
	if len(c.Outcome.Runs) > 0 && c.Outcome.Runs[0].Device != "" {
		device = c.Outcome.Runs[0].Device
	}
	var seeds []string
	for _, r := range c.Outcome.Runs {
		seeds = append(seeds, strconv.Itoa(r.Seed))
	}
	out := []factView{
		{"Program", strings.Join(append([]string{c.Name}, c.Args...), " ")}, {"Seeds", strings.Join(seeds, ", ")},
		{"Ran on", fmt.Sprintf("%s, Python %s, torch %s", device, c.Python.Version, c.Python.Torch)},
		{"Isolation", c.Outcome.Isolation.Means()},
	}
	if s := reproducible(c.Reproducible, c.Outcome.Runs); s != "" {
		out = append(out, factView{"Reproducible", s})
	}
	if c.Seconds > 0 {
		out = append(out, factView{"Took", fmt.Sprintf("%.0f s in all", c.Seconds)})
	}
	return out
}

func (c confirmation) runViews() []runView {
	if c.Outcome == nil {
		return nil
	}
	var out []runView
	for _, r := range c.Outcome.Runs {
		v := runView{Seed: r.Seed, Steps: r.Steps, Ended: ending(r), Nonfinite: "none", Seconds: fmt.Sprintf("%.1f", r.WallSeconds), Memory: strconv.FormatInt(r.PeakMemory/1e6, 10)}
		if r.Nonfinite != nil {
			v.Nonfinite = fmt.Sprintf("%s: %s", afterSteps(r.Nonfinite.Step), r.Nonfinite.What)
		}
		out = append(out, v)
	}
	return out
}

// tracebacks are those of the runs that crashed.
func (c confirmation) tracebacks() []factView {
	if c.Outcome == nil {
		return nil
	}
	var out []factView
	for _, r := range c.Outcome.Runs {
		if r.Crash != nil && r.Crash.Traceback != "" {
			out = append(out, factView{strconv.Itoa(r.Seed), r.Crash.Traceback})
		}
	}
	return out
}
