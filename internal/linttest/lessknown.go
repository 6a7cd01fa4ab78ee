package linttest

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
)

// Programs reads the programs that match a pattern, by file.
func Programs(t *testing.T, pattern string) map[string]string {
	t.Helper()
	matching, err := filepath.Glob(pattern)
	if err != nil || len(matching) == 0 {
		t.Fatalf("no programs match %s: %v", pattern, err)
	}
	out := map[string]string{}
	for _, path := range matching {
		for file, text := range program(t, path) {
			out[strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+"_"+filepath.Base(file)] = text
		}
	}
	return out
}

// RightExamples are the examples of pages that are right, those of one file, by code and line of the page.
func RightExamples(docs []*rule.Doc) map[string]string {
	out := map[string]string{}
	for _, d := range docs {
		for _, e := range d.Examples(rule.Good, rule.NotFlagged) {
			if len(e.Files) == 1 && strings.HasSuffix(e.Files[0].Name, ".py") {
				out[fmt.Sprintf("%s_line_%d.py", d.Code, e.Line)] = e.Files[0].Text
			}
		}
	}
	return out
}

// LessKnown holds rules to silence where they know less: each program is checked once for each of its functions and classes with
// that one imported from a module which is not there, as in a file that is checked without the project around it. Nothing may be
// said then that is not said of the whole program. Notes and findings that rest on names alone are let through: the first say that
// something may be, the second are hidden. So are the rules of except, which say why.
func LessKnown(t *testing.T, programs, except map[string]string, analyzers ...*analysis.Analyzer) {
	t.Helper()
	o := engine.Options{Analyzers: analyzers, Overlay: map[string][]byte{}}
	var paths []string
	whole := map[string]string{} // the program of which a variant lacks a part
	add := func(name, text string) {
		o.Overlay[name] = []byte(text)
		paths = append(paths, name)
	}
	for name, text := range programs {
		add(name, text)
		for i, variant := range withoutOne(text) {
			v := fmt.Sprintf("%d_%s", i, name)
			add(v, variant)
			whole[v] = name
		}
	}
	if len(whole) == 0 {
		t.Fatal("no program defines anything")
	}
	t.Chdir(t.TempDir())
	found := findings(t, paths, o)
	for variant, name := range whole {
		said := map[string]bool{}
		for _, f := range found[name] {
			said[place(f)] = true
		}
		for _, f := range found[variant] {
			if f.Severity == finding.Note || f.Evidence == finding.NameOnly || said[place(f)] || except[f.Code] != "" {
				continue
			}
			t.Errorf("%s: with less known, %s is said of a correct program: %s\n%s", variant, f.Code, f.Message, o.Overlay[variant][f.Range.StartByte:f.Range.EndByte])
		}
	}
}

// place is a rule and the row where it speaks, which a part that is out of sight does not move.
func place(f finding.Finding) string { return fmt.Sprint(f.Code, " ", f.Range.Start.Row) }

// definition is the first line of a function or class of a module.
var definition = regexp.MustCompile(`^(?:async )?(?:def|class) (\w+)`)

// withoutOne returns a program once for each definition of the module, with an import in its place. Lines stay where they are.
func withoutOne(text string) []string {
	lines := strings.Split(text, "\n")
	var out []string
	for i, line := range lines {
		m := definition.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		variant := append([]string{}, lines...)
		for k := i - 1; k >= 0 && strings.HasPrefix(lines[k], "@"); k-- {
			variant[k] = ""
		}
		variant[i] = "from elsewhere import " + m[1]
		for k := i + 1; k < len(lines) && !opensStatement(lines[k]); k++ {
			variant[k] = ""
		}
		out = append(out, strings.Join(variant, "\n"))
	}
	return out
}

// opensStatement reports whether a line begins a statement of the module: the end of a definition's parameters does not.
func opensStatement(line string) bool {
	return line != "" && !strings.ContainsRune(" \t)#", rune(line[0]))
}
