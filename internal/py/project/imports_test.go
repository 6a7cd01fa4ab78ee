package project_test

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/project"
)

// newModule describes a parsed file: its name and what it imports.
func newModule(r *project.Resolver, path string, tree *ast.Module) *project.Module {
	m := &project.Module{Path: path}
	m.Name, m.IsPackage = r.ModuleName(path)
	c := &importCollector{resolver: r, module: m}
	c.stmts(tree.Body, false)
	return m
}

// importCollector gathers the imports of a module, wherever they stand.
type importCollector struct {
	resolver *project.Resolver
	module   *project.Module
}

func (c *importCollector) stmts(list []ast.Stmt, deferred bool) {
	for _, s := range list {
		c.stmt(s, deferred)
	}
}

func (c *importCollector) stmt(s ast.Stmt, deferred bool) {
	switch s := s.(type) {
	case *ast.Import:
		for _, a := range s.Names {
			c.add(imported(c.resolver, c.module, 0, a.Name, nil), deferred)
		}
	case *ast.ImportFrom:
		names := make([]string, len(s.Names))
		for i, a := range s.Names {
			names[i] = a.Name
		}
		c.add(imported(c.resolver, c.module, s.Level, s.Module, names), deferred)
	case *ast.FunctionDef:
		c.stmts(s.Body, true)
	case *ast.ClassDef:
		c.stmts(s.Body, deferred)
	case *ast.If:
		c.stmts(s.Then, deferred || isTypeChecking(s.Cond))
		c.stmts(s.Else, deferred)
	case *ast.For:
		c.stmts(s.Body, deferred)
		c.stmts(s.Else, deferred)
	case *ast.While:
		c.stmts(s.Body, deferred)
		c.stmts(s.Else, deferred)
	case *ast.With:
		c.stmts(s.Body, deferred)
	case *ast.Try:
		c.stmts(s.Body, deferred)
		for _, h := range s.Handlers {
			c.stmts(h.Body, deferred)
		}
		c.stmts(s.Else, deferred)
		c.stmts(s.Finally, deferred)
	case *ast.Match:
		for _, arm := range s.Cases {
			c.stmts(arm.Body, deferred)
		}
	}
}

// add notes an edge to each of some files; one that runs with the module counts
// more than a deferred one.
func (c *importCollector) add(paths []string, deferred bool) {
	tie := project.Needed
	if deferred {
		tie = project.Loose
	}
	for _, path := range paths {
		same := func(in project.Import) bool { return in.Path == path }
		if i := slices.IndexFunc(c.module.Imports, same); i >= 0 {
			in := &c.module.Imports[i]
			in.Tie = min(in.Tie, tie)
			continue
		}
		c.module.Imports = append(c.module.Imports, project.Import{Path: path, Tie: tie})
	}
}

// imported returns the files of the project whose definitions an import makes
// known to from: "import dotted" where names is nil, else "from dotted import
// names" with level dots.
//
// A name that is a submodule leads to that file and not to the package. The
// packages on the way to a module count only for importers outside of them: for
// those inside they would close a cycle through every __init__.py that gathers
// its submodules, and tell nothing.
func imported(r *project.Resolver, from *project.Module, level int, dotted string, names []string) []string {
	var out []string
	self := from.Path
	add := func(path string, ok bool) {
		if ok && path != self && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for i := range len(dotted) {
		if dotted[i] != '.' {
			continue
		}
		if path, ok := r.Resolve(from, level, dotted[:i]); ok && !strings.HasPrefix(self, filepath.Dir(path)+string(filepath.Separator)) {
			add(path, ok)
		}
	}
	if names == nil {
		add(r.Resolve(from, level, dotted))
	}
	for _, name := range names {
		path, ok := r.Resolve(from, level, join(dotted, name))
		if !ok || name == "*" {
			path, ok = r.Resolve(from, level, dotted)
		}
		add(path, ok)
	}
	return out
}

// isTypeChecking reports whether a condition is typing.TYPE_CHECKING.
func isTypeChecking(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Name:
		return e.Ident == "TYPE_CHECKING"
	case *ast.Attribute:
		return e.Attr == "TYPE_CHECKING"
	}
	return false
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "." + b
}
