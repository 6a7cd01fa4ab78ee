package rules_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/torchtest"
	"github.com/rlvet/rlvet/rules"
)

// updating reports whether -update was given, the flag of linttest.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// TestConfirmed runs the examples of every rule with the real torch: each finding of
// a Bad example is confirmed, and none is at the same place once its fix is applied.
// The recorded verdict blocks are what was seen.
func TestConfirmed(t *testing.T) {
	python := torchPython(t)
	for _, e := range rules.All() {
		if slices.Contains(e.Analyzer.Requires, pass.Runs) { // a table is the evidence
			continue
		}
		probe := rules.Probe(e.Doc.Code)
		t.Run(e.Doc.Code, func(t *testing.T) {
			t.Parallel()
			verdicts := &recorded{texts: map[*rule.Fence]string{}}
			t.Cleanup(func() { verdicts.write(t, e) })
			for i, example := range e.Doc.Examples(rule.Bad) {
				t.Run(fmt.Sprintf("example %d", i+1), func(t *testing.T) {
					t.Parallel()
					confirmExample(t, python, e, probe, example, verdicts)
				})
			}
			for _, section := range []string{rule.Good, rule.NotFlagged} {
				for i, example := range e.Doc.Examples(section) {
					if example.Run == nil {
						continue
					}
					t.Run(fmt.Sprintf("%s %d", section, i+1), func(t *testing.T) {
						t.Parallel()
						watchCorrect(t, python, e, probe, example, verdicts)
					})
				}
			}
		})
	}
}

// torchPython finds a Python with torch.
func torchPython(t *testing.T) *harness.Python {
	t.Helper()
	python, err := harness.FindPython(t.Context(), torchtest.Python(t, "the probes are NOT tried with the real torch"), "")
	if err != nil {
		t.Fatal(err)
	}
	return python
}

// confirmExample runs one Bad example, and its fixed form.
func confirmExample(t *testing.T, python *harness.Python, e rule.Entry, probe string, example rule.Example, verdicts *recorded) {
	dir := t.TempDir()
	main := ""
	for _, f := range example.Files {
		main = f.Name
		write(t, filepath.Join(dir, f.Name), rule.StripMarks(f.Text))
	}
	found := findings(t, dir, example, e.Analyzer)
	standIn(t, dir, example)
	running := ""
	if example.Run != nil {
		running = "\n" + example.Run.Text
	}
	write(t, filepath.Join(dir, main), rule.StripMarks(example.Files[len(example.Files)-1].Text)+running)
	plan := harness.Plan{Root: dir, Script: main, Args: argumentsOf(example.Run), Seeds: []int{0}, Python: python, Isolation: harness.NoIsolation, Limits: harness.Limits{Timeout: 2 * time.Minute}}
	for i, f := range found.list {
		plan.Targets = append(plan.Targets, found.target(t, dir, i, f, probe))
	}
	lines := run(t, plan, harness.Confirmed)
	verdicts.compare(t, example.Verdict, strings.Join(lines, "\n")+"\n")
	for left := found.withFix(); len(left) > 0; {
		left = runFixed(t, plan, found, left, main, running)
	}
}

// watchCorrect runs an example of right code with the probe at the expressions that the
// run block names, each in a comment "# watch: EXPRESSION": they are evaluated, and
// nothing is confirmed.
func watchCorrect(t *testing.T, python *harness.Python, e rule.Entry, probe string, example rule.Example, verdicts *recorded) {
	dir := t.TempDir()
	for _, f := range example.Files {
		write(t, filepath.Join(dir, f.Name), rule.StripMarks(f.Text))
	}
	standIn(t, dir, example)
	last := example.Files[len(example.Files)-1]
	text := rule.StripMarks(last.Text)
	write(t, filepath.Join(dir, last.Name), text+"\n"+example.Run.Text)
	plan := harness.Plan{Root: dir, Script: last.Name, Args: argumentsOf(example.Run), Seeds: []int{0}, Python: python, Isolation: harness.NoIsolation, Limits: harness.Limits{Timeout: 2 * time.Minute}}
	for i, m := range watched.FindAllStringSubmatch(example.Run.Text, -1) {
		plan.Targets = append(plan.Targets, watchedTarget(t, text, m[1], m[2], harness.Target{ID: i, Code: e.Doc.Code, File: last.Name, Probe: probe}))
	}
	if len(plan.Targets) == 0 {
		t.Fatal("the run block of right code says in no comment `# watch: EXPRESSION` what to watch")
	}
	lines := run(t, plan, "")
	verdicts.compare(t, example.Verdict, strings.Join(lines, "\n")+"\n")
}

