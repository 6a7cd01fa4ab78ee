package linttest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
)

var (
	bugMark  = regexp.MustCompile(`# bug: ([A-Z]+[0-9]+(?:, [A-Z]+[0-9]+)*)\s*$`)
	todoMark = regexp.MustCompile(`# todo-bug: ([A-Z]+[0-9]+(?:, [A-Z]+[0-9]+)*)\s*$`)
)

// Marked checks programs whose lines end with "# bug: CODE" where a finding must
// start, and have none elsewhere. A line that ends with "# todo-bug: CODE" is a
// known miss: once the bug is found there, the mark has to become "# bug". The
// pattern matches Python files, notebooks, folders (one program each, with all
// that is below) and txtar archives (one program each). Only marks of the given
// analyzers count, and findings that rest on names alone, which the command line
// hides, do not.
func Marked(t *testing.T, pattern string, analyzers ...*analysis.Analyzer) {
	t.Helper()
	eachProgram(t, pattern, func(t *testing.T, files map[string]string) { marked(t, files, analyzers) })
}

// eachProgram runs a test for each program that matches a pattern, in an empty folder.
func eachProgram(t *testing.T, pattern string, test func(t *testing.T, files map[string]string)) {
	t.Helper()
	programs, err := filepath.Glob(pattern)
	if err != nil || len(programs) == 0 {
		t.Fatalf("no programs match %s: %v", pattern, err)
	}
	for _, path := range programs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			files := program(t, path)
			t.Chdir(t.TempDir())
			test(t, files)
		})
	}
}

// program reads one program.
func program(t *testing.T, path string) map[string]string {
	t.Helper()
	files := map[string]string{}
	if strings.HasSuffix(path, ".txtar") {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			files[f.Name] = string(f.Data)
		}
		return files
	}
	root := filepath.Dir(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		root = path
	}
	err := filepath.WalkDir(path, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(root, name)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// bug is a line of a program and a code.
type bug struct {
	file string
	row  int // of the text, through all cells of a notebook
	code string
}

func (b bug) String() string { return fmt.Sprintf("%s:%d: %s", b.file, b.row, b.code) }

// marked compares findings and marks as sets.
func marked(t *testing.T, files map[string]string, analyzers []*analysis.Analyzer) {
	t.Helper()
	res := checkProgram(t, files, analyzers)
	for _, p := range res.Problems {
		t.Errorf("%s: %s", p.Place(), p.Message)
	}
	want, got := map[bug]bool{}, map[bug]string{}
	missed := map[bug]bool{}
	for name, file := range res.Files {
		for b := range marksOf(name, file, todoMark) {
			missed[b] = true
		}
		for b := range marksOf(name, file, bugMark) {
			want[b] = slices.ContainsFunc(analyzers, func(a *analysis.Analyzer) bool { return a.Name == b.code })
		}
	}
	for _, f := range res.Findings {
		if f.Evidence != finding.NameOnly {
			row := res.Files[f.Range.File].Lines().Row(f.Range.StartByte)
			got[bug{f.Range.File, row, f.Code}] = f.Message
		}
	}
	for b, counts := range want {
		if _, found := got[b]; counts && !found {
			t.Errorf("%s: not found", b)
		}
	}
	for b, message := range got {
		switch {
		case missed[b]:
			t.Errorf("%s: found now; turn the mark into \"# bug\"", b)
		case !want[b]:
			t.Errorf("%s: unexpected: %s", b, message)
		}
	}
}

// checkProgram runs analyzers over all Python files and notebooks of a program.
func checkProgram(t *testing.T, files map[string]string, analyzers []*analysis.Analyzer) *engine.Result {
	t.Helper()
	if !slices.ContainsFunc(slices.Collect(maps.Keys(files)), isProgram) {
		t.Fatal("a program without Python")
	}
	if err := analysis.Validate(analyzers); err != nil {
		t.Fatal(err)
	}
	return check(t, files, analyzers...)
}

// marksOf yields the bugs that the lines of a text are marked with.
func marksOf(name string, file *source.File, mark *regexp.Regexp) func(yield func(bug) bool) {
	return func(yield func(bug) bool) {
		for i, line := range strings.Split(string(file.Text), "\n") {
			m := mark.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			for _, code := range strings.Split(m[1], ", ") {
				if !yield(bug{name, i + 1, code}) {
					return
				}
			}
		}
	}
}
