package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # What counts
//
// The variable of a loop, and what a program adds to in each round, count something. How far a Counter comes before it begins anew
// is a product of rounds.

// Counter is something that counts rounds, as one expression reads it.
type Counter struct {
	Read    Place   // where it is read in the body that binds it
	Advance Place   // the loop whose variable it is, or the statement that moves it
	Nest    Nest    // around that
	From    int     // the first loop of the nest that it counts on through
	Reaches Product // how far it comes
	Loop    bool    // it is the variable of a loop
}

// Restarts reports whether it begins anew in each round of a loop.
func (c Counter) Restarts() bool { return c.From > 0 }

// maxReads bounds the calls through which a counter is handed.
const maxReads = 6

// Counters are what an expression counts by, at each of the calls that hand it in.
func (g *Graph) Counters(f *infer.Frame, e ast.Expr) []Counter { return g.counters(f, e, maxReads) }

func (g *Graph) counters(f *infer.Frame, e ast.Expr, depth int) []Counter {
	if depth == 0 || f == nil {
		return nil
	}
	switch n := e.(type) {
	case *ast.BinOp: // step + 1, total - step
		if n.Op != ast.Add && n.Op != ast.Sub {
			return nil
		}
		for _, x := range []ast.Expr{n.X, n.Y} {
			if list := g.counters(f, x, depth-1); len(list) > 0 {
				return list
			}
		}
	case *ast.Call:
		if name := CalleeName(n); rounding[name] || name == "min" || name == "minimum" {
			for _, x := range n.Args {
				if list := g.counters(f, x, depth-1); len(list) > 0 {
					return list
				}
			}
		}
	case *ast.Name, *ast.Attribute:
		return g.countedBy(f, e, depth)
	}
	return nil
}

// countedBy is what a variable or field counts.
func (g *Graph) countedBy(f *infer.Frame, e ast.Expr, depth int) []Counter {
	at := Place{f, e}
	around := Around(at)
	for i, l := range slices.Backward(around) {
		if !countsRounds(l, e) {
			continue
		}
		nest, ok := g.NestOf(at)
		if !ok || rebound(l, e.(*ast.Name).Ident) {
			return nil
		}
		from := len(nest.Loops) - len(around) + i
		return []Counter{{Read: at, Advance: Place{f, l.Stmt}, Nest: nest, From: from, Reaches: g.farthest(l), Loop: true}}
	}
	if c, ok := g.movedCounter(at); ok {
		return []Counter{c}
	}
	name, ok := e.(*ast.Name)
	if !ok || f.Func == nil || f.Func.Def == nil {
		return nil
	}
	i := slices.IndexFunc(f.Func.Def.Params.List, func(p *ast.Param) bool { return p.Name == name.Ident })
	if i < 0 || slices.ContainsFunc(f.Body(), func(st ast.Stmt) bool { return Binds(st, name.Ident) }) {
		return nil
	}
	var out []Counter
	for site := range f.Sites {
		if arg := handedIn(f, site.Node, i); arg != nil {
			out = append(out, g.counters(site.Caller, arg, depth-1)...)
		}
	}
	return out
}

// farthest is how far the variable of a loop comes: of range(0, n, k), to n.
func (g *Graph) farthest(l Loop) Product {
	iter := untracked(l.Stmt.(*ast.For).Iter)
	if name := CalleeName(iter); name == "range" || name == "trange" {
		if call := iter.(*ast.Call); len(call.Args) == 3 {
			return g.ProductOf(l.Frame, call.Args[1])
		}
	}
	return g.Product(l)
}

// rebound reports whether the body of a loop binds the loop's variable once more.
func rebound(l Loop, name string) bool {
	return slices.ContainsFunc(l.Body(), func(st ast.Stmt) bool { return Binds(st, name) })
}

// handedIn is the expression by which a call hands in the i-th parameter of the function that it comes to; nil where that is not
// written down.
func handedIn(f *infer.Frame, n ast.Node, i int) ast.Expr {
	call, ok := n.(*ast.Call)
	if !ok {
		return nil
	}
	params := f.Func.Def.Params.List
	if arg := Keyword(call, params[i].Name); arg != nil {
		return arg
	}
	if f.Func.Self != nil {
		i--
	}
	if i < 0 || i >= len(call.Args) || HasOpenArgs(call) {
		return nil
	}
	return call.Args[i]
}

