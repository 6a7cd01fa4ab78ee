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
)

// LessKnown holds rules to silence where they know less: each correct program is checked once for each of its functions and
// classes with that one imported from a module which is not there, as in a file that is checked without the project around it.
// What inference does not know must not make a rule speak. Notes and findings that rest on names alone are let through: the
// first say that something may be, the second are hidden.
func LessKnown(t *testing.T, pattern string, analyzers ...*analysis.Analyzer) {
	t.Helper()
	matching, err := filepath.Glob(pattern)
	if err != nil || len(matching) == 0 {
		t.Fatalf("no programs match %s: %v", pattern, err)
	}
	o := engine.Options{Analyzers: analyzers, Overlay: map[string][]byte{}}
	var paths []string
	for _, path := range matching {
		for file, text := range program(t, path) {
			for i, variant := range withoutOne(text) {
				name := fmt.Sprintf("%s_%d_%s", strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), i, filepath.Base(file))
				o.Overlay[name] = []byte(variant)
				paths = append(paths, name)
			}
		}
	}
	if len(paths) == 0 {
		t.Fatalf("no program of %s defines anything", pattern)
	}
	t.Chdir(t.TempDir())
	for name, list := range findings(t, paths, o) {
		for _, f := range list {
			if f.Severity != finding.Note && f.Evidence != finding.NameOnly {
				t.Errorf("%s: with less known, %s is said of a correct program: %s\n%s", name, f.Code, f.Message, o.Overlay[name][f.Range.StartByte:f.Range.EndByte])
			}
		}
	}
}

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
