package infer

import (
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// code is what all frames of one body share within one evaluation.
type code struct {
	*layout
	memo    []*Frame
	visited bool
}

// layout is what a body says by its text alone: its range of node numbers, the
// numbering of its places and the names that it binds. Whoever evaluates the body,
// its own module or an importer, uses the same one; so it does not change any more,
// but for a module's own, which stars of imports add to.
type layout struct {
	base   ast.NodeID
	size   int
	body   []ast.Stmt
	params *ast.Params // nil for a module or class

	slots  map[string]int // of names
	places []place        // by slot
	paths  paths
	bySlot []int32 // NodeID-base -> slot + 1; 0 no place

	paramSlots []int // by parameter

	truths truths
	tested map[int]bool // slots whose truth the body asks for

	outer map[string]bool // names declared global (true) or nonlocal (false)
	isGen bool
	own   nodes
}

// place is something that can be assigned to: x, self.x, batch["logp"].
type place struct {
	name  string // of a variable; "" for a path
	local bool   // the body binds the variable
	parts []int  // slots of the paths that start with this place
}

// layouts are those of a module's functions and classes.
type layouts struct {
	mu sync.Mutex
	of map[ast.Node]*layout
}

// get returns the layout of a function, lambda or class.
func (l *layouts) get(def ast.Node) *layout {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.of[def]; c != nil {
		return c
	}
	if l.of == nil {
		l.of = map[ast.Node]*layout{}
	}
	c := layoutOf(def)
	l.of[def] = c
	return c
}

// drop forgets them all; importers lay out anew what they evaluate.
func (l *layouts) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of = nil
}

func layoutOf(def ast.Node) *layout {
	switch def := def.(type) {
	case *ast.FunctionDef:
		return newLayout(def.ID, def.Last, def.Params, def.Body, nil)
	case *ast.Lambda:
		return newLayout(def.ID, def.Last, def.Params, nil, def.Body)
	case *ast.ClassDef:
		return newLayout(def.ID, def.Last, nil, def.Body, nil)
	}
	panic("a layout of what is no definition")
}

// newLayout lays out a body of nodes first to last: statements, or the expression
// of a lambda.
func newLayout(first, last ast.NodeID, params *ast.Params, body []ast.Stmt, value ast.Expr) *layout {
	c := &layout{
		base: first, size: int(last-first) + 1, body: body, params: params,
		slots: map[string]int{},
	}
	c.bySlot = make([]int32, c.size)
	if params != nil {
		for _, p := range params.List {
			c.bind(p.Name)
			c.paramSlots = append(c.paramSlots, c.slot(p.Name))
		}
	}
	for _, st := range body {
		ast.Walk(st, c.visit)
	}
	if value != nil {
		ast.Walk(value, c.visit)
	}
	c.numberPaths()
	c.numberTruths()
	return c
}

// visit notes what a node of the body binds or names, not what is in nested
// functions and classes; their decorators, defaults, annotations and bases belong
// to this body.
func (c *layout) visit(n ast.Node) bool {
	c.truths.note(n)
	switch n := n.(type) {
	case *ast.Name:
		c.number(n, c.slot(n.Ident))
	case *ast.Attribute:
		c.paths.named = append(c.paths.named, n)
	case *ast.Subscript:
		c.paths.named = append(c.paths.named, n)
	case *ast.FunctionDef:
		c.bind(n.Name)
		c.around(n.Decorators, n.Params, n.Returns)
		return false
	case *ast.ClassDef:
		c.bind(n.Name)
		c.around(n.Decorators, nil, nil)
		c.around(n.Bases, nil, nil)
		for _, k := range n.Keywords {
			ast.Walk(k, c.visit)
		}
		return false
	case *ast.Lambda:
		c.around(nil, n.Params, nil)
		return false
	case *ast.Yield:
		c.isGen = true
	default:
		c.binds(n)
		c.narrows(n)
	}
	return true
}

// around visits what is written at a definition but belongs to the body around it.
func (c *layout) around(exprs []ast.Expr, params *ast.Params, returns ast.Expr) {
	for _, e := range exprs {
		ast.Walk(e, c.visit)
	}
	if params != nil {
		ast.Walk(params, c.visit)
	}
	if returns != nil {
		ast.Walk(returns, c.visit)
	}
}

// binds notes the names that a node binds.
func (c *layout) binds(n ast.Node) {
	switch n := n.(type) {
	case *ast.Global:
		c.declareOuter(n.Names, true)
	case *ast.Nonlocal:
		c.declareOuter(n.Names, false)
	default:
		for _, name := range ast.Named(n) {
			c.bind(name)
		}
		for _, t := range ast.Assigned(n) {
			c.target(t)
		}
	}
}

func (c *layout) bind(name string) {
	c.places[c.slot(name)].local = true
}

func (c *layout) declareOuter(names []string, global bool) {
	if c.outer == nil {
		c.outer = map[string]bool{}
	}
	for _, n := range names {
		c.outer[n] = global
		c.places[c.slot(n)].local = false
	}
}

func (c *layout) target(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Name:
		if _, ok := c.outer[e.Ident]; !ok {
			c.bind(e.Ident)
		}
	case *ast.Tuple:
		for _, x := range e.Elts {
			c.target(x)
		}
	case *ast.List:
		for _, x := range e.Elts {
			c.target(x)
		}
	case *ast.Starred:
		c.target(e.X)
	case *ast.Attribute:
		c.paths.write(e)
	case *ast.Subscript:
		c.paths.write(e)
		c.paths.write(e.X) // x[i] = v makes another x of a tensor
	}
}

// number notes the slot of the place that e names.
func (c *layout) number(e ast.Expr, slot int) {
	if i := int(e.NodeID()) - int(c.base); i >= 0 && i < c.size {
		c.bySlot[i] = int32(slot) + 1
	}
}

// slot returns the slot of a variable, making one.
func (c *layout) slot(name string) int {
	if i, ok := c.slots[name]; ok {
		return i
	}
	i := len(c.places)
	c.slots[name] = i
	c.places = append(c.places, place{name: name})
	return i
}

// isLocal reports whether the body binds a name.
func (c *layout) isLocal(name string) bool {
	i, ok := c.slots[name]
	return ok && c.places[i].local
}

// slotOf returns the slot of the place that e names, or -1.
func (c *layout) slotOf(e ast.Expr) int {
	i := int(e.NodeID()) - int(c.base)
	if i < 0 || i >= c.size {
		return -1
	}
	return int(c.bySlot[i]) - 1
}
