package rules_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/rules"
)

// TestNeverRefuted runs the programs of testdata/verdicts. CODE.txtar, or QUANTITY.txtar for the contract of a quantity, holds
// programs, a folder each, which train.py starts. The mistake is there, at the lines that end in "# claim", and what the probe
// looks at is elsewhere: in a helper, a method, another module. Each line has to be confirmed or inconclusive: a verdict never rests
// on nothing to look at. "# claim: EXPRESSION" names what is meant where the line holds several that could be.
//
// The folders module and no_grad hold the first example of the rule, in another module and without gradients; inlined, own_helper,
// own_method and own_lambda one mistake in four places.
func TestNeverRefuted(t *testing.T) {
	python := torchPython(t)
	archives, err := filepath.Glob("testdata/verdicts/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no programs", err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		what := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			for name, files := range programsOf(archive) {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					neverRefuted(t, python, what, files)
				})
			}
		})
	}
}

// programsOf are the programs of an archive, by the names of their folders.
func programsOf(archive *txtar.Archive) map[string][]rule.File {
	out := map[string][]rule.File{}
	for _, f := range archive.Files {
		program, name, _ := strings.Cut(f.Name, "/")
		out[program] = append(out[program], rule.File{Name: name, Text: string(f.Data)})
	}
	return out
}

func neverRefuted(t *testing.T, python *harness.Python, what string, files []rule.File) {
	if !slices.ContainsFunc(files, func(f rule.File) bool { return f.Name == "train.py" }) {
		t.Fatal("the program has no train.py to start it")
	}
	dir := t.TempDir()
	var paths []string
	for _, f := range files {
		paths = append(paths, filepath.Join(dir, f.Name))
		write(t, filepath.Join(dir, f.Name), f.Text)
	}
	plan := harness.Plan{Root: dir, Script: "train.py", Seeds: []int{0}, Python: python, Isolation: harness.NoIsolation, Limits: harness.Limits{Timeout: 2 * time.Minute}}
	found := foundOf(t, what, paths)
	for _, f := range files {
		for _, target := range claimsOf(t, what, f, found[filepath.Join(dir, f.Name)]) {
			target.ID = len(plan.Targets)
			plan.Targets = append(plan.Targets, target)
		}
	}
	if len(plan.Targets) == 0 {
		t.Fatal("no line ends in `# claim`")
	}
	standIn(t, dir, rule.Example{Files: files})
	slots <- struct{}{}
	defer func() { <-slots }()
	reports, err := harness.RunAll(t.Context(), harness.Local{}, []harness.Plan{plan})
	if err != nil || reports[0].Failure != nil {
		t.Fatal(err, reports[0].Failure)
	}
	for _, e := range reports[0].Targets {
		t.Logf("%s:%d, `%s`: %s: %s", e.Target.File, e.Target.Row, e.Target.Text, e.Verdict, e.Reason)
		broken := strings.Contains(e.Reason, "probe failed") || strings.Contains(e.Reason, "no verdict was possible")
		if e.Verdict != harness.Confirmed && e.Verdict != harness.Inconclusive || broken {
			t.Errorf("%s:%d, `%s`: %s: %s\n%s", e.Target.File, e.Target.Row, e.Target.Text, e.Verdict, e.Reason, reports[0].Runs[0].Output)
		}
	}
}

// foundOf is what the checker finds itself of a rule, by files.
func foundOf(t *testing.T, what string, paths []string) map[string][]finding.Finding {
	t.Helper()
	out := map[string][]finding.Finding{}
	e, ok := entryOf(what)
	if !ok {
		return out
	}
	res, err := engine.Check(t.Context(), paths, engine.Options{Analyzers: []*analysis.Analyzer{e.Analyzer}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range res.Findings {
		if f.Code == what {
			out[f.Range.File] = append(out[f.Range.File], f)
		}
	}
	return out
}

func entryOf(code string) (rule.Entry, bool) {
	all := rules.All()
	i := slices.IndexFunc(all, func(e rule.Entry) bool { return e.Doc.Code == code })
	if i < 0 {
		return rule.Entry{}, false
	}
	return all[i], true
}

// marked is the end of a line that is claimed.
var marked = regexp.MustCompile(`# claim(?:: (.+))?$`)

// claimsOf are the targets that a file marks: what is found on the line, or else what a claim is about there.
func claimsOf(t *testing.T, what string, f rule.File, found []finding.Finding) (out []harness.Target) {
	t.Helper()
	file, err := source.FromText(f.Name, []byte(f.Text))
	if err != nil {
		t.Fatal(err)
	}
	p := parse.New()
	defer p.Close()
	m, err := p.Parse(t.Context(), f.Name, file.Text)
	if err != nil {
		t.Fatal(err)
	}
	whole, lines := claim.NewText(file, m), file.Lines()
	for i, line := range strings.Split(f.Text, "\n") {
		mark := marked.FindStringSubmatch(line)
		if mark == nil {
			continue
		}
		target := harness.Target{Code: what, File: f.Name}
		row, start := i+1, lines.Start(i+1)
		switch k := slices.IndexFunc(found, func(f finding.Finding) bool { return f.Range.Start.Row == row }); {
		case k >= 0:
			target.Start, target.End, target.Probe = found[k].Range.StartByte, found[k].Range.EndByte, rules.Probe(what)
		default:
			column := -1
			if mark[1] != "" {
				column = start + strings.Index(line, mark[1])
			}
			wanted, probe := claimed(t, what, f.Name, row)
			place, err := wanted.Choose(whole, start, lines.End(row), column)
			if err != nil {
				t.Fatalf("%s:%d: %v", f.Name, row, err)
			}
			target.Start, target.End, target.Probe, target.Claimed = int(place.Start), int(place.End), probe, true
		}
		target.Row, target.EndRow = lines.Row(target.Start), lines.Row(target.End)
		target.Text = string(file.Text[target.Start:target.End])
		out = append(out, target)
	}
	return out
}

// claimed is what a claim of a rule or a quantity is about, and its probe.
func claimed(t *testing.T, what, file string, row int) (claim.Wanted, string) {
	t.Helper()
	if k, ok := claim.ContractOf(what); ok {
		return k.Wanted(), k.Probe
	}
	e, ok := entryOf(what)
	if !ok || e.Doc.OnlyFound {
		t.Fatalf("%s:%d: nothing is found there, and %s cannot be claimed", file, row, what)
	}
	return claim.Wanted{Forms: e.Doc.Watches}, rules.Probe(what)
}
