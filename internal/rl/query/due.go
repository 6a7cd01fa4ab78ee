package query

import (
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # What is done every so many rounds
//
// A program counts its steps, and now and then does something: if count % period == 0. A Due is such a test. How the
// counter moves is read off what binds it: a field by its name, wherever it is set; a variable in its own function.

// Due is a test of a counter against a period.
type Due struct {
	Frame   *infer.Frame
	If      *ast.If
	Test    ast.Expr // the comparison in the condition
	Counter ast.Expr // a variable or field
	Added   float64  // to the counter, as in (count + 1) % period
	// Periods are what the period may be; none where that is not known.
	Periods []float64
	Rest    float64 // what the remainder is compared with
	// Otherwise says that the body runs in all rounds in which the remainder is not Rest.
	Otherwise bool
}

// Dues are the tests of a frame's body.
func (g *Graph) Dues(f *infer.Frame) (out []Due) {
	for _, n := range f.Nodes() {
		st, ok := n.(*ast.If)
		if !ok {
			continue
		}
		for _, c := range conjuncts(st.Cond) {
			if d, ok := g.dueOf(f, c); ok {
				d.If = st
				out = append(out, d)
			}
		}
	}
	return out
}

func conjuncts(cond ast.Expr) []ast.Expr {
	if and, ok := cond.(*ast.BoolOp); ok && !and.Or {
		return and.Values
	}
	return []ast.Expr{cond}
}

// dueOf reads n % k == c, n % k != c, n % k and not n % k.
func (g *Graph) dueOf(f *infer.Frame, test ast.Expr) (Due, bool) {
	d := Due{Frame: f, Test: test}
	x, not := test, false
	if u, ok := x.(*ast.UnaryOp); ok && u.Op == ast.Not {
		x, not = u.X, true
	}
	d.Otherwise = !not
	if c, ok := x.(*ast.Compare); ok && len(c.Ops) == 1 {
		rest, known := g.See(f.Val(c.Ys[0])).Numbers()
		if !known || len(rest) != 1 || c.Ops[0] != ast.Eq && c.Ops[0] != ast.NotEq {
			return d, false
		}
		x, d.Rest, d.Otherwise = c.X, rest[0], (c.Ops[0] == ast.NotEq) != not
	}
	mod, ok := x.(*ast.BinOp)
	if !ok || mod.Op != ast.Mod {
		return d, false
	}
	d.Counter = mod.X
	if sum, ok := mod.X.(*ast.BinOp); ok && (sum.Op == ast.Add || sum.Op == ast.Sub) {
		by, known := g.See(f.Val(sum.Y)).Numbers()
		if !known || len(by) != 1 {
			return d, false
		}
		if sum.Op == ast.Sub {
			by[0] = -by[0]
		}
		d.Counter, d.Added = sum.X, by[0]
	}
	d.Periods, _ = g.See(f.Val(mod.Y)).Numbers()
	return d, Path(d.Counter) != ""
}

// Holds says whether the remainder is Rest when the counter is n; ok is false where that depends on the period.
func (d Due) Holds(n float64) (holds, ok bool) {
	n += d.Added
	if len(d.Periods) == 0 {
		return n == d.Rest, n == d.Rest || n == 1 && d.Rest == 0
	}
	for i, k := range d.Periods {
		if k <= 1 {
			return false, false
		}
		now := math.Mod(math.Mod(n, k)+k, k) == d.Rest
		if i > 0 && now != holds {
			return false, false
		}
		holds = now
	}
	return holds, true
}

// move is a statement that changes a counter: by a number, or to one.
type move struct {
	frame *infer.Frame
	st    ast.Stmt
	by    float64
	sets  bool // to by
	known bool
}

// moves are the statements of the program that change a counter. A field is found by its name in all classes.
func (g *Graph) moves(f *infer.Frame, counter ast.Expr) (out []move, ok bool) {
	frames := []*infer.Frame{f}
	switch c := counter.(type) {
	case *ast.Attribute:
		frames = slices.Collect(g.EachFrame)
	case *ast.Name:
		if !ownsName(g, f, c.Ident) {
			return nil, false
		}
	default:
		return nil, false
	}
	for _, in := range frames {
		for _, n := range in.Nodes() {
			switch n := n.(type) {
			case *ast.Assign:
				for _, t := range n.Targets {
					leaves(t, func(x ast.Expr) {
						if sameField(x, counter) {
							out = append(out, g.assigned(in, n, t, counter))
						}
					})
				}
			case *ast.AugAssign:
				if sameField(n.Target, counter) {
					by, known := g.See(in.Val(n.Value)).Numbers()
					m := move{frame: in, st: n, known: known && len(by) == 1 && n.Op == ast.Add}
					if m.known {
						m.by = by[0]
					}
					out = append(out, m)
				}
			case *ast.AnnAssign:
				if n.Value != nil && sameField(n.Target, counter) {
					out = append(out, g.setTo(in, n, n.Value))
				}
			case *ast.Call:
				if name := CalleeName(n); name == "setattr" || name == "exec" || name == "locals" || name == "globals" {
					return nil, false
				}
			case *ast.Delete, *ast.With, *ast.For, *ast.NamedExpr:
				if bindsLike(n, counter) {
					return nil, false
				}
			}
		}
	}
	return distinct(out, f), true
}

// bindsLike reports whether a statement that is no assignment binds a counter: for self.step in range(n).
func bindsLike(n ast.Node, counter ast.Expr) bool {
	if name, ok := counter.(*ast.Name); ok {
		return Binds(n, name.Ident)
	}
	found := false
	if l, ok := n.(*ast.For); ok {
		leaves(l.Target, func(x ast.Expr) { found = found || sameField(x, counter) })
	}
	return found
}

// distinct leaves one move a statement, by preference as a frame evaluates it.
func distinct(list []move, f *infer.Frame) (out []move) {
	for _, m := range list {
		i := slices.IndexFunc(out, func(o move) bool { return o.st == m.st && o.frame.Module == m.frame.Module })
		switch {
		case i < 0:
			out = append(out, m)
		case m.frame == f:
			out[i] = m
		}
	}
	return out
}

// ownsName reports whether a variable belongs to a frame's own body alone.
func ownsName(g *Graph, f *infer.Frame, name string) bool {
	if f.Func != nil {
		if f.Func.Def == nil || slices.ContainsFunc(f.Func.Def.Params.List, func(q *ast.Param) bool { return q.Name == name }) {
			return false
		}
	}
	bound, shared := false, false
	Targets(f.Body(), func(t ast.Expr, _ ast.Stmt) { bound = bound || Path(t) == name })
	for in := range g.EachFrame {
		for _, n := range in.Nodes() {
			switch n := n.(type) {
			case *ast.Global:
				shared = shared || slices.Contains(n.Names, name)
			case *ast.Nonlocal:
				shared = shared || slices.Contains(n.Names, name)
			}
		}
	}
	return bound && !shared
}

// assigned reads n = 0, n = n + 1 and a, n = 1, 0.
func (g *Graph) assigned(f *infer.Frame, st *ast.Assign, t, counter ast.Expr) move {
	value := valueFor(t, st.Value, counter)
	if b, ok := value.(*ast.BinOp); ok && sameField(b.X, counter) {
		by, known := g.See(f.Val(b.Y)).Numbers()
		switch {
		case b.Op == ast.Mod: // of itself: it stays where it is
			return move{frame: f, st: st, known: true}
		case b.Op == ast.Add && known && len(by) == 1:
			return move{frame: f, st: st, by: by[0], known: true}
		}
		return move{frame: f, st: st}
	}
	if value == nil {
		return move{frame: f, st: st}
	}
	return g.setTo(f, st, value)
}

func (g *Graph) setTo(f *infer.Frame, st ast.Stmt, value ast.Expr) move {
	to, known := g.See(f.Val(value)).Numbers()
	m := move{frame: f, st: st, sets: true, known: known && len(to) == 1}
	if m.known {
		m.by = to[0]
	}
	return m
}

// Verdict is what is known of when a Due holds.
type Verdict uint8

// The verdicts.
const (
	Sometimes Verdict = iota // or not known
	Never
	Always
	Once // and never again
)

// When says when a test holds, and where the counter that is to blame is set or moved.
func (g *Graph) When(d Due) (Verdict, Place) {
	all, ok := g.moves(d.Frame, d.Counter)
	if !ok || len(all) == 0 || slices.ContainsFunc(all, func(m move) bool { return !m.known }) {
		return Sometimes, Place{}
	}
	if v, at := g.eachRound(d, all); v != Sometimes {
		return v, at
	}
	var starts []move
	var moving []move
	for _, m := range all {
		switch {
		case m.sets:
			starts = append(starts, m)
		case m.by != 0:
			moving = append(moving, m)
		}
	}
	if len(starts) == 0 {
		return Sometimes, Place{}
	}
	at := Place{starts[0].frame, starts[0].st}
	verdict := d.verdict(starts, 0)
	switch {
	case verdict == Sometimes:
	case len(moving) == 0:
		return verdict, at
	case d.Otherwise:
	case slices.ContainsFunc(moving, func(m move) bool { return covering(d.If.Then, m.st) == nil }):
	case verdict == Never:
		return Never, Place{moving[0].frame, moving[0].st}
	case len(moving) == 1 && d.verdict(starts, moving[0].by) == Never && !slices.ContainsFunc(starts, func(m move) bool { return covering(d.If.Then, m.st) != nil }):
		return Once, Place{moving[0].frame, moving[0].st}
	}
	return Sometimes, Place{}
}

// verdict is whether a test holds for each of the numbers that a counter starts with, moved on.
func (d Due) verdict(starts []move, by float64) Verdict {
	out := Sometimes
	for i, m := range starts {
		holds, ok := d.Holds(m.by + by)
		now := Never
		if holds != d.Otherwise {
			now = Always
		}
		if !ok || i > 0 && now != out {
			return Sometimes
		}
		out = now
	}
	return out
}

// eachRound is When for a counter that is set to a number in every round before it is tested: in the body of the innermost
// loop, or of a function.
func (g *Graph) eachRound(d Due, all []move) (Verdict, Place) {
	body := d.Frame.Body()
	if loops := Around(Place{d.Frame, d.If}); len(loops) > 0 {
		body = loops[len(loops)-1].Body()
	} else if _, isName := d.Counter.(*ast.Name); d.Frame.Func == nil || !isName {
		return Sometimes, Place{}
	}
	if slices.ContainsFunc(all, func(m move) bool { return m.frame != d.Frame && !m.sets }) {
		return Sometimes, Place{}
	}
	n, at := 0.0, Place{}
	for _, st := range body {
		if st.Span().Covers(d.If.Span()) {
			break
		}
		for _, m := range all {
			switch {
			case m.frame != d.Frame || !st.Span().Covers(m.st.Span()):
			case m.st != st:
				at = Place{} // under a condition or in a loop: no more is known
			case m.sets:
				n, at = m.by, Place{m.frame, m.st}
			case at.Known():
				n += m.by
			}
		}
	}
	if !at.Known() || !slices.Contains(body, ast.Stmt(d.If)) && !g.direct(body, d.If) {
		return Sometimes, Place{}
	}
	return d.verdict([]move{{by: n}}, 0), at
}

// direct reports whether a statement of a body holds another under conditions only, in which no counter moves.
func (g *Graph) direct(body []ast.Stmt, st ast.Stmt) bool {
	outer := covering(body, st)
	if outer == nil {
		return false
	}
	moved := false
	ast.Walk(outer, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.AugAssign, *ast.For, *ast.While:
			moved = true
		}
		return !moved
	})
	return !moved
}