// movedCounter reads a variable or field that one statement moves.
func (g *Graph) movedCounter(at Place) (c Counter, ok bool) {
	e := at.Node.(ast.Expr)
	if !g.addsTo(LastName(e)) {
		return c, false
	}
	by, advance, ok := g.movedBy(at.Frame, e)
	if !ok {
		return c, false
	}
	nest, ok := g.NestOf(advance)
	if !ok {
		return c, false
	}
	all, _ := g.moves(at.Frame, e)
	c = Counter{Read: at, Advance: advance, Nest: nest, From: -1}
	for _, m := range all {
		if !m.sets {
			continue
		}
		from, ok := g.bornIn(nest, Place{m.frame, m.st})
		if !ok {
			return c, false
		}
		c.From = max(c.From, from)
	}
	if c.From < 0 {
		return c, false
	}
	if c.From < len(nest.Loops) || len(nest.Loops) == 0 { // else it is set to zero now and then, among the rounds that it counts
		c.Reaches = g.Often(nest, c.From).Times(by)
	}
	return c, true
}

// addsTo reports whether the program adds to some variable or field of a name, n += 1 or n = n + 1: what else it computes is no counter, and
// need not be looked for in the whole program.
func (g *Graph) addsTo(name string) bool {
	g.added.once.Do(func() {
		g.added.names = map[string]bool{}
		for f := range g.EachFrame {
			for _, n := range f.Nodes() {
				switch n := n.(type) {
				case *ast.AugAssign:
					g.added.names[LastName(n.Target)] = true
				case *ast.Assign:
					for _, t := range n.Targets {
						leaves(t, func(x ast.Expr) {
							if sum, ok := n.Value.(*ast.BinOp); ok && sum.Op == ast.Add && (sameField(sum.X, x) || sameField(sum.Y, x)) || isDisplay(n.Value) {
								g.added.names[LastName(x)] = true
							}
						})
					}
				}
			}
		}
	})
	return name != "" && g.added.names[name]
}

// isDisplay reports whether a value is a tuple, so that each target takes a part of it.
func isDisplay(e ast.Expr) bool {
	_, ok := e.(*ast.Tuple)
	return ok
}

// bornIn is how many of the loops of a nest stand around a place too; ok is false where others do, as around what is made for each of
// several agents.
func (g *Graph) bornIn(n Nest, at Place) (from int, ok bool) {
	born, ok := g.NestOf(at)
	if !ok {
		return 0, false
	}
	for _, up := range born.At {
		for range Comprehensions(up) {
			return 0, false
		}
	}
	from = n.Shared(born)
	return from, from == len(born.Loops)
}

// Stepped is a counter of the calls of step() of the object that a call makes; ok is false where not one place calls it.
func (g *Graph) Stepped(made Place) (c Counter, ok bool) {
	var at Place
	for f, call := range Everywhere[*ast.Call](g) {
		method, is := call.Fun.(*ast.Attribute)
		if !is || method.Attr != "step" {
			continue
		}
		if of := f.Val(method.X); of == nil || of.Node != made.Node {
			continue
		}
		if len(call.Args)+len(call.Keywords) > 0 || at.Known() && at.Node != ast.Node(call) {
			return c, false
		}
		at = Place{f, call}
	}
	nest, ok := g.NestOf(at)
	if !ok {
		return c, false
	}
	from, ok := g.bornIn(nest, made)
	if !ok {
		return c, false
	}
	return Counter{Read: at, Advance: at, Nest: nest, From: from, Reaches: g.Often(nest, from)}, true
}

// Within are the counters that statements of a nest's bodies move, each as it is read there.
func (g *Graph) Within(n Nest) (out []Counter) {
	for _, at := range n.At {
		for st := range In[*ast.AugAssign](at.Frame) {
			if c, ok := g.movedCounter(Place{at.Frame, st.Target}); ok && c.Reaches.Known {
				out = append(out, c)
			}
		}
	}
	return out
}
