package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/cfg"
)

// Place is something that can be assigned to, by path: x, self.x, batch["logp"].
type Place = cfg.Place

// code is what all frames of one body share: its range of node numbers and the
// numbering of its places.
type code struct {
	base   ast.NodeID
	size   int
	body   []ast.Stmt
	params *ast.Params // nil for a module

	slots  map[Place]int
	places []Place
	parts  [][]int // slots of places that start with the place of that slot
	bySlot []int32 // NodeID-base -> slot + 1; -1 no place; 0 not asked yet

	local   map[string]bool // names that the body binds
	outer   map[string]bool // names declared global (true) or nonlocal (false)
	memo    []*Frame
	isGen   bool
	visited bool
}

func newCode(root ast.Node, params *ast.Params, body []ast.Stmt) *code {
	c := &code{params: params, body: body, slots: map[Place]int{}, local: map[string]bool{}, outer: map[string]bool{}}
	c.measure(root)
	if params != nil {
		for _, p := range params.List {
			c.local[p.Name] = true
		}
	}
	for _, st := range body {
		c.bind(st)
	}
	return c
}

// measure finds the range of node numbers below root.
func (c *code) measure(root ast.Node) {
	lo, hi := ^ast.NodeID(0), ast.NodeID(0)
	visit := func(n ast.Node) bool {
		id := n.NodeID()
		lo, hi = min(lo, id), max(hi, id)
		return true
	}
	if root != nil {
		ast.Walk(root, visit)
	} else {
		for _, st := range c.body {
			ast.Walk(st, visit)
		}
	}
	if hi >= lo {
		c.base, c.size = lo, int(hi-lo)+1
	}
}

// bind records the names that a statement binds in this body, not those of
// nested functions and classes.
func (c *code) bind(n ast.Node) {
	ast.Walk(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FunctionDef:
			c.local[n.Name] = true
			return false
		case *ast.ClassDef:
			c.local[n.Name] = true
			return false
		case *ast.Lambda:
			return false
		case *ast.Global:
			c.declareOuter(n.Names, true)
		case *ast.Nonlocal:
			c.declareOuter(n.Names, false)
		case *ast.Yield:
			c.isGen = true
		case *ast.Import:
			for _, a := range n.Names {
				c.local[boundName(a)] = true
			}
		case *ast.ImportFrom:
			for _, a := range n.Names {
				c.local[boundName(a)] = true
			}
		case *ast.Handler:
			c.local[n.Name] = true
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
			c.local[n.Target.Ident] = true
		case *ast.MatchAs:
			c.local[n.Name] = true
		case *ast.MatchStar:
			c.local[n.Name] = true
		}
		return true
	})
}

func (c *code) declareOuter(names []string, global bool) {
	for _, n := range names {
		c.outer[n] = global
		delete(c.local, n)
	}
}

func (c *code) target(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Name:
		if _, ok := c.outer[e.Ident]; !ok {
			c.local[e.Ident] = true
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

// slot returns the slot of a place, making one.
func (c *code) slot(p Place) int {
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
func (c *code) slotOf(e ast.Expr) int {
	i := int(e.NodeID()) - int(c.base)
	if i < 0 || i >= c.size {
		return -1
	}
	if c.bySlot == nil {
		c.bySlot = make([]int32, c.size)
	}
	switch k := c.bySlot[i]; {
	case k > 0:
		return int(k) - 1
	case k < 0:
		return -1
	}
	p, ok := cfg.PlaceOf(e)
	if !ok {
		c.bySlot[i] = -1
		return -1
	}
	s := c.slot(p)
	c.bySlot[i] = int32(s) + 1
	return s
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
