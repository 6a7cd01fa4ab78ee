package rules_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/rules"
)

// TestFirstRun holds programs that were written after public reports by people who knew no rule, each with one quiet mistake,
// and its right twin. Most of the mistakes are not reported yet: the lines "bug:" and "good:" at the head of an archive name
// the rules, preview ones too, that speak of the program and of its twin. A rule that learns one of the mistakes shows here.
func TestFirstRun(t *testing.T) { testArchives(t, "testdata/firstrun/*.txtar") }

// TestShapes holds programs that keep transitions, batches and rollouts in the ways in which people write that, each with a column that
// meets a vector, and its right twin, in the same form.
func TestShapes(t *testing.T) { testArchives(t, "testdata/shapes/*.txtar") }

// TestWindows holds programs that fold the last steps into one transition, sum up what follows a step, or store a step, each with one mistake of
// that, and its right twin. As with TestFirstRun, most are not reported yet.
func TestWindows(t *testing.T) { testArchives(t, "testdata/windows/*.txtar") }

func testArchives(t *testing.T, pattern string) {
	t.Helper()
	archives, err := filepath.Glob(pattern)
	if err != nil || len(archives) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, side := range []string{"bug", "good"} {
				_, head, found := strings.Cut(string(archive.Comment), "\n"+side+":")
				want, _, _ := strings.Cut(head, "\n")
				if got := codesOf(t, archive, side); !found || !slices.Equal(got, strings.Fields(want)) {
					t.Errorf("%s: %v speak, the archive says %q", side, got, want)
				}
			}
		})
	}
}

// codesOf returns the codes of all rules that speak of the files in a folder of an archive, in order.
func codesOf(t *testing.T, archive *txtar.Archive, folder string) []string {
	t.Helper()
	var analyzers []*analysis.Analyzer
	for _, e := range rules.All() {
		analyzers = append(analyzers, e.Analyzer)
	}
	dir := t.TempDir()
	var paths []string
	for _, f := range archive.Files {
		if name, inside := strings.CutPrefix(f.Name, folder+"/"); inside {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
	}
	result, err := engine.Check(t.Context(), paths, engine.Options{Analyzers: analyzers})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	codes := map[string]bool{}
	for _, f := range result.Findings {
		codes[f.Code] = true
	}
	return slices.Sorted(maps.Keys(codes))
}
