package frameworks

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	pyparse "github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/runconf"
)

// # Scripts with their settings in their text
//
// accelerate launch --num_processes 6 train.py: the script makes its configuration itself, GRPOConfig(num_generations=8), and
// only the launch says for how many processes. What the script says alone is judged where it is checked, by values. Here
// its literals have no place, so that what is said of them together with the launch stands at the flag of the launch:
// another launch of the same script may be right.

// ofLiterals is the run of a script whose text makes its only configuration, launched by a command whose word i is the script;
// nil where it makes none, or several.
func ofLiterals(from *reader, c *runconf.Command, i int, text []byte) *Run {
	if !strings.Contains(string(text), "Config(") || changed(string(text)) {
		return nil
	}
	parser := pyparse.New()
	defer parser.Close()
	tree, err := parser.Parse(context.Background(), c.Words[i].Text, text)
	if err != nil || len(tree.Errors) > 0 {
		return nil
	}
	t, row, call := configuredIn(tree)
	if row == nil || t.isStored(text) {
		return nil
	}
	r := NewRun(t, row.Set, c.Words[i].At)
	r.Open = len(call.Args) > len(row.Params)
	r.Forget("trainer.")
	for _, k := range call.Keywords {
		r.Open = r.Open || k.Name == ""
		r.Add(runconf.Setting{Key: k.Name, Value: literalOf(k.Value)})
	}
	r.launched(from, c.Words[:i])
	return r
}

// configuredIn is the only call in a program that makes the configuration of a trainer.
func configuredIn(tree *ast.Module) (t *Table, row *Call, call *ast.Call) {
	names, packages := ImportedIn(tree)
	count := 0
	ast.WalkModule(tree, func(n ast.Node) bool {
		if made, ok := n.(*ast.Call); ok {
			if of, class := Calls(qualified(made.Fun, names), packages); class != nil && class.Trainer != nil {
				t, row, call = of, class, made
				count++
			}
		}
		return true
	})
	if count != 1 {
		return nil, nil, nil
	}
	return t, row, call
}

// ImportedIn are what the names mean that a program imports, and the packages that they are of.
func ImportedIn(tree *ast.Module) (names map[string]string, packages []string) {
	names = map[string]string{}
	ast.InspectStmts(tree.Body, func(s ast.Stmt) bool {
		switch s := s.(type) {
		case *ast.Import:
			for _, a := range s.Names {
				first, _, _ := strings.Cut(a.Name, ".")
				packages = append(packages, first)
				names[first] = first
				if a.AsName != "" {
					names[a.AsName] = a.Name
				}
			}
		case *ast.ImportFrom:
			first, _, _ := strings.Cut(s.Module, ".")
			packages = append(packages, first)
			for _, a := range s.Names {
				names[cmp.Or(a.AsName, a.Name)] = s.Module + "." + a.Name
			}
		}
		return true
	})
	return names, packages
}

// qualified is the full name of what is called by an imported name, "" for anything else.
func qualified(e ast.Expr, names map[string]string) string {
	var parts []string
	for {
		switch x := e.(type) {
		case *ast.Name:
			if names[x.Ident] == "" {
				return ""
			}
			slices.Reverse(parts)
			return strings.Join(append([]string{names[x.Ident]}, parts...), ".")
		case *ast.Attribute:
			parts, e = append(parts, x.Attr), x.X
		default:
			return ""
		}
	}
}

var attributeSet = regexp.MustCompile(`\.(\w+)\s*[-+*/]?=[^=]`)

// isStored reports whether a program may set a field of the table after the configuration was made.
func (t *Table) isStored(text []byte) bool {
	return slices.ContainsFunc(attributeSet.FindAllSubmatch(text, -1), func(m [][]byte) bool { return t.aliases[string(m[1])] != "" })
}

// literalOf is the value of a literal; that of anything else is not known.
func literalOf(e ast.Expr) runconf.Value {
	switch x := e.(type) {
	case *ast.Number:
		return runconf.Of(x.Text)
	case *ast.String:
		return runconf.Of(x.Value)
	case *ast.Constant:
		switch x.Kind {
		case ast.True:
			return runconf.Of("true")
		case ast.False:
			return runconf.Of("false")
		case ast.None:
			return runconf.Value{Kind: runconf.Null}
		}
	}
	return runconf.Value{}
}
