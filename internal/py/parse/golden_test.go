package parse

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/asttest"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the trees in testdata")

type golden struct {
	path    string
	archive *txtar.Archive
}

// goldenFiles returns the archives in testdata: each file NAME.py is followed by
// NAME.ast with its tree.
func goldenFiles(tb testing.TB) []golden {
	tb.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		tb.Fatal("no archives in testdata: ", err)
	}
	var out []golden
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, golden{path, archive})
	}
	return out
}

// TestGolden compares the trees of every form of Python, and of broken source,
// with those recorded. The archives named broken*.txtar hold what is no Python;
// all others must parse without an error.
func TestGolden(t *testing.T) {
	p := New()
	defer p.Close()
	for _, g := range goldenFiles(t) {
		t.Run(filepath.Base(g.path), func(t *testing.T) {
			var out []txtar.File
			want := map[string]string{}
			for _, f := range g.archive.Files {
				want[f.Name] = string(f.Data)
			}
			for _, f := range g.archive.Files {
				name, ok := strings.CutSuffix(f.Name, ".py")
				if !ok {
					continue
				}
				got := render(t, p, f.Data, strings.HasPrefix(filepath.Base(g.path), "broken"))
				out = append(out, f, txtar.File{Name: name + ".ast", Data: []byte(got)})
				if !*update && got != want[name+".ast"] {
					t.Errorf("%s:\n%s\ngot:\n%s\nwant:\n%s", f.Name, f.Data, got, want[name+".ast"])
				}
			}
			if *update {
				data := txtar.Format(&txtar.Archive{Comment: g.archive.Comment, Files: out})
				if err := os.WriteFile(g.path, data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// render returns the tree of text and its errors.
func render(t *testing.T, p *Parser, text []byte, broken bool) string {
	t.Helper()
	m, err := p.Parse(context.Background(), "golden.py", text)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkModule(m); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	if broken != (len(m.Errors) > 0) {
		t.Errorf("errors %v in:\n%s", m.Errors, text)
	}
	var b bytes.Buffer
	b.WriteString(asttest.DumpModule(m))
	for _, e := range m.Errors {
		line := 1 + bytes.Count(text[:e.Span.Start], []byte("\n"))
		fmt.Fprintf(&b, "! line %d, %s: %s\n", line, quote(string(text[e.Span.Start:e.Span.End])), e.Message)
	}
	return b.String()
}
