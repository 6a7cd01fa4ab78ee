package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is checked in is what the folders say.
func TestGeneratedIsCurrent(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	outputs, incomplete, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	if incomplete != nil {
		t.Error(incomplete)
	}
	stale, err := outdated(root, outputs)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stale {
		t.Errorf("%s is not current; run `go generate ./rules`", name)
	}
}

// Rules come in the order of families, then codes; two of one package name are
// told apart; a second run changes nothing; an edit by hand is noticed.
func TestGenerate(t *testing.T) {
	root := t.TempDir()
	writeRule(t, root, "OBJ007", "un-used", "objective")
	writeRule(t, root, "KL017", "unused", "kl")
	writeRule(t, root, "KL016", "missing", "kl")
	write(t, root, readmeFile, "# head\n"+readmeBegin+"old\n"+readmeEnd+"tail\n")
	outputs, incomplete, err := generate(root)
	if err != nil || incomplete != nil {
		t.Fatal(err, incomplete)
	}
	registry := string(outputs[registryFile])
	if _, err := parser.ParseFile(token.NewFileSet(), registryFile, registry, parser.AllErrors); err != nil {
		t.Errorf("the registry is not Go: %v", err)
	}
	inOrder(t, registry,
		"klunused \"github.com/rlvet/rlvet/analyzers/kl/unused\"", "objectiveunused \"github.com",
		`{Code: "OBJ007", Name: "un-used", Family: "objective", Severity: "error"`, `{Code: "KL016"`,
		"entry(objectiveunused.Doc, objectiveunused.Analyzer, &fronts[0])", "entry(missing.Doc", "entry(klunused.Doc")
	inOrder(t, string(outputs[indexFile]), "3 rules", "## Policy objectives (OBJ)", `[OBJ007](OBJ007.md) | a\|b is mistaken | un-used | error`, "## KL", "KL016", "KL017")
	inOrder(t, string(outputs[readmeFile]), "# head\n", "3 rules", "| KL and references | KL | 2 | [KL016](docs/rules/KL016.md) missing |", readmeEnd+"tail\n")

	if stale, err := outdated(root, outputs); err != nil || len(stale) != 8 {
		t.Errorf("before writing, %v are outdated (%v), want five and a page a rule", stale, err)
	}
	for name, text := range outputs {
		write(t, root, name, string(text))
	}
	again, _, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	if stale, err := outdated(root, again); err != nil || len(stale) != 0 {
		t.Errorf("after writing, %v are outdated (%v), want none", stale, err)
	}
	write(t, root, indexFile, "edited")
	if stale, err := outdated(root, again); err != nil || len(stale) != 1 || stale[0] != indexFile {
		t.Errorf("after an edit, %v are outdated (%v), want the index", stale, err)
	}
}

// A folder that is no rule is left out, and named; the others are generated.
func TestGenerateLeavesOut(t *testing.T) {
	for name, test := range map[string]struct{ file, text, want string }{
		"wrong folder": {"analyzers/kl/other/rule.md", document("KL001", "some-thing", "kl"), "belongs in analyzers/kl/something"},
		"wrong family": {"analyzers/kl/thing/rule.md", document("OBJ001", "thing", "objective"), "belongs in analyzers/objective/thing"},
		"no document":  {"analyzers/kl/thing/rule.md", "# hello\n", "analyzers/kl/thing/rule.md:1:"},
		"no code":      {"analyzers/kl/thing/rule.md", document("KL001", "thing", "kl"), "there is no thing.go beside it"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, readmeFile, readmeBegin+readmeEnd)
			write(t, root, test.file, test.text)
			writeRule(t, root, "KL016", "missing", "kl")
			outputs, incomplete, err := generate(root)
			if err != nil || incomplete == nil || !strings.Contains(incomplete.Error(), test.want) {
				t.Errorf("errors %v, %v, want one with %q", err, incomplete, test.want)
			}
			if registry := string(outputs[registryFile]); strings.Count(registry, "entry(") != 1 {
				t.Errorf("the registry has not exactly the rule that is one:\n%s", registry)
			}
		})
	}
}

// writeRule writes the two files that make a folder a rule.
func writeRule(t *testing.T, root, code, name, family string) {
	t.Helper()
	pkg := strings.ReplaceAll(name, "-", "")
	folder := "analyzers/" + family + "/" + pkg + "/"
	write(t, root, folder+"rule.md", document(code, name, family))
	write(t, root, folder+pkg+".go", "package "+pkg+"\n")
}

// document returns a valid rule.md.
func document(code, name, family string) string {
	return `---
code: ` + code + `
name: ` + name + `
family: ` + family + `
severity: error
status: preview
evidence: derived
fix: none
since: 0.1.0
headline: a|b is mistaken
why: training does not learn
help: write it right
---

## Symptom

Nothing is learned.

## What it finds

It finds a|b. More follows.

## Why it matters

It hurts.

## Bad

` + "```python\nx = 1  # want \"x\"\n```" + `

## Good

` + "```python\nx = 2  # ok\n```" + `

## Not flagged

` + "```python\nx = 3  # ok\n```" + `

## Known gaps

None.

## How it is confirmed

It is not.
`
}

// inOrder fails unless the parts occur in text one after the other.
func inOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Errorf("%q is missing, or not in its place, in\n%s", part, text)
			return
		}
		rest = after
	}
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
