package scope_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/py/parsetest"
	"github.com/rlvet/rlvet/internal/py/scope"
)

// table is what both CPython and Analyze say of one function, lambda or class.
type table struct {
	Name   string
	Line   int
	Locals []string
	Free   []string
}

// TestSymtable compares local and free names of every function, lambda and class
// of the standard library with CPython's own symbol tables.
func TestSymtable(t *testing.T) {
	files := parsetest.Stdlib(t, 600)
	var paths strings.Builder
	for _, f := range files {
		paths.WriteString(f.Path + "\n")
	}
	cmd := exec.Command("python3", "testdata/tables.py")
	cmd.Stdin = strings.NewReader(paths.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	p := parse.New()
	defer p.Close()
	compared, wrong := 0, 0
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var want []table
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		m := parsetest.ParseFile(p, files[i])
		if want == nil || m == nil || len(m.Errors) > 0 {
			continue
		}
		for j := range want {
			want[j].Locals, want[j].Free = plain(want[j].Locals), plain(want[j].Free)
		}
		got := tables(m)
		sortTables(got)
		sortTables(want)
		for j := range min(len(got), len(want)) {
			compared++
			if diff := cmp.Diff(want[j], got[j]); diff != "" {
				if wrong++; wrong < 20 {
					t.Logf("%s (-CPython +rlvet):\n%s", files[i].Path, diff)
				}
				break
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d scopes, CPython has %d", files[i].Path, len(got), len(want))
		}
	}
	// A target in parentheses, (x): int, binds nothing; the tree has no parentheses.
	if wrong > compared/10000 {
		t.Errorf("%d of %d scopes differ", wrong, compared)
	}
	t.Logf("compared %d scopes of %d files", compared, len(files))
	if compared < 1000 {
		t.Errorf("only %d scopes compared: this test has lost its corpus", compared)
	}
}

func tables(m *ast.Module) []table {
	out := []table{}
	for _, s := range scope.Analyze(m, "m", false).Scopes {
		name := ""
		switch n := s.Node.(type) {
		case *ast.FunctionDef:
			name = n.Name
		case *ast.ClassDef:
			name = n.Name
		case *ast.Lambda:
			name = "<lambda>"
		default:
			continue
		}
		row := table{Name: name, Line: 1 + bytes.Count(m.Text[:s.Node.Span().Start], []byte("\n")), Locals: []string{}, Free: []string{}}
		row.Locals = names(s.Locals())
		if s.Kind != scope.Class {
			row.Free = names(s.Free())
		}
		out = append(out, row)
	}
	return out
}

func names(vars []*scope.Var) []string {
	var out []string
	for _, v := range vars {
		out = append(out, v.Name)
	}
	slices.Sort(out)
	return plain(out)
}

// plain leaves out the names that CPython changes or adds: private names, which
// it mangles, and __class__.
func plain(list []string) []string {
	out := []string{}
	for _, name := range list {
		special := strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
		if name != "__class__" && (special || !strings.Contains(name, "__")) {
			out = append(out, name)
		}
	}
	return out
}

func sortTables(list []table) {
	slices.SortFunc(list, func(a, b table) int {
		return strings.Compare(fmt.Sprintf("%08d %s %v", a.Line, a.Name, a), fmt.Sprintf("%08d %s %v", b.Line, b.Name, b))
	})
}
