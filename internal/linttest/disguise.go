package linttest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rule"
)

// disguises are ways to write a program again that means the same. What rests on the data alone is reported of it as well.
var disguises = []struct {
	name  string
	edits func(m *ast.Module, sole bool) []edit.Edit
	// names says that the way takes names away: findings that say they rest on names may be lost.
	names bool
}{
	{"renamed", renamed, true},
	{"unpacked", unpacked, false},
	{"aliased", aliased, false},
}

// Disguised checks the Bad examples of a page once more in each disguise. Every finding must be there again, but for those that the
// file of losses names, a line each: the disguise, and the code with the number of the example. A loss that is none any more fails, too.
func Disguised(t *testing.T, losses string, entries []rule.Entry) {
	t.Helper()
	data, err := os.ReadFile(losses)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			known[line] = true
		}
	}
	t.Chdir(t.TempDir())
	p := parse.New()
	defer p.Close()
	tried := 0
	for _, e := range entries {
		for i, example := range e.Doc.Examples(rule.Bad) {
			files := texts(example)
			before := reported(t, files, e.Analyzer)
			for _, d := range disguises {
				again, changed := disguised(t, p, files, d.edits)
				if !changed {
					continue
				}
				tried++
				name := fmt.Sprintf("%s %s.%d", d.name, e.Doc.Code, i+1)
				after := reported(t, again, e.Analyzer)
				lost := before.all - after.all
				if d.names {
					lost = before.data - after.all
				}
				switch {
				case lost > 0 && !known[name]:
					t.Errorf("%s: %d of %d findings are lost in\n%s", name, lost, before.all, joined(again))
				case lost <= 0 && known[name]:
					t.Errorf("%s is found again: take it out of %s", name, losses)
				}
				delete(known, name)
			}
		}
	}
	if tried == 0 {
		t.Fatal("no example was disguised")
	}
	for name := range known {
		t.Errorf("%s names %s, which is no example in disguise", losses, name)
	}
}

// counts are how many findings there are, and how many of them say that they rest on the data.
type counts struct{ all, data int }

func reported(t *testing.T, files map[string]string, a *analysis.Analyzer) (c counts) {
	for _, f := range check(t, files, a).Findings {
		c.all++
		if f.Evidence != finding.Named && f.Evidence != finding.NameOnly {
			c.data++
		}
	}
	return c
}

// disguised rewrites the Python modules of an example; changed is false where there was nothing to rewrite.
func disguised(t *testing.T, p *parse.Parser, files map[string]string, edits func(*ast.Module, bool) []edit.Edit) (out map[string]string, changed bool) {
	out = map[string]string{}
	for name, text := range files {
		out[name] = text
		if !strings.HasSuffix(name, ".py") {
			continue
		}
		m, err := p.Parse(context.Background(), name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Errors) > 0 {
			continue
		}
		next, err := edit.Apply([]byte(text), edits(m, len(files) == 1))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name], changed = string(next), changed || string(next) != text
	}
	return out, changed
}

// renamed takes their meaning from variables. Parameters, which callers may name, and what a class binds stay, and so does what a
// module binds, unless it is the sole one.
func renamed(m *ast.Module, sole bool) (out []edit.Edit) {
	bound, kept := map[string]bool{}, map[string]bool{}
	var walk func(n ast.Node, local bool)
	walk = func(n ast.Node, local bool) {
		names := kept
		if local {
			names = bound
		}
		switch n := n.(type) {
		case *ast.Assign:
			for _, target := range n.Targets {
				addNames(names, target)
			}
		case *ast.For:
			addNames(names, n.Target)
		case *ast.CompClause:
			addNames(names, n.Target)
		case *ast.NamedExpr:
			addNames(names, n.Target)
		case *ast.AugAssign:
			addNames(names, n.Target)
		case *ast.AnnAssign:
			addNames(names, n.Target)
		case *ast.Global:
			keep(kept, n.Names)
		case *ast.Nonlocal:
			keep(kept, n.Names)
		case *ast.Param:
			kept[n.Name] = true
		case *ast.FunctionDef:
			kept[n.Name], local = true, true
		case *ast.Lambda:
			local = true
		case *ast.ClassDef:
			kept[n.Name], local = true, false
		}
		ast.Children(n, func(child ast.Node) { walk(child, local) })
	}
	for _, s := range m.Body {
		walk(s, sole)
	}
	number := map[string]int{}
	ast.WalkModule(m, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok && bound[name.Ident] && !kept[name.Ident] {
			if number[name.Ident] == 0 {
				number[name.Ident] = len(number) + 1
			}
			out = append(out, edit.Edit{Start: int(name.Loc.Start), End: int(name.Loc.End), New: fmt.Sprintf("v%d", number[name.Ident])})
		}
		return true
	})
	return out
}

