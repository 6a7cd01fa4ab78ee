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
	for i := 0; i < len(body) && at != 0; i++ {
		st := body[i]
		if first, ok := st.(*ast.If); ok && i+1 < len(body) && len(first.Else) == 0 {
			if second, ok := body[i+1].(*ast.If); ok && len(second.Else) == 0 && excludes(first, second.Cond) {
				st = &ast.If{Meta: first.Meta, Cond: first.Cond, Then: first.Then, Else: second.Then} // if ok: ... if not ok: ...
				i++
			}
		}
		next, more := c.stmt(st, at)
		at, again = next, again|more
	}
	return at, again
}

// excludes reports whether a condition holds where that of an if in front of it does not, and only there.
func excludes(first *ast.If, cond ast.Expr) bool {
	kept := true
	for _, st := range first.Then {
		ast.Walk(cond, func(x ast.Node) bool {
			if id, ok := x.(*ast.Name); ok && Binds(st, id.Ident) {
				kept = false
			}
			return kept
		})
		_, plain := st.(*ast.ExprStmt)
		_, bound := st.(*ast.Assign)
		kept = kept && (plain || bound)
	}
	return kept && opposite(first.Cond, cond)
}

// opposite reports whether one of two conditions is written as the negation of the other: ok and not ok, n < 4 and n >= 4.
func opposite(a, b ast.Expr) bool {
	if path, not := negated(a); path != "" {
		other, also := negated(b)
		return path == other && not != also
	}
	x, ok := a.(*ast.Compare)
	y, both := b.(*ast.Compare)
	if !ok || !both || len(x.Ops) != 1 || len(y.Ops) != 1 || Path(x.X) == "" || Path(x.X) != Path(y.X) {
		return false
	}
	inverse := map[ast.CompareOperator]ast.CompareOperator{ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
	to, known := inverse[x.Ops[0]]
	return known && to == y.Ops[0] && oneBound(x.Ys[0], y.Ys[0])
}

// negated reads a variable or field, or its negation.
func negated(e ast.Expr) (path string, not bool) {
	if u, ok := e.(*ast.UnaryOp); ok && u.Op == ast.Not {
		return Path(u.X), true
	}
	return Path(e), false
}

// oneBound reports whether two expressions are the same number or variable.
func oneBound(a, b ast.Expr) bool {
	x, ok := a.(*ast.Number)
	y, both := b.(*ast.Number)
	if ok && both {
		return x.Text == y.Text
	}
	return Path(a) != "" && Path(a) == Path(b)
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
		rest := n.Else
		if len(rest) == 1 {
			if elif, ok := rest[0].(*ast.If); ok && len(elif.Else) == 0 && opposite(n.Cond, elif.Cond) {
				rest = elif.Then // it holds whenever it is asked
			}
		}
		b, y := c.block(rest, in)
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
