package scope

import (
	"slices"
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// One walk over the tree opens and closes scopes and declares variables. A use
// cannot be resolved when it is met, since a name that is bound anywhere in a
// scope is local to all of it. So uses go to one stack of pending names. When a
// scope closes, all its variables are known: those of its pending names that it
// binds are resolved, the others slide down and become pending names of the
// scope around it. Class scopes hand on what comes from within nested scopes
// without looking, which is the whole of Python's class rule.
//
// Names are interned to dense symbols, and head[symbol] is the innermost
// variable of that name, so that neither declaring nor resolving hashes
// anything: one map access a name, and none a scope.

// pending is a name that waits for its scope to close.
type pending struct {
	name    *ast.Name // the use; nil for nonlocal declarations and bindings under them
	symbol  int32
	scope   int32 // where the name stands
	binding int32 // 1 + index in builder.bindings of a binding under nonlocal, or 0
	nested  bool  // comes from a scope within the current one: class scopes do not show
	global  bool  // declared global: only the module counts
}

// declared is a binding together with its variable.
type declared struct {
	Binding
	variable int32
}

type builder struct {
	*Info
	cur      *Scope
	symbols  map[string]int32
	names    []string // by symbol
	head     []int32  // by symbol: innermost variable outside the module's scope
	global   []int32  // by symbol: variable of the module's scope
	pend     []pending
	bindings []declared
	uses     []resolved
	stores   []selfStore
}

// resolved is a use with its variable.
type resolved struct {
	name     *ast.Name
	variable int32
}

// Analyze resolves the names of a module. modName is its dotted name, by which
// relative imports and local definitions are qualified; isPackage says that the
// file is an __init__.py.
func Analyze(m *ast.Module, modName string, isPackage bool) *Info {
	n := max(m.NumNodes, 1)
	tables := make([]int32, 3*n)
	in := &Info{
		ModName: modName, IsPackage: isPackage,
		vars:    make([]Var, 1, 64+n/16),
		scopeOf: tables[:n:n], opens: tables[n : 2*n : 2*n], varOf: tables[2*n:],
	}
	b := &builder{
		Info: in, symbols: make(map[string]int32, 64+n/32),
		bindings: make([]declared, 0, 64+n/16), uses: make([]resolved, 0, n/4),
	}
	in.classes = sync.OnceValue(in.classesByName)
	in.Module = b.open(Module, nil, 0)
	b.stmts(m.Body)
	b.close()
	b.finish()
	return in
}

// open enters a new scope, which node opens.
func (b *builder) open(kind Kind, node ast.Node, id ast.NodeID) *Scope {
	s := &Scope{
		Kind: kind, Node: node, Parent: b.cur, info: b.Info,
		id: int32(len(b.Scopes)), pendingFrom: len(b.pend),
	}
	b.Scopes = append(b.Scopes, s)
	if node != nil && int(id) < len(b.opens) {
		b.opens[id] = s.id + 1
	}
	b.cur = s
	return s
}

// close leaves the current scope: it resolves what the scope binds and hands
// the rest on to its parent.
func (b *builder) close() {
	s := b.cur
	kept := b.pend[:s.pendingFrom]
	for _, p := range b.pend[s.pendingFrom:] {
		if !b.settle(s, &p) {
			p.nested = true
			kept = append(kept, p)
		}
	}
	b.pend = kept
	if s.Kind != Module {
		for i := s.first; i != 0; i = b.vars[i].next {
			b.head[b.symbols[b.vars[i].Name]] = b.vars[i].outer
		}
	}
	b.cur = s.Parent
}

// settle resolves p in the closing scope s, or reports that p is not s's.
func (b *builder) settle(s *Scope, p *pending) bool {
	if s.Kind == Module {
		if p.binding > 0 && b.global[p.symbol] == 0 {
			b.declare(s, p.symbol)
		}
		if v := b.global[p.symbol]; v != 0 {
			b.resolve(p, v)
		}
		return true
	}
	if p.global || s.Kind == Class && p.nested {
		return false
	}
	if v := b.head[p.symbol]; v != 0 && b.vars[v].Scope == s {
		b.resolve(p, v)
		return true
	}
	if len(s.Globals) > 0 && slices.Contains(s.Globals, b.names[p.symbol]) {
		p.global = true
	}
	return false
}

// resolve records that p means the variable v.
func (b *builder) resolve(p *pending, v int32) {
	switch {
	case p.binding > 0:
		d := &b.bindings[p.binding-1]
		d.variable = v
		b.setVar(d.Node, v)
	case p.name != nil:
		b.setVar(p.name, v)
		b.uses = append(b.uses, resolved{p.name, v})
	}
	home := b.vars[v].Scope
	if home.Kind == Module {
		return
	}
	for s := b.Scopes[p.scope]; s != nil && s != home; s = s.Parent {
		if !slices.Contains(s.free, v) {
			s.free = append(s.free, v)
		}
	}
}

// symbol interns a name.
func (b *builder) symbol(name string) int32 {
	sym, ok := b.symbols[name]
	if !ok {
		sym = int32(len(b.names))
		b.symbols[name] = sym
		b.names = append(b.names, name)
		b.head = append(b.head, 0)
		b.global = append(b.global, 0)
	}
	return sym
}

// declare returns the variable of the symbol in s, making it at first sight.
func (b *builder) declare(s *Scope, symbol int32) int32 {
	slot := &b.head[symbol]
	if s.Kind == Module {
		slot = &b.global[symbol]
	}
	if *slot != 0 && b.vars[*slot].Scope == s {
		return *slot
	}
	v := int32(len(b.vars))
	b.vars = append(b.vars, Var{Name: b.names[symbol], Scope: s, index: v, outer: *slot})
	*slot = v
	if s.first == 0 {
		s.first = v
	} else {
		b.vars[s.last].next = v
	}
	s.last = v
	return v
}

// bind records a binding of name in the current scope, or where a global or
// nonlocal declaration sends it. Comprehensions pass walrus targets outward.
func (b *builder) bind(name string, d Binding) int32 {
	if name == "" {
		return 0
	}
	s := b.cur
	for d.Kind == Walrus && s.Kind == Comprehension {
		s = s.Parent
	}
	symbol := b.symbol(name)
	b.bindings = append(b.bindings, declared{Binding: d})
	at := len(b.bindings) - 1
	switch {
	case len(s.Globals) > 0 && slices.Contains(s.Globals, name):
		b.bindings[at].variable = b.declare(b.Module, symbol)
	case len(s.Nonlocals) > 0 && slices.Contains(s.Nonlocals, name):
		b.pend = append(b.pend, pending{symbol: symbol, scope: s.id, binding: int32(at + 1)})
		return 0
	default:
		b.bindings[at].variable = b.declare(s, symbol)
	}
	b.setVar(d.Node, b.bindings[at].variable)
	return b.bindings[at].variable
}

// use records that a name is read in the current scope.
func (b *builder) use(n *ast.Name) {
	s := b.cur
	global := len(s.Globals) > 0 && slices.Contains(s.Globals, n.Ident)
	b.pend = append(b.pend, pending{name: n, symbol: b.symbol(n.Ident), scope: s.id, global: global})
}

func (b *builder) setVar(n ast.Node, v int32) {
	if id := int(n.NodeID()); id < len(b.varOf) {
		b.varOf[id] = v
	}
}

// mark notes the scope that evaluates a node.
func (b *builder) mark(id ast.NodeID) {
	if int(id) < len(b.scopeOf) {
		b.scopeOf[id] = b.cur.id
	}
}

// finish hands bindings and uses to their variables: both are sorted by variable
// with a counting sort, so that each variable holds a piece of one array.
func (b *builder) finish() {
	starts := make([]int, len(b.vars)+1)
	for _, d := range b.bindings {
		starts[d.variable+1]++
	}
	sorted := make([]Binding, len(b.bindings))
	fill(starts, len(b.bindings), func(i int) int32 { return b.bindings[i].variable },
		func(i, at int) { sorted[at] = b.bindings[i].Binding },
		func(v, from, to int) { b.vars[v].Bindings = sorted[from:to:to] })

	clear(starts)
	for _, u := range b.uses {
		starts[u.variable+1]++
	}
	names := make([]*ast.Name, len(b.uses))
	fill(starts, len(b.uses), func(i int) int32 { return b.uses[i].variable },
		func(i, at int) { names[at] = b.uses[i].name },
		func(v, from, to int) { b.vars[v].Uses = names[from:to:to] })
	b.finishClasses()
}

// fill is the second half of a counting sort of n items over the variables:
// starts holds the count of variable v at v+1.
func fill(starts []int, n int, variable func(int) int32, put func(i, at int), slice func(v, from, to int)) {
	for v := 1; v < len(starts); v++ {
		starts[v] += starts[v-1]
	}
	for v := 1; v < len(starts)-1; v++ {
		slice(v, starts[v], starts[v+1])
	}
	for i := range n {
		v := variable(i)
		put(i, starts[v])
		starts[v]++
	}
}