// addNames adds the variables that a target binds: what a subscript or an attribute reads is not bound.
func addNames(names map[string]bool, target ast.Expr) {
	ast.Walk(target, func(n ast.Node) bool {
		name, isName := n.(*ast.Name)
		if isName {
			names[name.Ident] = true
		}
		return isName || isDisplay(n)
	})
}

func keep(kept map[string]bool, names []string) {
	for _, name := range names {
		kept[name] = true
	}
}

// isDisplay reports whether a target is made of targets.
func isDisplay(n ast.Node) bool {
	switch n.(type) {
	case *ast.Tuple, *ast.List, *ast.Starred:
		return true
	}
	return false
}

// unpacked takes what a call returns apart in a statement of its own.
func unpacked(m *ast.Module, _ bool) (out []edit.Edit) {
	ast.WalkModule(m, func(n ast.Node) bool {
		s, ok := n.(*ast.Assign)
		if !ok || len(s.Targets) != 1 || !isDisplay(s.Targets[0]) {
			return true
		}
		if _, isCall := s.Value.(*ast.Call); !isCall {
			return true
		}
		if indent, alone := indentOf(m, s); alone {
			whole := fmt.Sprintf("parts%d", len(out))
			target := m.Source(s.Targets[0])
			out = append(out,
				edit.Edit{Start: int(s.Loc.Start), End: int(s.Value.Span().Start), New: whole + " = "},
				edit.Edit{Start: int(s.Loc.End), End: int(s.Loc.End), New: "\n" + indent + target + " = " + whole})
		}
		return true
	})
	return out
}

// aliased gives every value that is assigned one more name.
func aliased(m *ast.Module, _ bool) (out []edit.Edit) {
	ast.WalkModule(m, func(n ast.Node) bool {
		s, ok := n.(*ast.Assign)
		if !ok || len(s.Targets) != 1 {
			return true
		}
		name, ok := s.Targets[0].(*ast.Name)
		if !ok {
			return true
		}
		if indent, alone := indentOf(m, s); alone {
			alias := fmt.Sprintf("alias%d", len(out))
			out = append(out,
				edit.Edit{Start: int(s.Loc.Start), End: int(s.Value.Span().Start), New: alias + " = "},
				edit.Edit{Start: int(s.Loc.End), End: int(s.Loc.End), New: "\n" + indent + name.Ident + " = " + alias})
		}
		return true
	})
	return out
}

// indentOf is what stands before a statement on its line; alone is false where there is other code on the line, or the value's
// parentheses, which begin before it.
func indentOf(m *ast.Module, s *ast.Assign) (indent string, alone bool) {
	start, end := int(s.Loc.Start), int(s.Loc.End)
	line := bytes.LastIndexByte(m.Text[:start], '\n') + 1
	rest, _, _ := bytes.Cut(m.Text[end:], []byte("\n"))
	rest = bytes.TrimSpace(rest)
	between := m.Text[s.Targets[0].Span().End:s.Value.Span().Start]
	indent = string(m.Text[line:start])
	alone = strings.TrimSpace(indent) == "" && (len(rest) == 0 || rest[0] == '#') && !slices.Contains(between, '(')
	return indent, alone
}
