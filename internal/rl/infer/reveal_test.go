package infer_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rl/domaintest"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// TestReveal runs the stories in testdata/*.md: every python block is a module,
// and "# reveal: PATTERN" at the end of a line states what is known of the value
// that the statement on that line assigns, evaluates or returns.
func TestReveal(t *testing.T) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, story := range stories(string(data)) {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".md")+"/"+story.title, func(t *testing.T) {
				reveal(t, story)
			})
		}
	}
}

type story struct{ title, code string }

func stories(md string) []story {
	var out []story
	title, inside := "", false
	for _, line := range strings.Split(md, "\n") {
		switch {
		case strings.HasPrefix(line, "```python"):
			out = append(out, story{title: title})
			inside = true
		case strings.HasPrefix(line, "```"):
			inside = false
		case inside:
			out[len(out)-1].code += line + "\n"
		case strings.HasPrefix(line, "#"):
			title = strings.TrimLeft(line, "# ")
		}
	}
	return out
}

var mark = regexp.MustCompile(`# reveal: (.*)$`)

func reveal(t *testing.T, s story) {
	res := evaluate(t, s.code)
	marks := 0
	for i, line := range strings.Split(s.code, "\n") {
		m := mark.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		marks++
		p, err := domaintest.Parse(m[1])
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		vals := valuesOn(res, s.code, i)
		if len(vals) == 0 {
			t.Errorf("line %d: %s: nothing was evaluated", i+1, line)
		}
		for _, v := range vals {
			if d := p.Mismatch(v.Q); d != "" {
				t.Errorf("line %d: %s: got %v: %s", i+1, line, v.Q, d)
			}
		}
	}
	if marks == 0 {
		t.Error("a story without a reveal mark tests nothing")
	}
}

func evaluate(t testing.TB, code string) *infer.Result {
	p := parse.New()
	defer p.Close()
	m, err := p.Parse(context.Background(), "story.py", []byte(code))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Errors) > 0 {
		t.Fatalf("syntax: %v", m.Errors)
	}
	return infer.Evaluate(context.Background(), infer.Config{Module: &infer.Module{Name: "story", Path: "story.py", AST: m}})
}

// valuesOn returns, a frame each, the value of the statement on a line.
func valuesOn(res *infer.Result, code string, line int) []*infer.Val {
	var out []*infer.Val
	for _, f := range res.Frames {
		if f.Stale() || f.Module != res.Module {
			continue
		}
		for _, st := range f.Body() {
			ast.Walk(st, func(n ast.Node) bool {
				if lineOf(code, n) != line {
					return true
				}
				if e := subject(n); e != nil {
					if v := f.Val(e); v != nil {
						out = append(out, v)
					}
				}
				return true
			})
		}
	}
	return out
}

func lineOf(code string, n ast.Node) int {
	return bytes.Count([]byte(code[:n.Span().Start]), []byte("\n"))
}

// subject is the expression that a statement is about.
func subject(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.Assign:
		return n.Targets[0]
	case *ast.AugAssign:
		return n
	case *ast.AnnAssign:
		return n.Target
	case *ast.ExprStmt:
		return n.X
	case *ast.Return:
		return n.X
	}
	return nil
}
