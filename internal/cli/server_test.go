package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/torchtest"
)

// TestServerParity holds editor and command line to each other: for every program
// of testdata, `rlvet check` and `rlvet server` report the same findings, whether a
// file is open or not.
func TestServerParity(t *testing.T) {
	root := programFolders(t)
	folders, err := os.ReadDir(root)
	if err != nil || len(folders) < 30 {
		t.Fatal("programs are missing", err)
	}
	var total atomic.Int64
	t.Run("folders", func(t *testing.T) {
		for _, folder := range folders {
			t.Run(folder.Name(), func(t *testing.T) {
				t.Parallel() // the server waits for a pause of the user each time
				dir := filepath.Join(root, folder.Name())
				checked := checkFindings(t, dir)
				total.Add(int64(len(checked)))
				for _, open := range []bool{false, true} {
					if served := serverFindings(t, dir, open); !slices.Equal(checked, served) {
						t.Errorf("open: %v: the command line says\n%s\nthe editor\n%s", open, strings.Join(checked, "\n"), strings.Join(served, "\n"))
					}
				}
			})
		}
	})
	if total := total.Load(); total < 100 {
		t.Errorf("%d findings in all of testdata are too few to compare", total)
	}
}

// programFolders copies the programs of testdata into a folder, one folder a project.
func programFolders(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const data = "../../testdata"
	for _, name := range []string{"confirm", "disguise", "grpo", "ok", "trainers"} {
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join(data, name))); err != nil {
			t.Fatal(err)
		}
	}
	archives, _ := filepath.Glob(data + "/projects/*.txtar")
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files, err := txtar.FS(archive)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(root, strings.TrimSuffix(filepath.Base(path), ".txtar")), files); err != nil {
			t.Fatal(err)
		}
	}
	folders, _ := os.ReadDir(root)
	for _, folder := range folders { // the end of every project
		if err := os.MkdirAll(filepath.Join(root, folder.Name(), ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// shownFinding is a finding as both ways write it.
func shownFinding(path string, cell, row, column int, code, message string) string {
	return fmt.Sprintf("%s cell %d %d:%d %s %s", path, cell, row, column, code, message)
}

// inOneLine is a finding as editors show it.
func inOneLine(message, help string) string {
	f := finding.Finding{Message: message, Help: help}
	return f.Line()
}

// checkFindings is the command line's.
func checkFindings(t *testing.T, dir string) []string {
	t.Helper()
	var out, errs bytes.Buffer
	Main([]string{"check", "--preview", "--show-hints", "--output-format", "json", dir}, Env{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return false },
	})
	var list []struct {
		Filename, Code, Message, Help string
		Cell                          int
		Location                      struct{ Row, Column int }
	}
	if err := json.Unmarshal(out.Bytes(), &list); err != nil {
		t.Fatalf("%s: %v\n%s", dir, err, errs.String())
	}
	found := []string{}
	for _, f := range list {
		path, _ := filepath.Rel(dir, f.Filename)
		found = append(found, shownFinding(path, f.Cell, f.Location.Row, f.Location.Column, f.Code, inOneLine(f.Message, f.Help)))
	}
	slices.Sort(found)
	return found
}

// serverFindings is the editor's.
func serverFindings(t *testing.T, dir string, open bool) []string {
	t.Helper()
	client, code := startServer(nil)
	ctx := context.Background()
	call := func(method string, params, result any) {
		if err := client.CallResult(ctx, method, params, result); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
	}
	var ignored any
	call("initialize", map[string]any{
		"rootUri": "file://" + dir, "capabilities": map[string]any{"textDocument": map[string]any{"diagnostic": map[string]any{}}},
		"initializationOptions": map[string]any{"preview": true},
	}, &ignored)
	openAll(t, client, dir, open)
	var report struct {
		Items []struct {
			URI   string
			Items []struct {
				Range         struct{ Start struct{ Line, Character int } }
				Code, Message string
			}
		}
	}
	call("workspace/diagnostic", map[string]any{"previousResultIds": []any{}}, &report)
	found := []string{}
	for _, item := range report.Items {
		path, cell := strings.TrimPrefix(item.URI, "file://"+dir+"/"), 0
		if name, fragment, isCell := strings.Cut(path, "#"); isCell {
			path = name
			fmt.Sscan(fragment, &cell)
		}
		for _, d := range item.Items {
			if d.Code != "" { // a problem, which the command line writes elsewhere
				found = append(found, shownFinding(path, cell, d.Range.Start.Line+1, d.Range.Start.Character+1, d.Code, d.Message))
			}
		}
	}
	call("shutdown", nil, &ignored)
	if err := client.Notify(ctx, "exit", nil); err != nil {
		t.Fatal(err)
	}
	if got := <-code; got != 0 {
		t.Errorf("the server ended with %d", got)
	}
	slices.Sort(found)
	return found
}

// startServer starts `rlvet server` and a client of it; the channel gets the exit
// code.
func startServer(o *jrpc2.ClientOptions) (*jrpc2.Client, chan int) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- Main([]string{"server"}, Env{
			Stdin: fromClient, Stdout: toClient, Stderr: io.Discard, Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return false },
		})
	}()
	return jrpc2.NewClient(channel.LSP(fromServer, toServer), o), code
}

// openAll opens the notebooks of a folder, which have cells only then, and where
// asked to all other files.
func openAll(t *testing.T, client *jrpc2.Client, dir string, all bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(path, ".ipynb"):
			return client.Notify(context.Background(), "notebookDocument/didOpen", notebookOf(t, "file://"+path, raw))
		case all && strings.HasSuffix(path, ".py"):
			return client.Notify(context.Background(), "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
				"uri": "file://" + path, "languageId": "python", "version": 1, "text": string(raw),
			}})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// notebookOf opens a notebook as editors do; the name of a cell ends in its number.
