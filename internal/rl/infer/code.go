package infer

import (
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/cfg"
)

// Place is something that can be assigned to, by path: x, self.x, batch["logp"].
type Place = cfg.Place

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

	slots  map[Place]int
	places []Place
	parts  [][]int // slots of places that start with the place of that slot
	bySlot []int32 // NodeID-base -> slot + 1; 0 no place

	local map[string]bool // names that the body binds
	outer map[string]bool // names declared global (true) or nonlocal (false)
	isGen bool
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
		slots: map[Place]int{}, local: map[string]bool{},
	}
	c.bySlot = make([]int32, c.size)
	if params != nil {
		for _, p := range params.List {
			c.bind(p.Name)
		}
	}
	for _, st := range body {
		ast.Walk(st, c.visit)
	}
	if value != nil {
		ast.Walk(value, c.visit)
	}
	return c
}

// visit notes what a node of the body binds or names, not what is in nested
// functions and classes; their decorators, defaults, annotations and bases belong
// to this body.
func (c *layout) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Name, *ast.Attribute, *ast.Subscript:
		c.number(n.(ast.Expr))
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
	case *ast.Import:
		c.aliases(n.Names)
	case *ast.ImportFrom:
		c.aliases(n.Names)
	case *ast.Handler:
		c.bind(n.Name)
	case *ast.Assign:
		for _, t := range n.Targets {
			c.target(t)
		}
	case *ast.AugAssign:
		c.target(n.Target)
	case *ast.AnnAssign:
		c.target(n.Target)
	case *ast.For:
		c.target(n.Target)
	case *ast.WithItem:
		c.target(n.Target)
	case *ast.NamedExpr:
		c.bind(n.Target.Ident)
	case *ast.MatchAs:
		c.bind(n.Name)
	case *ast.MatchStar:
		c.bind(n.Name)
	case *ast.MatchMapping:
		c.bind(n.Rest)
	}
}

func (c *layout) bind(name string) {
	c.local[name] = true
	c.slot(Place(name))
}

func (c *layout) aliases(names []*ast.Alias) {
	for _, a := range names {
		c.bind(boundName(a))
	}
}

func (c *layout) declareOuter(names []string, global bool) {
	if c.outer == nil {
		c.outer = map[string]bool{}
	}
	for _, n := range names {
		c.outer[n] = global
		delete(c.local, n)
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
	}
}

// number gives the place that e names, if it names one, a slot.
func (c *layout) number(e ast.Expr) {
	i := int(e.NodeID()) - int(c.base)
	if i < 0 || i >= c.size {
		return
	}
	if name, ok := e.(*ast.Name); ok { // most are
		c.bySlot[i] = int32(c.slot(Place(name.Ident))) + 1
		return
	}
	if p, ok := cfg.PlaceOf(e); ok {
		c.bySlot[i] = int32(c.slot(p)) + 1
	}
}

// slot returns the slot of a place, making one.
func (c *layout) slot(p Place) int {
	if i, ok := c.slots[p]; ok {
		return i
	}
	i := len(c.places)
	c.slots[p] = i
	c.places = append(c.places, p)
	c.parts = append(c.parts, nil)
	for k := 1; k < len(p); k++ {
		if p[k] == '.' || p[k] == '[' {
			j := c.slot(p[:k])
			c.parts[j] = append(c.parts[j], i)
		}
	}
	return i
}

// slotOf returns the slot of the place that e names, or -1.
func (c *layout) slotOf(e ast.Expr) int {
	i := int(e.NodeID()) - int(c.base)
	if i < 0 || i >= c.size {
		return -1
	}
	return int(c.bySlot[i]) - 1
}

// boundName is the name that an import binds.
func boundName(a *ast.Alias) string {
	if a.AsName != "" {
		return a.AsName
	}
	for i := 0; i < len(a.Name); i++ {
		if a.Name[i] == '.' {
			return a.Name[:i]
		}
	}
	return a.Name
}
