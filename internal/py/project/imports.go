package project

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/source"
)

// NewModule describes a parsed file: its name and what it imports. file may be
// nil where only names matter.
func (r *Resolver) NewModule(path string, file *source.File, tree *ast.Module) *Module {
	m := &Module{Path: path, File: file, AST: tree}
	m.Name, m.IsPackage = r.ModuleName(path)
	c := &importCollector{resolver: r, module: m}
	c.stmts(tree.Body, false)
	return m
}

// importCollector gathers the imports of a module, wherever they stand.
type importCollector struct {
	resolver *Resolver
	module   *Module
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
			c.add(s, c.resolver.Imported(c.module, 0, a.Name, nil), deferred)
		}
	case *ast.ImportFrom:
		names := make([]string, len(s.Names))
		for i, a := range s.Names {
			names[i] = a.Name
		}
		c.add(s, c.resolver.Imported(c.module, s.Level, s.Module, names), deferred)
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
func (c *importCollector) add(s ast.Stmt, paths []string, deferred bool) {
	for _, path := range paths {
		same := func(in Import) bool { return in.Path == path }
		if i := slices.IndexFunc(c.module.Imports, same); i >= 0 {
			in := &c.module.Imports[i]
			in.Deferred = in.Deferred && deferred
			continue
		}
		c.module.Imports = append(c.module.Imports, Import{Node: s, Path: path, Deferred: deferred})
	}
}

// Imported returns the files of the project whose definitions an import makes
// known to from: "import dotted" where names is nil, else "from dotted import
// names" with level dots.
//
// A name that is a submodule leads to that file and not to the package. The
// packages on the way to a module count only for importers outside of them: for
// those inside they would close a cycle through every __init__.py that gathers
// its submodules, and tell nothing.
func (r *Resolver) Imported(from *Module, level int, dotted string, names []string) []string {
	var out []string
	self := absolute(from.Path)
	add := func(path string, ok bool) {
		if ok && path != self && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for i := range len(dotted) {
		if dotted[i] != '.' {
			continue
		}
		if path, ok := r.Resolve(from, level, dotted[:i]); ok && !within(filepath.Dir(path), self) {
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

// Order groups modules into strongly connected components of the import graph,
// each after those that it imports. Within a component of several modules, the
// imports that run with the module decide as far as they have no cycle of their
// own. The result depends on the set of modules, not on their order.
func Order(mods []*Module) [][]*Module {
	out := components(mods, func(Import) bool { return true })
	for i, group := range out {
		if len(group) > 1 {
			out[i] = slices.Concat(components(group, func(in Import) bool { return !in.Deferred })...)
		}
	}
	return out
}

// components is Tarjan's algorithm over the wanted imports among mods.
func components(mods []*Module, wanted func(Import) bool) [][]*Module {
	t := &tarjan{byPath: map[string]*Module{}, index: map[*Module]int{}, low: map[*Module]int{}, open: map[*Module]bool{}, wanted: wanted}
	paths := map[*Module]string{}
	for _, m := range mods {
		paths[m] = absolute(m.Path)
		t.byPath[paths[m]] = m
	}
	sorted := slices.SortedFunc(slices.Values(mods), func(a, b *Module) int { return strings.Compare(paths[a], paths[b]) })
	for _, m := range sorted {
		if t.index[m] == 0 {
			t.visit(m)
		}
	}
	return t.out
}

type tarjan struct {
	byPath     map[string]*Module
	wanted     func(Import) bool
	index, low map[*Module]int // from 1
	open       map[*Module]bool
	stack      []*Module
	out        [][]*Module
}

func (t *tarjan) visit(m *Module) {
	t.index[m] = len(t.index) + 1
	t.low[m] = t.index[m]
	t.stack = append(t.stack, m)
	t.open[m] = true
	for _, in := range m.Imports {
		to := t.byPath[in.Path]
		switch {
		case to == nil || !t.wanted(in):
		case t.index[to] == 0:
			t.visit(to)
			t.low[m] = min(t.low[m], t.low[to])
		case t.open[to]:
			t.low[m] = min(t.low[m], t.index[to])
		}
	}
	if t.low[m] != t.index[m] {
		return
	}
	at := slices.Index(t.stack, m)
	group := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, g := range group {
		t.open[g] = false
	}
	slices.SortFunc(group, func(a, b *Module) int { return t.index[b] - t.index[a] })
	t.out = append(t.out, group)
}
