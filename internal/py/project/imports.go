package project

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/source"
)

// NewModule describes a parsed file: its name and what it imports. file may be
// nil where only names matter.
func (r *Resolver) NewModule(path string, file *source.File, tree *ast.Module) *Module {
	m := &Module{Path: path, File: file, AST: tree}
	m.Name, m.IsPackage = r.ModuleName(path)
	c := &importCollector{resolver: r, module: m, self: absolute(path)}
	c.stmts(tree.Body, false)
	return m
}

// importCollector gathers the imports of a module, wherever they stand.
type importCollector struct {
	resolver *Resolver
	module   *Module
	self     string
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
			c.dotted(s, 0, a.Name, deferred)
		}
	case *ast.ImportFrom:
		c.dotted(s, s.Level, s.Module, deferred)
		for _, a := range s.Names {
			if a.Name != "*" {
				c.add(s, s.Level, join(s.Module, a.Name), deferred)
			}
		}
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

// dotted notes a.b.c with all packages on the way, whose __init__ runs too.
func (c *importCollector) dotted(s ast.Stmt, level int, name string, deferred bool) {
	for i := range len(name) {
		if name[i] == '.' {
			c.add(s, level, name[:i], deferred)
		}
	}
	c.add(s, level, name, deferred)
}

func (c *importCollector) add(s ast.Stmt, level int, name string, deferred bool) {
	path, ok := c.resolver.Resolve(c.module, level, name)
	if !ok || path == c.self {
		return
	}
	for i := range c.module.Imports {
		if in := &c.module.Imports[i]; in.Path == path {
			in.Deferred = in.Deferred && deferred
			return
		}
	}
	c.module.Imports = append(c.module.Imports, Import{Node: s, Path: path, Deferred: deferred})
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
	sorted := slices.Clone(mods)
	slices.SortFunc(sorted, func(a, b *Module) int {
		switch pa, pb := absolute(a.Path), absolute(b.Path); {
		case pa < pb:
			return -1
		case pa > pb:
			return 1
		}
		return 0
	})
	for _, m := range sorted {
		t.byPath[absolute(m.Path)] = m
	}
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
