package linttest

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
)

// Neighbours checks programs alone and all together, and wants the same findings, word
// for word: a program has nothing to do with those beside it. Programs of one file
// share one folder.
func Neighbours(t *testing.T, patterns []string, analyzers ...*analysis.Analyzer) {
	t.Helper()
	t.Chdir(t.TempDir())
	o := engine.Options{Analyzers: analyzers, Overlay: map[string][]byte{}}
	programs := map[string][]string{} // their files by name
	for _, pattern := range patterns {
		matching, err := filepath.Glob(pattern)
		if err != nil || len(matching) == 0 {
			t.Fatalf("no programs match %s: %v", pattern, err)
		}
		for _, path := range matching {
			files := program(t, path)
			name := filepath.Base(filepath.Dir(path)) + "_" + filepath.Base(path)
			for file, text := range files {
				place := strings.TrimSuffix(name, ".txtar") + "/" + file
				if len(files) == 1 {
					place = "together/" + name
				}
				o.Overlay[place] = []byte(text)
				if isProgram(file) {
					programs[name] = append(programs[name], place)
				}
			}
		}
	}
	var all []string
	for _, files := range programs {
		all = append(all, files...)
	}
	among := findings(t, all, o)
	for name, files := range programs {
		t.Run(name, func(t *testing.T) {
			alone := findings(t, files, o)
			for _, file := range files {
				if diff := cmp.Diff(alone[file], among[file]); diff != "" {
					t.Errorf("%s alone (-) and among others (+):\n%s", file, diff)
				}
			}
		})
	}
}

// findings checks files and returns what was found, by file.
func findings(t *testing.T, files []string, o engine.Options) map[string][]finding.Finding {
	t.Helper()
	res, err := engine.Check(context.Background(), files, o)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]finding.Finding{}
	for _, f := range res.Findings {
		out[f.Range.File] = append(out[f.Range.File], f)
	}
	return out
}
