package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/rules"
)

// forms are the ways in which a program comes as a file, beside the plain one.
var forms = map[string]func(text string) (ext string, raw []byte){
	"from Windows": func(text string) (string, []byte) {
		return ".py", []byte("\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"))
	},
	"unterminated": func(text string) (string, []byte) { return ".py", []byte(strings.TrimRight(text, "\n")) },
	"with tabs":    func(text string) (string, []byte) { return ".py", []byte(strings.ReplaceAll(text, "    ", "\t")) },
	"after a docstring": func(text string) (string, []byte) {
		return ".py", []byte("#!/usr/bin/env python\n\"\"\"Trains.\"\"\"\nfrom __future__ import annotations\n" + text)
	},
	"notebook": func(text string) (string, []byte) {
		cell := map[string]any{"cell_type": "code", "metadata": map[string]any{}, "outputs": []any{}, "execution_count": nil, "source": text}
		raw, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 4, "metadata": map[string]any{}, "cells": []any{cell}})
		if err != nil {
			panic(err)
		}
		return ".ipynb", raw
	},
}

// programs are those that people read to learn what the rules find: the examples
// of the rules' pages, and the disguises of their bugs. Each is a set of files.
func programs(t testing.TB) map[string]map[string]string {
	t.Helper()
	out := map[string]map[string]string{}
	for _, e := range rules.All() {
		for i, x := range e.Doc.Examples() {
			files := map[string]string{}
			for _, f := range x.Files {
				files[f.Name] = f.Text
			}
			out[fmt.Sprintf("%s-%d", e.Doc.Code, i)] = files
		}
	}
	disguises, err := filepath.Glob("../../testdata/disguise/*.py")
	if err != nil || len(disguises) == 0 || len(out) == 0 {
		t.Fatalf("%d disguises, %d examples: %v", len(disguises), len(out), err)
	}
	for _, path := range disguises {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(path), ".py")] = map[string]string{"train.py": string(text)}
	}
	return out
}

// The fixes of the real rules, on every program and, of those that they change, in every form
// of file: what is left parses, has nothing that could be fixed, and stays as it is when it is
// fixed again.
func TestFixesOfRules(t *testing.T) {
	changed := tryFixes(t, programs(t), func(text string) (string, []byte) { return ".py", []byte(text) })
	for form, write := range forms {
		t.Run(form, func(t *testing.T) { tryFixes(t, changed, write) })
	}
}

// tryFixes fixes programs that are written in one form, and returns those that fixes change.
func tryFixes(t *testing.T, programs map[string]map[string]string, write func(text string) (ext string, raw []byte)) map[string]map[string]string {
	t.Helper()
	t.Chdir(t.TempDir())
	of := map[string]string{} // the program that a path belongs to
	for name, files := range programs {
		for file, text := range files {
			if source.LanguageOf(file).Configures() {
				continue
			}
			ext, raw := write(text)
			path := filepath.Join(name, strings.TrimSuffix(file, ".py")+ext)
			place(t, path, raw)
			of[path] = name
		}
	}
	before := contents(t)
	left := fixAll(t)
	after := contents(t)
	checkParses(t, before, after)
	changed := map[string]map[string]string{}
	for path, name := range of {
		if !bytes.Equal(before[path], after[path]) {
			changed[name] = programs[name]
		}
	}
	for _, f := range left {
		if changed[of[f.Filename]] == nil && f.fixable() {
			t.Errorf("%s: %s could be fixed and is left", f.Filename, f.Code)
		}
	}
	// The first run has said of a program that it left alone what the second would: its bytes are the same. So that is not asked of it again.
	for name := range programs {
		if changed[name] == nil {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, f := range fixAll(t) {
		if f.fixable() {
			t.Errorf("%s: %s could be fixed and is left by the first run", f.Filename, f.Code)
		}
	}
	for path, raw := range contents(t) {
		if !bytes.Equal(raw, after[path]) {
			t.Errorf("%s: the second run changed\n%s\nto\n%s", path, after[path], raw)
		}
	}
	return changed
}

// leftover is a finding that stays when fixes were applied.
type leftover struct {
	Code, Filename string
	Fix            *struct{ Applicability string }
}

// fixable reports whether it has a fix that fixAll should have applied.
func (l leftover) fixable() bool {
	return l.Fix != nil && (l.Fix.Applicability == "safe" || l.Fix.Applicability == "unsafe")
}

func place(t *testing.T, path string, raw []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
}

// contents returns what the files below the working directory hold.
func contents(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(".", func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			out[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// fixAll applies all fixes, and returns the rest of the findings.
func fixAll(t *testing.T) (left []leftover) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return false }}
	args := []string{"check", "--isolated", "--preview", "--select", "ALL", "--fix", "--unsafe-fixes", "--output-format", "json", "."}
	if code := Main(args, env); code == exitFailure || stderr.Len() > 0 {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	if err := json.Unmarshal(stdout.Bytes(), &left); err != nil {
		t.Fatal(err)
	}
	return left
}

// checkParses makes sure that fixes leave Python: by our parser, and by the
// machine's own, if there is one.
func checkParses(t *testing.T, before, after map[string][]byte) {
	t.Helper()
	var paths []string
	var texts [][]byte
	for path, raw := range after {
		if bytes.Equal(raw, before[path]) {
			continue
		}
		f, err := source.FromBytes(path, raw)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if vet.Broken(f) {
			t.Errorf("%s does not parse:\n%s", path, raw)
			continue
		}
		paths, texts = append(paths, path), append(texts, f.Text)
	}
	if len(paths) < 20 {
		t.Errorf("fixes changed %d files only", len(paths))
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("no python3 on this machine: its parser was not asked")
		return
	}
	cmd := exec.Command(python, "-c", "import ast, sys\nfor text in sys.stdin.buffer.read().split(b'\\0'): ast.parse(text)")
	cmd.Stdin = bytes.NewReader(bytes.Join(texts, []byte{0}))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("Python does not take one of %v:\n%s", paths, out)
	}
}