var (
	watched   = regexp.MustCompile(`(?m)^# watch(?: line ([0-9]+))?: (.+)$`)
	arguments = regexp.MustCompile(`(?m)^# arguments: (.+)$`)
)

// watchedTarget completes the target for an expression, which stands once in the text or
// on the line.
func watchedTarget(t *testing.T, text, line, expression string, target harness.Target) harness.Target {
	t.Helper()
	from, to := 0, len(text)
	if line != "" {
		number, _ := strconv.Atoi(line)
		from = len(strings.Join(strings.SplitAfter(text, "\n")[:number-1], ""))
		to = from + strings.IndexByte(text[from:]+"\n", '\n')
	}
	if n := strings.Count(text[from:to], expression); n != 1 {
		t.Fatalf("`%s` stands there %d times: name an expression that stands once in the example, or once on `# watch line N: EXPRESSION`", expression, n)
	}
	target.Start = from + strings.Index(text[from:to], expression)
	target.End = target.Start + len(expression)
	target.Row = 1 + strings.Count(text[:target.Start], "\n")
	target.EndRow, target.Text = target.Row, expression
	return target
}

// argumentsOf returns the command line that a run block asks for, in a comment
// "# arguments: ...".
func argumentsOf(run *rule.Fence) []string {
	if run == nil {
		return nil
	}
	if m := arguments.FindStringSubmatch(run.Text); m != nil {
		return strings.Fields(m[1])
	}
	return nil
}

