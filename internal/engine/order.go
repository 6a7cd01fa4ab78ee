package engine

import (
	"go/types"
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
	for _, component := range project.Order(list) {
		g := &group{}
		for _, p := range component {
			m := byModule[p]
			m.group, m.rank = g, rank
			m.pkg = types.NewPackage(m.Name, m.Name[strings.LastIndexByte(m.Name, '.')+1:])
			rank++
			g.members = append(g.members, m)
		}
		l.groups = append(l.groups, g)
	}
	for _, g := range l.groups {
		l.link(g)
	}
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

// find returns the module that an import in m means, if it was evaluated before
// reader: a module of reader's own circle may come later.
func (m *module) find(reader *module, level int, dotted string) *module {
	path, ok := m.resolver.Resolve(&m.Module, level, dotted)
	if !ok {
		return nil
	}
	to := m.direct[path]
	if to == nil || to.group == reader.group && to.rank >= reader.rank {
		return nil
	}
	return to
}
