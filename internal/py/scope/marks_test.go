package scope_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parsetest"
	"github.com/rlvet/rlvet/internal/py/scope"
)

// TestMarks checks what comments in testdata/*.txt say of the expressions on
// their lines. A txtar section is one module; its name is the module's path.
//
//	#: NAME -> kind:line ...   the bindings of the variable that the name means; ? for none
//	#: EXPR = a.b | c.d        the qualified names; ? for none
//	#: NAME in SCOPE           the scope of the variable, by its qualified name
func TestMarks(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, archive := range archives {
		data, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(data).Files {
			t.Run(strings.TrimSuffix(filepath.Base(archive), ".txt")+"/"+f.Name, func(t *testing.T) {
				checkMarks(t, f.Name, string(f.Data))
			})
		}
	}
}

func checkMarks(t *testing.T, path, text string) {
	m := parsetest.Parse(t, text)
	name := strings.ReplaceAll(strings.TrimSuffix(path, ".py"), "/", ".")
	name, isPackage := strings.CutSuffix(name, ".__init__")
	info := scope.Analyze(m, name, isPackage)
	marks := 0
	for i, line := range strings.Split(text, "\n") {
		_, mark, ok := strings.Cut(line, "#: ")
		if !ok {
			continue
		}
		for _, part := range strings.Split(mark, ";") {
			marks++
			checkMark(t, info, m, i+1, strings.TrimSpace(part))
		}
	}
	if marks == 0 {
		t.Error("no mark in this module")
	}
}

func checkMark(t *testing.T, info *scope.Info, m *ast.Module, line int, mark string) {
	t.Helper()
	for sep, describe := range map[string]func(ast.Expr) string{
		" -> ": func(e ast.Expr) string { return bindings(info, m, e.(*ast.Name)) },
		" = ":  func(e ast.Expr) string { return orNone(strings.Join(info.Qualified(e), " | ")) },
		" in ": func(e ast.Expr) string { return info.VarOf(e).Scope.QualName() },
	} {
		text, want, ok := strings.Cut(mark, sep)
		if !ok {
			continue
		}
		e := exprAt(m, line, text)
		if e == nil {
			t.Fatalf("line %d: no expression %q", line, text)
		}
		if got := describe(e); got != want {
			t.Errorf("line %d: %s%s%s, want %s", line, text, sep, got, want)
		}
		return
	}
	t.Fatalf("line %d: cannot read the mark %q", line, mark)
}

func bindings(info *scope.Info, m *ast.Module, n *ast.Name) string {
	var out []string
	for _, b := range info.Bindings(n) {
		out = append(out, fmt.Sprintf("%s:%d", b.Kind, lineOf(m, b.Node)))
	}
	return orNone(strings.Join(out, " "))
}

func orNone(s string) string {
	if s == "" {
		return "?"
	}
	return s
}

func lineOf(m *ast.Module, n ast.Node) int {
	return 1 + bytes.Count(m.Text[:n.Span().Start], []byte("\n"))
}

// exprAt returns the first expression on a line that is written so.
func exprAt(m *ast.Module, line int, text string) (found ast.Expr) {
	ast.WalkModule(m, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && found == nil && lineOf(m, e) == line && m.Source(e) == text {
			found = e
		}
		return found == nil
	})
	return found
}
