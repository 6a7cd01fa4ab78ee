package engine

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/py/project"
)

// written lists names as in source, with a star where the import is deferred.
func written(names []importName) []string {
	var out []string
	for _, n := range names {
		s := strings.Repeat(".", n.level) + n.dotted
		if n.tie != project.Needed {
			s += "*"
		}
		out = append(out, s)
	}
	return out
}

func TestScanImports(t *testing.T) {
	for text, want := range map[string][]string{
		"import a":                              {"a"},
		"import a.b as c, d # e":                {"a", "a.b", "d"},
		"from a.b import c as d, e":             {"a", "a.b", "a.b.c", "a.b.e"},
		"from . import x":                       {".", ".x"},
		"from ..p.q import x":                   {"..p", "..p.q", "..p.q.x"},
		"from . .p import x":                    {"..p", "..p.x"},
		"from.a import b":                       {".a", ".a.b"},
		"from .import b":                        {".", ".b"},
		"from...a.b import(c)":                  {"...a", "...a.b", "...a.b.c"},
		"from a import *":                       {"a"},
		"from a import (b, # one\n  c,\n)\nx":   {"a", "a.b", "a.c"},
		"from a import b, \\\n  c\nimport d":    {"a", "a.b", "a.c", "d"},
		"import a; x = 1":                       {"a"},
		"def f():\n    import a\nimport b":      {"a*", "b"},
		"try:\n    import a\nexcept E:\n  pass": {"a"},
		"if TYPE_CHECKING:\n    import a":       {"a*"},
		"class C:\n    import a":                {"a"},
		"@d\ndef f():\n\timport a":              {"a*"},
		"imports = 1\nfromage = 2":              nil,
		"import":                                nil,
		"from a":                                nil,
		"from a import (b":                      {"a", "a.b"},
		"# import a":                            nil,
		"import a\r\nimport b\r\n":              {"a", "b"},
	} {
		if diff := cmp.Diff(want, written(scanImports([]byte(text)))); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// FuzzScanImports checks that the scan finds every import that begins a line of
// a program: what it misses would not be evaluated first.
func FuzzScanImports(f *testing.F) {
	for _, seed := range []string{
		"import a.b as c, d\nfrom . import (x,\n y)\n", "def f():\n  from ..a import b # c\n", "from a import b, \\\n c\n",
		"if x:\n\timport a\nelse:\n\tfrom b import *\n", "import a ; import b\n", "x = '''\nimport a\n'''\n", "from.a import b\n",
	} {
		f.Add([]byte(seed))
	}
	parser := parse.New()
	f.Cleanup(parser.Close)
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<12 {
			return
		}
		m, err := parser.Parse(context.Background(), "m.py", text)
		if err != nil || len(m.Errors) > 0 || bytes.ContainsAny(text, "\x00\f\v") {
			return
		}
		found := map[string]bool{}
		for _, n := range scanImports(text) {
			found[fmt.Sprint(n.level, n.dotted)] = true
		}
		ast.InspectStmts(m.Body, func(s ast.Stmt) bool {
			for _, name := range imported(s) {
				line := text[bytes.LastIndexByte(text[:s.Span().Start], '\n')+1 : s.Span().Start]
				if len(bytes.TrimLeft(line, " \t")) == 0 && !found[name] {
					t.Errorf("%q is imported by %q, and not found in %q", name, m.Source(s), text)
				}
			}
			return true
		})
	})
}

// imported lists what a statement imports, as FuzzScanImports compares it.
func imported(s ast.Stmt) []string {
	var out []string
	switch s := s.(type) {
	case *ast.Import:
		for _, a := range s.Names {
			out = append(out, fmt.Sprint(0, a.Name))
		}
	case *ast.ImportFrom:
		out = append(out, fmt.Sprint(s.Level, s.Module))
		for _, a := range s.Names {
			if a.Name != "*" {
				out = append(out, fmt.Sprint(s.Level, strings.TrimPrefix(s.Module+"."+a.Name, ".")))
			}
		}
	}
	return out
}
