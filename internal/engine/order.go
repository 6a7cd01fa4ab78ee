package engine

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/project"
)

// order groups the loaded modules and links the groups.
func (l *loader) order() {
	var list []*project.Module
	byModule := map[*project.Module]*module{}
	for _, m := range l.modules {
		if m.File == nil {
			continue
		}
		list = append(list, &m.Module)
		byModule[&m.Module] = m
	}
	rank := 0
	var groups []*group
	for _, component := range project.Order(list) {
		g := &group{}
		for _, p := range component {
			m := byModule[p]
			m.group, m.rank = g, rank
			m.pkg = types.NewPackage(m.Name, m.Name[strings.LastIndexByte(m.Name, '.')+1:])
			rank++
			g.members = append(g.members, m)
		}
		groups = append(groups, g)
	}
	for _, g := range groups {
		l.link(g)
		l.recall(g)
	}
	l.retrieve(groups)
	l.groups = needed(groups)
}

// needed returns the groups that are asked for, unless what rules say of them is
// stored, and those that they import, in order, and unties them from the rest.
func needed(groups []*group) []*group {
	wanted := map[*group]bool{}
	for _, g := range slices.Backward(groups) {
		asked := func(m *module) bool { return m.asked && m.stored == nil }
		if wanted[g] || slices.ContainsFunc(g.members, asked) {
			wanted[g] = true
			for _, need := range g.needs {
				wanted[need] = true
			}
		}
	}
	unwanted := func(g *group) bool { return !wanted[g] }
	for _, g := range groups {
		g.users = slices.DeleteFunc(g.users, unwanted)
	}
	return slices.DeleteFunc(groups, unwanted)
}

// link fills in what the members of a group import.
func (l *loader) link(g *group) {
	seen := map[*group]bool{g: true}
	for _, m := range g.members {
		m.direct = map[string]*module{}
		var imported []*types.Package
		for _, in := range m.Imports {
			to := l.modules[in.Path]
			if to == nil || to.group == nil {
				continue
			}
			m.direct[in.Path] = to
			imported = append(imported, to.pkg)
			if !seen[to.group] {
				seen[to.group] = true
				g.needs = append(g.needs, to.group)
				to.group.users = append(to.group.users, g)
			}
		}
		m.pkg.SetImports(imported)
	}
}

// importedFiles returns the files that m imports, sorted.
func (m *module) importedFiles() []string { return slices.Sorted(maps.Keys(m.direct)) }

// importer returns what finds the package that an import in m means, if it was
// evaluated before: a module of m's own circle may come later. It holds on to
// nothing else of the program, since the evaluated module keeps it.
func (m *module) importer() func(level int, dotted string) *types.Package {
	packages := map[string]*types.Package{}
	for path, to := range m.direct {
		if to.group != m.group || to.rank < m.rank {
			packages[path] = to.pkg
		}
	}
	resolver, from := m.resolver, &project.Module{Path: m.Path}
	return func(level int, dotted string) *types.Package {
		if path, ok := resolver.Resolve(from, level, dotted); ok {
			return packages[path]
		}
		return nil
	}
}
