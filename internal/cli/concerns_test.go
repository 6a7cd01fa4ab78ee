package cli

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/frameworks"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/rules"
)

// A file that is found in a folder is parsed only if its bytes look as if it
// concerned reinforcement learning; one that is named is parsed in any case. So
// every file in which a named check finds something has to look so, in all
// programs of testdata and all examples of the rules' pages, for every rule.
func TestFilesWithFindingsConcernRL(t *testing.T) {
	dir := t.TempDir()
	for name, files := range programs(t) {
		for file, text := range files {
			place(t, filepath.Join(dir, name, file), []byte(text))
		}
	}
	silent := map[string]bool{}
	for _, e := range rules.All() {
		silent[e.Doc.Code] = e.Analyzer != nil
	}
	flagged := map[string]bool{}
	for _, f := range findingsIn(t, append(programsBelow(t, dir), programsBelow(t, "../../testdata")...)) {
		delete(silent, f.Code)
		flagged[f.Filename] = true
	}
	for path := range flagged {
		file, err := source.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		concerns := source.ConcernsRL(file.Text)
		if l := source.LanguageOf(path); l.Configures() {
			concerns = frameworks.Concerns(l, file.Text)
		}
		if !concerns {
			t.Errorf("%s has findings, but in a folder it is passed over:\n%s", path, file.Text)
		}
	}
	for code, is := range silent {
		if is {
			t.Errorf("%s finds nothing in any program, so nothing is known of it", code)
		}
	}
}

// programsBelow returns the files that can be checked in a folder.
func programsBelow(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && source.LanguageOf(path) != source.Other && filepath.Ext(path) != ".json" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d programs below %s: %v", len(paths), dir, err)
	}
	return paths
}

type found struct{ Code, Filename string }

// findingsIn checks files that are named.
func findingsIn(t *testing.T, paths []string) (list []found) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return false }}
	args := append([]string{"check", "--isolated", "--preview", "--select", "ALL", "--show-hints", "--output-format", "json"}, paths...)
	if code := Main(args, env); code != exitFindings {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	if err := json.Unmarshal(stdout.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	return list
}
