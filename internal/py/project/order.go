package project

import (
	"slices"
	"strings"
)

// Order groups modules into strongly connected components of the import graph,
// each after those that it imports. Within a component of several modules, the
// looser imports give way, as far as the others have no cycle of their own. The
// result depends on the set of modules, not on their order.
func Order(mods []*Module) [][]*Module {
	out := components(mods, func(Import) bool { return true })
	for i, group := range out {
		out[i] = inside(group, ForTypes)
	}
	return out
}

// inside orders the modules of a component by imports of a tie at most.
func inside(group []*Module, tie Tie) []*Module {
	if len(group) == 1 {
		return group
	}
	parts := components(group, func(in Import) bool { return in.Tie <= tie })
	if tie > Needed {
		for i, part := range parts {
			parts[i] = inside(part, tie-1)
		}
	}
	return slices.Concat(parts...)
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
