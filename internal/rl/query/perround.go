package query

import "github.com/rlvet/rlvet/internal/py/ast"

// PerRound is how often the paths through one round of a loop come by something.
type PerRound struct {
	None, Once, More bool
	// Unknown says that it stands in a loop within the loop.
	Unknown bool
}

// EachRound counts how often the paths through a loop's body, to the next round, evaluate what hits counts in a statement or condition.
// Paths that leave the loop do not count.
func EachRound(body []ast.Stmt, hits func(ast.Node) int) PerRound {
	c := counter{hits: hits}
	through, again := c.block(body, once(0))
	all := through | again
	return PerRound{None: all&1 != 0, Once: all&2 != 0, More: all&4 != 0, Unknown: c.unknown}
}

// counts is a set of numbers: bit 0 for none, 1 for one, 2 for more.
type counts uint8

func once(n int) counts { return 1 << min(n, 2) }

// plus adds a number to each of a set.
func (c counts) plus(n int) counts {
	var out counts
	for i := range 3 {
		if c&(1<<i) != 0 {
			out |= once(i + n)
		}
	}
	return out
}

type counter struct {
	hits    func(ast.Node) int
	unknown bool
}

// block follows statements from the numbers that paths bring along: through are those of paths that come to the end, again of those that
// go on with the next round.
func (c *counter) block(body []ast.Stmt, in counts) (through, again counts) {
	at := in
	for _, st := range body {
		if at == 0 {
			break
		}
		next, more := c.stmt(st, at)
		at, again = next, again|more
	}
	return at, again
}

func (c *counter) stmt(st ast.Stmt, in counts) (through, again counts) {
	switch n := st.(type) {
	case *ast.Continue:
		return 0, in
	case *ast.Break, *ast.Return, *ast.Raise:
		return 0, 0
	case *ast.If:
		in = in.plus(c.count(n.Cond))
		a, x := c.block(n.Then, in)
		b, y := c.block(n.Else, in)
		return a | b, x | y
	case *ast.Try:
		a, x := c.block(n.Body, in)
		if len(n.Else) > 0 {
			var y counts
			a, y = c.block(n.Else, a)
			x |= y
		}
		for _, h := range n.Handlers { // what raises does so before what it counts
			b, y := c.block(h.Body, in)
			a, x = a|b, x|y
		}
		b, y := c.block(n.Finally, a)
		return b, x | y
	case *ast.With:
		return c.block(n.Body, in)
	case *ast.For, *ast.While:
		for _, b := range ast.Blocks(st) {
			for _, inner := range b {
				c.unknown = c.unknown || c.count(inner) > 0
			}
		}
		return in, 0
	case *ast.Match:
		out := in
		for _, k := range n.Cases {
			a, x := c.block(k.Body, in)
			out, again = out|a, again|x
		}
		c.unknown = c.unknown || c.count(n) > 0
		return out, again
	case *ast.FunctionDef, *ast.ClassDef:
		return in, 0
	}
	return in.plus(c.count(st)), 0
}

// count is how often something stands in a node.
func (c *counter) count(n ast.Node) int {
	total := 0
	ast.Walk(n, func(x ast.Node) bool {
		total += c.hits(x)
		return true
	})
	return total
}