// standIn puts small libraries of testdata/standins beside a program that imports them:
// the real ones are not needed to see what a finding is about.
func standIn(t *testing.T, dir string, example rule.Example) {
	t.Helper()
	text := ""
	for _, f := range example.Files {
		text += f.Text
	}
	if example.Run != nil {
		text += example.Run.Text
	}
	libraries, err := os.ReadDir("testdata/standins")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a stand-in may import another
		for _, l := range libraries {
			if !imports(text, l.Name()) {
				continue
			}
			if l.Name() == "stable_baselines3" || l.Name() == "sb3_contrib" {
				text += "\nimport gymnasium\nimport stable_baselines3\n"
			}
			if err := os.RemoveAll(filepath.Join(dir, l.Name())); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(filepath.Join(dir, l.Name()), os.DirFS("testdata/standins/"+l.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// imports reports whether a program imports a library.
func imports(text, library string) bool {
	return regexp.MustCompile(`(?m)^\s*(import|from) ` + library + `\b`).MatchString(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// foundIn are the findings of an example, and its files.
type foundIn struct {
	list  []finding.Finding
	files map[string]*source.File
}

func findings(t *testing.T, dir string, example rule.Example, a *analysis.Analyzer) foundIn {
	t.Helper()
	var paths []string
	for _, f := range example.Files {
		if strings.HasSuffix(f.Name, ".py") {
			paths = append(paths, filepath.Join(dir, f.Name))
		}
	}
	res, err := engine.Check(context.Background(), paths, engine.Options{Analyzers: []*analysis.Analyzer{a}})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Findings) == 0 {
		t.Fatal("the example has no finding")
	}
	return foundIn{res.Findings, res.Files}
}

func (found foundIn) target(t *testing.T, dir string, id int, f finding.Finding, probe string) harness.Target {
	t.Helper()
	rel, err := filepath.Rel(dir, f.Range.File)
	if err != nil {
		t.Fatal(err)
	}
	text := found.files[f.Range.File].Text[f.Range.StartByte:f.Range.EndByte]
	return harness.Target{
		ID: id, Code: f.Code, File: rel, Start: f.Range.StartByte, End: f.Range.EndByte,
		Row: f.Range.Start.Row, EndRow: f.Range.End.Row, Text: string(text), Probe: probe,
	}
}

// slots bounds the programs that run at a time: each has torch in it.
var slots = make(chan struct{}, 2)

// run runs a plan; want is the verdict that each target must have, "" for any other
// than confirmed of a probe that was reached and did not fail.
func run(t *testing.T, plan harness.Plan, want harness.Verdict) (lines []string) {
	t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	reports, err := harness.RunAll(context.Background(), harness.Local{}, []harness.Plan{plan})
	if err != nil {
		t.Fatal(err)
	}
	rep := reports[0]
	if rep.Failure != nil {
		t.Fatal(rep.Failure)
	}
	for _, e := range rep.Targets {
		lines = append(lines, fmt.Sprintf("line %d: %s: %s", e.Target.Row, e.Verdict, e.Reason))
		broken := e.Verdict == harness.NotReached || strings.Contains(e.Reason, "probe failed")
		if want != "" && e.Verdict != want || want == "" && (e.Verdict == harness.Confirmed || broken) {
			t.Errorf("%s, line %d, `%s`: %s: %s\n%s", e.Target.Code, e.Target.Row, e.Target.Text, e.Verdict, e.Reason, rep.Runs[0].Output)
		}
	}
	if want == "" && rep.Runs[0].Status == "crash" {
		t.Errorf("the fixed program raises %s\n%s", rep.Runs[0].Crash.Message, rep.Runs[0].Output)
	}
	return lines
}

// withFix are the findings that have a fix to apply, by their indices.
func (found foundIn) withFix() (out []int) {
	for i, f := range found.list {
		if f.Fix != nil && f.Fix.Applicability != finding.DisplayOnly {
			out = append(out, i)
		}
	}
	return out
}

// runFixed applies the fixes of as many findings as go together and watches what stands at
// their places then. It returns the others, for the next time.
func runFixed(t *testing.T, plan harness.Plan, found foundIn, left []int, main, running string) (rest []int) {
	t.Helper()
	together, rest := found.together(left)
	if len(together) == 0 {
		t.Fatal("a fix overlaps itself")
	}
	targets := plan.Targets
	plan.Targets, plan.Overlay = nil, map[string][]byte{}
	for path, indices := range together {
		file := found.files[path]
		var all []edit.Edit
		for _, i := range indices {
			for _, e := range finding.Plain(found.list[i].Fix.Edits) {
				if !slices.Contains(all, e) { // two fixes may add the same import
					all = append(all, e)
				}
			}
		}
		after, err := edit.ApplyFile(file, all)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range indices {
			plan.Targets = append(plan.Targets, fixedTarget(targets[i], found.list[i], all, after.Text))
		}
		name := targets[indices[0]].File
		text := string(after.Text)
		if name == main {
			text += running
		}
		plan.Overlay[name] = []byte(text)
	}
	run(t, plan, "")
	return rest
}

// together chooses the findings whose fixes can be applied at once, as they are for a user,
// by their files.
func (found foundIn) together(left []int) (chosen map[string][]int, rest []int) {
	byFile := map[string][]int{}
	for _, i := range left {
		path := found.list[i].Range.File
		byFile[path] = append(byFile[path], i)
	}
	chosen = map[string][]int{}
	for path, indices := range byFile {
		var fixes [][]edit.Edit
		for _, i := range indices {
			fixes = append(fixes, finding.Plain(found.list[i].Fix.Edits))
		}
		take := edit.NonOverlapping(fixes)
		for n, i := range indices {
			if !slices.Contains(take, n) {
				rest = append(rest, i)
				continue
			}
			chosen[path] = append(chosen[path], i)
		}
	}
	return chosen, rest
}

// fixedTarget is what stands at the place of a finding in text, in which its fix and others
// were applied by the edits all.
func fixedTarget(target harness.Target, f finding.Finding, all []edit.Edit, text []byte) harness.Target {
	own := finding.Plain(f.Fix.Edits)
	others := slices.DeleteFunc(slices.Clone(all), func(e edit.Edit) bool { return slices.Contains(own, e) })
	target.Start, target.End = edit.Moved(all, f.Range.StartByte, f.Range.EndByte)
	target.Text = string(text[target.Start:target.End])
	start, end := f.Range.StartByte, f.Range.EndByte
	for _, e := range own {
		if e.AddsLines() {
			start, end = min(start, e.Start), max(end, e.End)
		}
	}
	from, to := edit.MovedAround(own, f.Range.StartByte, f.Range.EndByte)
	movedStart, movedEnd := edit.Moved(others, start, end)
	from, to = from+movedStart-start, to+movedEnd-end
	target.Wider = harness.Span{Start: from, End: to, Text: string(text[from:to])}
	return target
}

// recorded collects the verdicts that are written with -update.
type recorded struct {
	mu    sync.Mutex
	texts map[*rule.Fence]string
}

func (r *recorded) compare(t *testing.T, block *rule.Fence, got string) {
	t.Helper()
	if block == nil {
		return
	}
	if updating() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.texts[block] = got
		return
	}
	if block.Text != got {
		t.Errorf("the recorded verdict is\n%s\nbut this run says\n%s\n(go test ./rules -run TestConfirmed -update rewrites it)", block.Text, got)
	}
}

// write rewrites the rule's page.
func (r *recorded) write(t *testing.T, e rule.Entry) {
	if len(r.texts) == 0 {
		return
	}
	out, err := exec.Command("git", "grep", "--untracked", "-l", "^code: "+e.Doc.Code+"$", "--", "../analyzers/*/*/rule.md").Output()
	path := strings.TrimSpace(string(out))
	if err != nil || path == "" {
		t.Fatalf("no page of %s found: %v", e.Doc.Code, err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, rule.Rewrite(page, r.texts), 0o644); err != nil {
		t.Fatal(err)
	}
}
