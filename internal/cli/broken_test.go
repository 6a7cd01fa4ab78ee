package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
)

// TestBrokenCalls: no rule stumbles over a program that Python takes and that fails when
// it runs, because a call in it lacks an argument or its parentheses. Each call of each short
// program that the pages show is broken so, in one way: by turns.
func TestBrokenCalls(t *testing.T) {
	dir, n := t.TempDir(), 0
	for name, files := range programs(t) {
		for _, text := range files {
			if len(text) > 1000 {
				continue
			}
			for i, broken := range breakCalls(t, text) {
				path := filepath.Join(dir, name, fmt.Sprintf("broken_%d.py", i))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
					t.Fatal(err)
				}
				n++
			}
		}
	}
	if n < 2000 {
		t.Fatalf("%d programs only", n)
	}
	var stdout, stderr bytes.Buffer
	env := Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return false }}
	Main([]string{"check", "--isolated", "--no-cache", "--preview", "--select", "ALL", "--output-format", "concise", dir}, env)
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, "please report it") {
			t.Error(line)
		}
	}
	if !strings.Contains(stdout.String(), "ADV009") {
		t.Errorf("nothing is found any more:\n%.2000s", &stdout)
	}
}

// breakCalls returns texts with two broken calls each, neither within the other. By turns a call lacks its
// parentheses, its first argument or its last. Two at a time halve the programs.
func breakCalls(t *testing.T, text string) []string {
	t.Helper()
	parser := parse.New()
	defer parser.Close()
	module, err := parser.Parse(t.Context(), "train.py", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	of := func(n ast.Node) string { return text[n.Span().Start:n.Span().End] }
	type edit struct {
		span ast.Span
		text string
	}
	var edits []edit
	ast.WalkModule(module, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok {
			return true
		}
		var args []string
		for _, a := range call.Args {
			args = append(args, of(a))
		}
		for _, k := range call.Keywords {
			args = append(args, of(k))
		}
		instead := []string{of(call.Fun)}
		if len(args) > 0 {
			instead = append(instead, of(call.Fun)+"("+strings.Join(args[1:], ", ")+")", of(call.Fun)+"("+strings.Join(args[:len(args)-1], ", ")+")")
		}
		edits = append(edits, edit{call.Span(), instead[len(edits)%len(instead)]})
		return true
	})
	var out []string
	for len(edits) > 0 {
		last := edits[len(edits)-1] // the last starts behind the first: calls come in the order of their starts
		edits = edits[:len(edits)-1]
		broken := text[:last.span.Start] + last.text + text[last.span.End:]
		if len(edits) > 0 && edits[0].span.End <= last.span.Start {
			first := edits[0]
			edits = edits[1:]
			broken = broken[:first.span.Start] + first.text + broken[first.span.End:]
		}
		out = append(out, broken)
	}
	return out
}
