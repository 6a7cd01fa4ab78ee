package infer

import (
	"strconv"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// # Paths
//
// An environment holds values for paths (self.x, batch["logp"]) next to those for
// names. Most paths of a program are only read (torch.nn.Linear, args.lr), and what
// is only read is found in the object each time; so a path has a slot only where the
// body writes to it: by an assignment, by an in-place method, or by a condition,
// which narrows what it tests.

// paths are the attribute paths and subscripts of a body.
type paths struct {
	named   []ast.Expr // all, an expression before its parts
	written []ast.Expr
	slots   map[part]int
}

// part is the last step of a path.
type part struct {
	of  int    // slot of the path before it
	key string // name of an attribute, or a constant subscript in brackets
}

// write notes that the body may give the place that e names another value.
func (p *paths) write(e ast.Expr) {
	switch e.(type) {
	case *ast.Attribute, *ast.Subscript:
		p.written = append(p.written, e)
	}
}

// narrows notes the paths of which a node may change what they hold though it does
// not assign: conditions (see refine), in-place methods and arguments named out.
func (c *layout) narrows(n ast.Node) {
	switch n := n.(type) {
	case *ast.If:
		c.tests(n.Cond)
	case *ast.While:
		c.tests(n.Cond)
	case *ast.Assert:
		c.tests(n.Cond)
	case *ast.IfExp:
		c.tests(n.Cond)
	case *ast.CompClause:
		c.tests(n.Ifs...)
	case *ast.Case:
		c.tests(n.Guard)
	case *ast.BoolOp:
		c.tests(n.Values...)
	case *ast.UnaryOp:
		c.tests(n.X)
	case *ast.Compare:
		c.tests(n.X)
		c.tests(n.Ys...)
	case *ast.Call:
		if at := inPlaceMethod(n); at != nil {
			c.paths.write(at.X)
		}
		for _, k := range n.Keywords {
			if k.Name == "out" {
				c.paths.write(k.Value)
			}
		}
	}
}

// tests notes the paths that a condition narrows. Those of its operands are noted
// where the operands are visited.
func (c *layout) tests(conditions ...ast.Expr) {
	for _, e := range conditions {
		if call, ok := e.(*ast.Call); ok && len(call.Args) == 2 { // isinstance(x, C)
			e = call.Args[0]
		}
		c.paths.write(e)
	}
}

// numberPaths gives the written paths slots, and notes where the body names them.
func (c *layout) numberPaths() {
	p := &c.paths
	if len(p.written) > 0 {
		p.slots = map[part]int{}
		for _, e := range p.written {
			c.pathSlot(e, maxSteps)
		}
		for i := len(p.named) - 1; i >= 0; i-- { // a path's own parts first
			if slot := c.namedSlot(p.named[i]); slot >= 0 {
				c.number(p.named[i], slot)
			}
		}
	}
	*p = paths{}
}

// maxSteps is the length of the longest path that has a slot: a place knows all that
// start with it.
const maxSteps = 16

// pathSlot returns the slot of the place that e names, making one for it and for
// each path that it starts with; -1 where e names none, or has more steps than that.
func (c *layout) pathSlot(e ast.Expr, steps int) int {
	x, key := step(e)
	if x == nil {
		return c.slotOf(e)
	}
	if steps == 0 {
		return -1
	}
	of := c.pathSlot(x, steps-1)
	if of < 0 {
		return -1
	}
	slot, ok := c.paths.slots[part{of, key}]
	if !ok {
		slot = len(c.places)
		c.paths.slots[part{of, key}] = slot
		c.places = append(c.places, place{})
		for x != nil {
			i := c.pathSlot(x, steps)
			c.places[i].parts = append(c.places[i].parts, slot)
			x, _ = step(x)
		}
	}
	return slot
}

// namedSlot returns the slot of a path of which the parts are numbered, or -1.
func (c *layout) namedSlot(e ast.Expr) int {
	var of int
	switch e := e.(type) {
	case *ast.Attribute:
		of = c.slotOf(e.X)
	case *ast.Subscript:
		of = c.slotOf(e.X)
	}
	if of < 0 || len(c.places[of].parts) == 0 {
		return -1
	}
	_, key := step(e)
	if slot, ok := c.paths.slots[part{of, key}]; ok {
		return slot
	}
	return -1
}

// step takes the last step off a path: the path before it, nil where e is none, and
// its key.
func step(e ast.Expr) (x ast.Expr, key string) {
	switch e := e.(type) {
	case *ast.Attribute:
		return e.X, e.Attr
	case *ast.Subscript:
		if key, ok := keyOf(e.Index); ok {
			return e.X, key
		}
	}
	return nil, ""
}

// keyOf returns a constant subscript as it stands in a path: ["logp"] or [-1].
func keyOf(index ast.Expr) (string, bool) {
	switch x := index.(type) {
	case *ast.String:
		if !x.Bytes {
			return "[" + strconv.Quote(x.Value) + "]", true
		}
	case *ast.Number:
		if n, err := strconv.Atoi(x.Text); err == nil {
			return "[" + strconv.Itoa(n) + "]", true
		}
	case *ast.UnaryOp:
		if n, ok := x.X.(*ast.Number); ok && x.Op == ast.USub {
			if v, err := strconv.Atoi(n.Text); err == nil && v > 0 {
				return "[-" + strconv.Itoa(v) + "]", true
			}
		}
	}
	return "", false
}