func notebookOf(t *testing.T, uri string, raw []byte) any {
	t.Helper()
	var book struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source any
		}
	}
	if err := json.Unmarshal(raw, &book); err != nil {
		t.Fatal(err)
	}
	var cells, texts []any
	for i, c := range book.Cells {
		name := fmt.Sprintf("%s#%d", uri, i+1)
		if c.Type != "code" {
			cells = append(cells, map[string]any{"kind": 1, "document": name})
			continue
		}
		text, _ := c.Source.(string)
		if lines, ok := c.Source.([]any); ok {
			for _, line := range lines {
				text += line.(string)
			}
		}
		cells = append(cells, map[string]any{"kind": 2, "document": name})
		texts = append(texts, map[string]any{"uri": name, "languageId": "python", "version": 1, "text": text})
	}
	return map[string]any{
		"notebookDocument":  map[string]any{"uri": uri, "version": 1, "notebookType": "jupyter-notebook", "cells": cells},
		"cellTextDocuments": texts,
	}
}

// TestServerConfirms lets an editor's user confirm a finding: asked first, and told
// with progress what comes of it, which then stands in the diagnostic.
func TestServerConfirms(t *testing.T) {
	python := torchtest.Python(t, "a script is NOT run for an editor")
	root := copyOf(t, filepath.Join("..", "..", "testdata", "confirm"))
	chosen := filepath.Join(t.TempDir(), "python") // the environment that the editor's user chose
	if err := errors.Join(os.WriteFile(chosen, fmt.Appendf(nil, "#!/bin/sh\nexec %s \"$@\"\n", python), 0o755)); err != nil {
		t.Fatal(err)
	}
	var user person
	var evidence struct{ URI, HTML string }
	client, _ := startServer(&jrpc2.ClientOptions{
		OnCallback: user.asked, OnNotify: func(r *jrpc2.Request) {
			user.hears(r.Method())
			if r.Method() == "rlvet/evidence" {
				_ = r.UnmarshalParams(&evidence)
			}
		},
	})
	ctx := context.Background()
	call := func(method string, params, result any) {
		t.Helper()
		if err := client.CallResult(ctx, method, params, result); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
	}
	var ignored any
	call("initialize", map[string]any{"rootUri": "file://" + root, "capabilities": map[string]any{
		"window": map[string]any{"workDoneProgress": true}, "textDocument": map[string]any{"diagnostic": map[string]any{}},
		"experimental": map[string]any{"rlvetEvidence": true},
	}, "initializationOptions": map[string]any{"python": chosen}}, &ignored)
	openAll(t, client, root, true)
	file := map[string]any{"uri": "file://" + root + "/grpo.py"}
	var actions []offered
	place := map[string]int{"line": 89, "character": 30}
	call("textDocument/codeAction", map[string]any{
		"textDocument": file, "range": map[string]any{"start": place, "end": place}, "context": map[string]any{"diagnostics": []any{}},
	}, &actions)
	confirm := slices.IndexFunc(actions, func(a offered) bool { return a.Title == "rlvet: Confirm ADV009 by running the script" })
	if confirm < 0 {
		t.Fatalf("nothing offers to confirm: %v", actions)
	}
	var verdict any
	call("workspace/executeCommand", actions[confirm].Command, &verdict)
	if heard := user.heard(); verdict != nil || !slices.Equal(heard, []string{"window/showMessageRequest"}) {
		t.Fatalf("nobody agreed, but the script ran: %v %v", verdict, heard)
	}
	user.agree()
	call("workspace/executeCommand", actions[confirm].Command, &verdict)
	if text, _ := verdict.(string); !strings.HasPrefix(text, "ADV009 confirmed in 5 of 5 runs") {
		t.Errorf("the verdict is %v", verdict)
	}
	if heard := user.heard(); !slices.Contains(heard, "$/progress") || !slices.Contains(heard, "rlvet/evidence") {
		t.Errorf("there was no progress, or no page: %v", heard)
	}
	if evidence.URI != file["uri"] || !strings.Contains(evidence.HTML, "grpo.py: 1 of 1 finding confirmed") || strings.Contains(evidence.HTML, root) {
		t.Errorf("the page of %s is\n%s", evidence.URI, evidence.HTML)
	}
	var report struct{ Items []said }
	call("textDocument/diagnostic", map[string]any{"textDocument": file}, &report)
	if !slices.ContainsFunc(report.Items, func(d said) bool { return d.Code == "ADV009" && strings.Contains(d.Message, "confirmed in 5 of 5") }) {
		t.Errorf("the diagnostic does not say it: %v", report.Items)
	}
	client.Close()
}

// offered is a code action, said a diagnostic.
type (
	offered struct {
		Title   string
		Command struct {
			Command   string
			Arguments []string
		}
	}
	said struct{ Code, Message string }
)

// person sits before an editor: says no until told to agree, and remembers the methods
// by which the server spoke.
type person struct {
	mu      sync.Mutex
	agrees  bool
	methods []string
}

func (p *person) agree() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.agrees = true
}

func (p *person) hears(method string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.methods = append(p.methods, method)
}

func (p *person) heard() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.methods)
}

// asked answers a request of the server.
func (p *person) asked(_ context.Context, r *jrpc2.Request) (any, error) {
	p.hears(r.Method())
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Method() == "window/showMessageRequest" && p.agrees {
		return map[string]any{"title": "Run it"}, nil
	}
	return nil, nil
}
