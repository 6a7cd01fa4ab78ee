package infer_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rl/domaintest"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// program is a program of several modules, by dotted name.
type program map[string]*infer.Module

func (p program) Import(_ *infer.Module, _ int, dotted string) *infer.Module { return p[dotted] }

// TestModules evaluates the programs in testdata/*.txtar, a file of which imports only what stands
// before it, and looks at the reveal marks of each.
func TestModules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			p, marks := program{}, 0
			for _, f := range txtar.Parse(data).Files {
				marks += p.evaluate(t, f.Name, f.Data)
			}
			if marks == 0 {
				t.Error("a program without a reveal mark tests nothing")
			}
		})
	}
}

// evaluate evaluates one module and returns how many reveal marks it has.
func (p program) evaluate(t *testing.T, file string, text []byte) int {
	parser := parse.New()
	defer parser.Close()
	tree, err := parser.Parse(context.Background(), file, text)
	if err != nil || len(tree.Errors) > 0 {
		t.Fatalf("%s: %v %v", file, err, tree.Errors)
	}
	m := &infer.Module{Name: strings.ReplaceAll(strings.TrimSuffix(file, ".py"), "/", "."), Path: file, AST: tree}
	res := infer.Evaluate(context.Background(), infer.Config{Module: m, Importer: p})
	p[m.Name] = m
	marks := 0
	for i, line := range strings.Split(string(text), "\n") {
		found := mark.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		marks++
		want, err := domaintest.Parse(found[1])
		if err != nil {
			t.Fatalf("%s:%d: %v", file, i+1, err)
		}
		vals := valuesOn(res, string(text), i)
		if len(vals) == 0 {
			t.Errorf("%s:%d: %s: nothing was evaluated", file, i+1, line)
		}
		for _, v := range vals {
			if d := want.Mismatch(v.Q); d != "" {
				t.Errorf("%s:%d: %s: got %v: %s", file, i+1, line, v.Q, d)
			}
		}
	}
	return marks
}
