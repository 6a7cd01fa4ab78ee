package linttest_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/linttest"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// The toy rule reports exp(exp(x)) by name, and offers one exp instead.
func toy(page string) *analysis.Analyzer {
	return pass.Rule([]byte(page), func(p *pass.Pass) {
		ast.WalkModule(p.Source.AST, func(n ast.Node) bool {
			if c, ok := n.(*ast.Call); ok && strings.HasPrefix(p.Source.Text(c), "exp(exp(") {
				inner := p.Source.Text(c.Args[0])
				p.Report(pass.Finding{
					At: c, Message: "exp twice", Evidence: domain.Derived,
					Fix: &pass.Fix{Message: "Write exp once", Edits: p.Source.Replace(c, inner)},
				})
			}
			return true
		})
	})
}

const good = `---
code: OBJ900
name: exp-twice
family: objective
severity: error
status: stable
evidence: derived
fix: unsafe
since: 0.1.0
headline: exp is taken twice
why: it overflows
help: write it once
---

## Symptom

Nothing is learned.

## What it finds

An exponential of an exponential.

## Why it matters

It is no ratio. It overflows.

## Bad

` + "```python\nx = exp(exp(y))  # want \"exp twice\"\n```" + `

## Good

` + "```python\nx = exp(y)\n```" + `

## Not flagged

` + "```python\nx = exp(y) + exp(z)  # ok: two values\n```" + `

## Known gaps

` + "```python\nx = exp( exp(y))  # todo-want \"twice\"\n```" + `

## How it is confirmed

By looking.
`

// broken lists pages of which each breaks one promise, with what the test says.
var broken = map[string]struct{ old, new, want string }{
	"missing":    {`exp(exp(y))  # want "exp twice"`, `exp(y)  # want "exp twice"`, "no finding that matches"},
	"message":    {`# want "exp twice"`, `# want "thrice"`, "unexpected finding"},
	"unexpected": {"x = exp(y) + exp(z)  # ok: two values", "x = exp(exp(z))  # ok: two values", "unexpected finding"},
	"good":       {"```python\nx = exp(y)\n", "```python\nx = exp(z)\n", "is not the Good one"},
	"closed":     {"x = exp( exp(y))", "x = exp(exp(y))", "this gap is closed"},
	"evidence":   {"evidence: derived", "evidence: table", "weaker than the page's"},
	"promise":    {"x = exp(exp(y))  # want", "x = 1; exp(exp(y))  # want", "is not the Good one"},
	"texts":      {"why: it overflows", "why: it overflows.", "one line without a full stop"},
	"length":     {"help: write it once", "help: " + strings.Repeat("x", 121), "at most 120 characters"},
	"syntax":     {"x = exp(y) + exp(z)  # ok: two values", "x = = 1", "example.py:1"},
}

// TestRun runs the toy rule on its page, which keeps all promises.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rule.md"), []byte(page()), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	linttest.Run(t, toy(page()), dir)
}

// page is the toy's page, as the environment breaks it.
func page() string {
	b := broken[os.Getenv("LINTTEST_BREAK")]
	return strings.Replace(good, b.old, b.new, 1)
}

// TestRunFails runs TestRun in processes of their own, each on a page that
// breaks one promise, and expects the failure.
func TestRunFails(t *testing.T) {
	for name, b := range broken {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(good, b.old) {
				t.Fatalf("the page has no %q to break", b.old)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestRun$")
			cmd.Env = append(os.Environ(), "LINTTEST_BREAK="+name)
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Errorf("the test passes:\n%s", out)
			} else if !bytes.Contains(out, []byte(b.want)) {
				t.Errorf("the failure does not say %q:\n%s", b.want, out)
			}
		})
	}
}

// TestUpdate records the output in the page, and nothing else; the page then
// holds, and did not before.
func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rule.md")
	at := strings.Index(good, "\n## Good")
	before, after := good[:at]+"\n```output\n", "```\n"+good[at:]
	if err := os.WriteFile(path, []byte(before+"stale\n"+after), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.Command(os.Args[0], append(args, "-test.run=^TestUpdateInside$")...)
		cmd.Env, cmd.Dir = append(os.Environ(), "LINTTEST_PAGE="+path), dir
		return cmd.CombinedOutput()
	}
	if out, err := run(); err == nil || !bytes.Contains(out, []byte("the output differs")) {
		t.Errorf("stale output: %v\n%s", err, out)
	}
	if out, err := run("-update"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := run(); err != nil {
		t.Errorf("recorded output: %v\n%s", err, out)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	recorded, ok := strings.CutPrefix(string(got), before)
	recorded, ends := strings.CutSuffix(recorded, after)
	if !ok || !ends || !strings.Contains(recorded, "example.py:1:5") || strings.Contains(recorded, "# want") {
		t.Errorf("the page is now\n%s", got)
	}
}

// TestUpdateInside is the process that TestUpdate starts.
func TestUpdateInside(t *testing.T) {
	path := os.Getenv("LINTTEST_PAGE")
	if path == "" {
		t.Skip("runs in the processes that TestUpdate starts")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	linttest.Run(t, toy(string(text)), filepath.Dir(path))
}

// TestMarked finds the marked bugs of a file, a folder and an archive.
func TestMarked(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"one.py":         "x = exp(exp(1))  # bug: OBJ900\ny = 2  # bug: ADV009\n",
		"many/a.py":      "import sub.b\nexp(exp(1))  # bug: ADV009, OBJ900\n",
		"many/sub/b.py":  "exp(exp(1))  # bug: OBJ900\n",
		"packed.txtar":   "A comment.\n-- c.py --\nexp(exp(1))  # bug: OBJ900\n-- pyproject.toml --\n[project]\n",
		"many/notes.txt": "exp(exp(1))",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	linttest.Marked(t, filepath.Join(dir, "*"), toy(good))
}

// TestCategory checks that what Run demands of fixes reaches it.
func TestCategory(t *testing.T) {
	for _, a := range []finding.Applicability{"", finding.Safe, finding.Unsafe} {
		for _, s := range []finding.Severity{"", finding.Note} {
			e, got, severity := pass.ParseCategory(pass.Category(finding.Derived, a, s))
			if e != finding.Derived || got != a || severity != s {
				t.Errorf("%q %q comes back as %q %q %q", a, s, e, got, severity)
			}
		}
	}
}
