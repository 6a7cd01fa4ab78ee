// Package parsetest parses Python for tests of the packages beside py/parse.
//
// Purpose: layers of the same rank do not import each other; their tests need
// syntax trees all the same. Input: source text, or the machine's Python for a
// corpus. Output: modules, or a failed test. Limits: tests only.
package parsetest

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
)

// Parse returns the tree of a text and fails the test where it does not parse.
func Parse(t testing.TB, text string) *ast.Module {
	t.Helper()
	m := Broken(t, text)
	for _, e := range m.Errors {
		t.Fatalf("the test's source does not parse at byte %d: %s\n%s", e.Span.Start, e.Message, text)
	}
	return m
}

// Broken returns the tree of a text that may hold syntax errors.
func Broken(t testing.TB, text string) *ast.Module {
	t.Helper()
	p := parse.New()
	defer p.Close()
	m, err := p.Parse(context.Background(), "test.py", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// File is one file of a corpus.
type File struct {
	Path string
	Text []byte
}

// Stdlib returns the first limit files of the standard library of the machine's
// python3, in the order of their names. Without python3 the test is skipped.
func Stdlib(t testing.TB, limit int) []File {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import os; print(os.path.dirname(os.__file__))").Output()
	if err != nil {
		t.Skipf("SKIPPED: no python3 on this machine, so no standard library to read: %v", err)
	}
	var files []File
	root := strings.TrimSpace(string(out))
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || len(files) >= limit || d.IsDir() && (d.Name() == "site-packages" || d.Name() == "dist-packages" || d.Name() == "lib2to3") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".py") || !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		files = append(files, File{path, text})
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("reading the standard library at %s: %d files, %v", root, len(files), err)
	}
	return files
}

// ParseFile returns the tree of a corpus file, or nil where the parser gave up.
func ParseFile(p *parse.Parser, f File) *ast.Module {
	m, err := p.Parse(context.Background(), f.Path, f.Text)
	if err != nil {
		return nil
	}
	return m
}
