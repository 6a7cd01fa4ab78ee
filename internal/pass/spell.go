package pass

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// Spell returns how the module writes a qualified name, by the imports at its
// head, and the import that the spelling needs: torch.nn.functional.softmax is
// F.softmax where F is imported so, else torch.nn.functional.softmax with
// "import torch".
func (s *Source) Spell(qualified string) (text string, imports []string) {
	best := ""
	for name, target := range s.importedNames() {
		rest, ok := strings.CutPrefix(qualified, target)
		if !ok || rest != "" && rest[0] != '.' {
			continue
		}
		spelt := name + rest
		if best == "" || len(spelt) < len(best) || len(spelt) == len(best) && spelt < best {
			best = spelt
		}
	}
	if best != "" {
		return best, nil
	}
	root, _, _ := strings.Cut(qualified, ".")
	return qualified, []string{"import " + root}
}

// imports reports whether the module imports what a statement would.
func (s *Source) imports(statement string) bool {
	name, target := readImport(statement)
	return name != "" && s.importedNames()[name] == target
}

// importedNames maps the names that imports at module level bind to what they
// mean. A name bound twice keeps the last meaning.
func (s *Source) importedNames() map[string]string {
	out := map[string]string{}
	ast.InspectStmts(s.AST.Body, func(st ast.Stmt) bool {
		switch st := st.(type) {
		case *ast.FunctionDef, *ast.ClassDef:
			return false
		case *ast.Import:
			for _, a := range st.Names {
				name, target := boundBy(a.Name, a.AsName)
				out[name] = target
			}
		case *ast.ImportFrom:
			for _, a := range st.Names {
				if st.Level == 0 && a.Name != "*" {
					name, _ := boundBy(a.Name, a.AsName)
					out[name] = st.Module + "." + a.Name
				}
			}
		}
		return true
	})
	return out
}

// boundBy returns the name that "import dotted as alias" binds, and to what.
func boundBy(dotted, alias string) (name, target string) {
	if alias != "" {
		return alias, dotted
	}
	root, _, _ := strings.Cut(dotted, ".")
	return root, root
}

// readImport reads a statement that a rule wrote: "import a.b as c" or
// "from a import b as c".
func readImport(statement string) (name, target string) {
	words := strings.Fields(statement)
	alias := ""
	if n := len(words); n > 2 && words[n-2] == "as" {
		alias, words = words[n-1], words[:n-2]
	}
	switch {
	case len(words) == 2 && words[0] == "import":
		return boundBy(words[1], alias)
	case len(words) == 4 && words[0] == "from" && words[2] == "import":
		name, _ = boundBy(words[3], alias)
		return name, words[1] + "." + words[3]
	}
	return "", ""
}
