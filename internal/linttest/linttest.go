// Package linttest holds a rule to its page, and rules to marked programs.
//
// Input: an analyzer and its rule.md (Run), or programs whose lines are marked
// with the codes of the bugs they have (Marked). Output: failures of the test,
// each with the place in the page or program.
//
// With -update, recorded output blocks are rewritten; nothing else ever is.
// Limits: programs are checked, never run. That a finding is confirmed when its
// program runs is for the harness to test.
package linttest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

var update = flag.Bool("update", false, "rewrite the recorded output blocks of rule.md")

// Run tests a rule by its page: each example is checked, and must have exactly
// the findings that its marks state; fixes must turn the Bad examples into the
// Good ones; recorded output must be what is printed. The page is rule.md in
// the folder of the rule.
func Run(t *testing.T, a *analysis.Analyzer, folder string) {
	t.Helper()
	if err := analysis.Validate([]*analysis.Analyzer{a}); err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs(filepath.Join(folder, "rule.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := rule.Parse("rule.md", page)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := rule.NewRegistry([]rule.Entry{{Doc: doc, Analyzer: a}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{doc: doc, analyzer: a, registry: registry, outputs: map[*rule.Fence]string{}}
	t.Chdir(t.TempDir()) // examples are files of the working directory, and of no project
	fixed := false
	for _, e := range doc.Examples() {
		t.Run(fmt.Sprintf("line %d", e.Line), func(t *testing.T) { r.example(t, e) })
	}
	bad, good := doc.Examples(rule.Bad), doc.Examples(rule.Good)
	t.Run("watches", func(t *testing.T) { r.watches(t, bad) })
	for i, e := range bad {
		var twin *rule.Example
		if i < len(good) {
			twin = &good[i]
		}
		t.Run(fmt.Sprintf("fix of line %d", e.Line), func(t *testing.T) {
			fixed = r.fix(t, e, twin) || fixed
		})
	}
	if doc.Fix != rule.FixNone && !fixed {
		t.Errorf("the page promises a fix (%s), but no finding of a Bad example has one", doc.Fix)
	}
	if *update {
		r.rewrite(t, path, page)
	}
}

type runner struct {
	doc      *rule.Doc
	analyzer *analysis.Analyzer
	registry *rule.Registry
	outputs  map[*rule.Fence]string
}

// texts returns the files of an example without marks, which fixes and recorded
// output then do not show. Lines stay where they are.
func texts(e rule.Example) map[string]string {
	out := map[string]string{}
	for _, f := range e.Files {
		out[f.Name] = rule.StripMarks(f.Text)
	}
	return out
}

// check runs analyzers over texts as if they were files of the working directory.
func check(t *testing.T, files map[string]string, analyzers ...*analysis.Analyzer) *engine.Result {
	t.Helper()
	o := engine.Options{Analyzers: analyzers, Overlay: map[string][]byte{}, Trace: func(stack []byte) { t.Logf("%s", stack) }}
	var paths []string
	for name, text := range files {
		o.Overlay[name] = []byte(text)
		if isProgram(name) {
			paths = append(paths, name)
		}
	}
	res, err := engine.Check(context.Background(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// isProgram reports whether a file is checked; others, such as pyproject.toml, say
// where modules are found.
func isProgram(name string) bool {
	return source.LanguageOf(name) != source.Other
}

// checkRule is check with the rule of the runner; problems fail the test.
func (r *runner) check(t *testing.T, files map[string]string) *engine.Result {
	t.Helper()
	res := check(t, files, r.analyzer)
	for _, p := range res.Problems {
		t.Errorf("%s: %s", p.Place(), p.Message)
	}
	for i := range res.Findings {
		r.registry.Complete(&res.Findings[i])
	}
	return res
}

// example compares the findings of one example with its marks.
func (r *runner) example(t *testing.T, e rule.Example) {
	res := r.check(t, texts(e))
	for i := range res.Findings {
		r.limits(t, &res.Findings[i])
	}
	for _, f := range e.Files {
		compareMarks(t, f, of(res.Findings, f.Name))
	}
	if e.Output != nil {
		r.output(t, e.Output, res)
	}
}

// said is all that a finding tells the reader, as marks match it.
func said(f *finding.Finding) string {
	return string(f.Severity) + ": " + f.Message + "; " + f.Why + "; " + f.Help
}

func of(list []finding.Finding, file string) []finding.Finding {
	var out []finding.Finding
	for _, f := range list {
		if f.Range.File == file {
			out = append(out, f)
		}
	}
	return out
}

// compareMarks matches findings with the marks of their lines.
func compareMarks(t *testing.T, f rule.File, findings []finding.Finding) {
	t.Helper()
	taken := make([]bool, len(findings))
	match := func(m rule.Mark) bool {
		for i := range findings {
			if !taken[i] && findings[i].Range.Start.Row == m.Line && (m.Pattern == nil || m.Pattern.MatchString(said(&findings[i]))) {
				taken[i] = true
				return true
			}
		}
		return false
	}
	for _, m := range f.Marks {
		at := fmt.Sprintf("rule.md:%d", f.Line+m.Line-1)
		switch found := m.Kind != rule.OK && match(m); {
		case m.Kind == rule.Want && !found:
			t.Errorf("%s: no finding that matches %q", at, m.Pattern)
		case m.Kind == rule.TodoWant && found:
			t.Errorf("%s: this gap is closed; move the example to %q", at, rule.Bad)
		case m.Kind == rule.TodoOK && !found:
			t.Errorf("%s: this gap is closed; move the example to %q", at, rule.NotFlagged)
		}
	}
	for i, g := range findings {
		if !taken[i] {
			t.Errorf("rule.md:%d: unexpected finding: %s", f.Line+g.Range.Start.Row-1, said(&g))
		}
	}
}

// strength orders evidence; the weaker one is smaller. What a body does with a parameter proves
// as much as what a program does with a value, as far as the page of a rule is concerned.
var strength = map[finding.Evidence]int{finding.NameOnly: 1, finding.Named: 2, finding.Annotated: 3, finding.Used: 4, finding.Derived: 4, finding.Table: 5}

// maxWhy is how many characters a why may have: one sentence that is read at a glance.
const maxWhy = 160

// texts holds what a finding tells to the form that every report relies on.
func (r *runner) texts(t *testing.T, f *finding.Finding) {
	t.Helper()
	for _, part := range []struct {
		name, text string
		longest    int
	}{{"headline", f.Message, finding.MaxHeadline}, {"why", f.Why, maxWhy}, {"help", f.Help, pass.MaxHelp}} {
		switch n := utf8.RuneCountInString(part.text); {
		case n > part.longest:
			t.Errorf("line %d: a %s has at most %d characters, this one %d: %s", f.Range.Start.Row, part.name, part.longest, n, part.text)
		case strings.HasSuffix(part.text, ".") || strings.Contains(part.text, "\n"):
			t.Errorf("line %d: a %s is one line without a full stop: %q", f.Range.Start.Row, part.name, part.text)
		}
	}
}

// limits holds a finding to what the page promises of all.
func (r *runner) limits(t *testing.T, f *finding.Finding) {
	t.Helper()
	r.texts(t, f)
	if f.Code != r.doc.Code {
		t.Errorf("finding with code %s in a test of %s", f.Code, r.doc.Code)
	}
	if f.Evidence != finding.Named && strength[f.Evidence] < strength[r.doc.Evidence] {
		t.Errorf("line %d: evidence %q is weaker than the page's %q", f.Range.Start.Row, f.Evidence, r.doc.Evidence)
	}
	if f.Fix == nil {
		return
	}
	a := f.Fix.Applicability
	if r.doc.Fix == rule.FixNone && a != finding.DisplayOnly || r.doc.Fix == rule.FixUnsafe && a == finding.Safe {
		t.Errorf("line %d: fix %q is stronger than the page's %q", f.Range.Start.Row, a, r.doc.Fix)
	}
}

// output compares a recorded block with what the command line prints.
func (r *runner) output(t *testing.T, block *rule.Fence, res *engine.Result) {
	t.Helper()
	got := r.render(t, res)
	if *update {
		r.outputs[block] = got
	} else if strings.TrimSpace(got) != strings.TrimSpace(block.Text) {
		t.Errorf("rule.md:%d: the output differs; go test -update records it:\n%s", block.Line, got)
	}
}

// render writes findings as the command line does by default.
func (r *runner) render(t *testing.T, res *engine.Result) string {
	t.Helper()
	w, err := report.New("full", report.Look{})
	if err != nil {
		t.Fatal(err)
	}
	rep := &vet.Result{Files: res.Files, Rules: r.registry, Checked: len(res.Files), Findings: res.Findings}
	var b bytes.Buffer
	if err := w.Write(&b, rep); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rewrite writes the recorded blocks back.
func (r *runner) rewrite(t *testing.T, path string, page []byte) {
	t.Helper()
	if out := rule.Rewrite(page, r.outputs); !bytes.Equal(out, page) {
		if err := os.WriteFile(path, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
