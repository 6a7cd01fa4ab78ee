package confirm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/rules"
)

// TestAbout: what a rule says that it is about are quantities, and what it flags in its Bad examples is one of them, or not known.
func TestAbout(t *testing.T) {
	for _, e := range rules.All() {
		if len(e.Doc.About) == 0 {
			continue
		}
		for _, name := range e.Doc.About {
			if k, ok := domain.ParseKind(name); !ok || !k.Known() {
				t.Errorf("%s is about %s, which is no kind", e.Doc.Code, name)
			}
		}
		for _, example := range e.Doc.Examples(rule.Bad) {
			tryAbout(t, e, example)
		}
	}
}

func tryAbout(t *testing.T, e rule.Entry, example rule.Example) {
	t.Helper()
	dir := t.TempDir()
	var programs []string
	for _, f := range example.Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(rule.StripMarks(f.Text)), 0o644); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, ".py") {
			programs = append(programs, path)
		}
	}
	d := &derivations{kinds: map[place]domain.Kind{}}
	result, err := engine.Check(t.Context(), programs, engine.Options{Analyzers: []*analysis.Analyzer{e.Analyzer, d.step()}})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.kinds) == 0 {
		t.Errorf("%s: nothing was noted of the example of line %d", e.Doc.Code, example.Line)
	}
	for _, f := range result.Findings {
		file, err := paths.Real(f.Range.File)
		if err != nil {
			t.Fatal(err)
		}
		if is := d.other(place{file, ast.Span{Start: uint32(f.Range.StartByte), End: uint32(f.Range.EndByte)}}, e.Doc.About); is != "" {
			t.Errorf("%s is about %v, and flags %s in line %d of the example of line %d", e.Doc.Code, e.Doc.About, is, f.Range.Start.Row, example.Line)
		}
	}
}
