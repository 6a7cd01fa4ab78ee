package query

import (
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # How often a run comes to a place
//
// That is the product of the rounds of the loops around it, through the calls that lead there; a condition that holds every so many
// rounds divides it.

// Nest is the one way by which a run comes to a place.
type Nest struct {
	At    []Place // the place in each body on the way, outermost first; the last is the place itself
	Loops []Loop  // around it, outermost first
}

// NestOf is the way to a place; ok is false where there are several.
func (g *Graph) NestOf(at Place) (n Nest, ok bool) {
	for range maxSteps {
		if !at.Known() {
			return n, false
		}
		n.At = append([]Place{at}, n.At...)
		n.Loops = append(Around(at), n.Loops...)
		var up Place
		for site := range at.Frame.Sites {
			if up.Known() && up.Node != site.Node {
				return n, false
			}
			up = Place{site.Caller, site.Node}
		}
		if !up.Known() {
			return n, true
		}
		at = up
	}
	return n, false
}

// Shared is how many of the outermost loops two nests have in common.
func (n Nest) Shared(o Nest) int {
	i := 0
	for i < len(n.Loops) && i < len(o.Loops) && n.Loops[i].Stmt == o.Loops[i].Stmt {
		i++
	}
	return i
}

// counting are wrappers that go through what they are handed first, element by element.
var counting = Words("enumerate tqdm list tuple reversed sorted iter track progress shuffle cycle zip")

// Product is how often a loop runs each time that it is entered, as far as the program says; else the loop itself is the factor.
func (g *Graph) Product(l Loop) Product {
	out := Product{}
	switch st := l.Stmt.(type) {
	case *ast.For:
		out = g.through(l, st.Iter, productDepth)
	case *ast.While:
		out = g.until(l, st)
	}
	if n, known := out.Number(); !out.Known || known && len(out.Factors) == 0 { // range(100) names nothing
		if !known {
			n = math.NaN()
		}
		return single(l.Stmt, n, Place{l.Frame, l.Stmt})
	}
	return out
}

// through is how many elements a loop goes through.
func (g *Graph) through(l Loop, e ast.Expr, depth int) Product {
	f := l.Frame
	call, ok := e.(*ast.Call)
	if !ok || depth == 0 {
		if x := g.See(f.Val(e)); x.Known() {
			if call, ok := x.Node.(*ast.Call); ok && depth > 0 && x.Frame != nil && x.Node != ast.Node(e) {
				return g.through(Loop{x.Frame, l.Stmt}, call, depth-1)
			}
			return x.Length()
		}
		return Product{}
	}
	name := CalleeName(call)
	method, _ := call.Fun.(*ast.Attribute)
	switch {
	case name == "range" || name == "trange":
		return g.ranged(f, call)
	case counting[name] && len(call.Args) > 0:
		return g.through(l, call.Args[0], depth-1)
	case name == "islice" && len(call.Args) == 2:
		return g.ProductOf(f, call.Args[1])
	case name == "chunk" || name == "split" || name == "array_split" || name == "tensor_split":
		args, of := call.Args, ast.Expr(nil)
		if method != nil && !isLibrary(f, method.X) {
			of = method.X
		} else if len(args) > 0 {
			of, args = args[0], args[1:]
		}
		if of == nil || len(args) == 0 {
			return Product{}
		}
		if n := g.ProductOf(f, args[0]); name != "split" || isNumpy(f, method) {
			return n
		} else if p := g.See(f.Val(of)).Length().Over(n); p.Known {
			return p
		}
		return Product{}
	}
	if v := f.Val(call); v != nil && v.Op != infer.OpCall {
		return g.See(v).Length()
	}
	return Product{}
}

func isLibrary(f *infer.Frame, e ast.Expr) bool {
	_, is := infer.RefOf(f.Val(e)).(*infer.LibRef)
	return is
}

func isNumpy(f *infer.Frame, method *ast.Attribute) bool {
	if method == nil {
		return false
	}
	r, ok := infer.RefOf(f.Val(method.X)).(*infer.LibRef)
	return ok && r.Name == "numpy"
}

func (g *Graph) ranged(f *infer.Frame, call *ast.Call) Product {
	switch len(call.Args) {
	case 1:
		return g.ProductOf(f, call.Args[0])
	case 2:
		return g.ProductOf(f, call.Args[1])
	case 3:
		return g.ProductOf(f, call.Args[1]).Over(g.ProductOf(f, call.Args[2]))
	}
	return Product{}
}

// until is how often while count < total runs, where each round moves the count by what is known.
func (g *Graph) until(l Loop, st *ast.While) Product {
	for _, c := range conjuncts(st.Cond) {
		cmp, ok := c.(*ast.Compare)
		if !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.Lt && cmp.Ops[0] != ast.LtE {
			continue
		}
		total := g.ProductOf(l.Frame, cmp.Ys[0])
		by, at, ok := g.movedBy(l.Frame, cmp.X)
		if !ok || !total.Known || len(total.Factors) == 0 {
			continue
		}
		nest, ok := g.NestOf(at)
		i := slices.IndexFunc(nest.Loops, func(x Loop) bool { return x.Stmt == l.Stmt })
		if !ok || i < 0 {
			continue
		}
		for _, inner := range nest.Loops[i+1:] {
			by = by.Times(g.Product(inner))
		}
		if p := total.Over(by); p.Known {
			return p
		}
	}
	return Product{}
}

// movedBy is by what the one statement moves a counter that moves it, and where that stands.
func (g *Graph) movedBy(f *infer.Frame, counter ast.Expr) (by Product, at Place, ok bool) {
	all, ok := g.moves(f, counter)
	if !ok {
		return by, at, false
	}
	for _, m := range all {
		if m.sets {
			continue
		}
		if at.Known() {
			return by, at, false
		}
		at = Place{m.frame, m.st}
		switch st := m.st.(type) {
		case *ast.AugAssign:
			if st.Op == ast.Add {
				by = g.step(m.frame, st.Value)
			}
		case *ast.Assign:
			if b, is := st.Value.(*ast.BinOp); is && b.Op == ast.Add {
				by = g.step(m.frame, b.Y)
			}
		}
	}
	return by, at, at.Known() && by.Known
}

// step is by what a counter is moved: a number or a setting. What is added of the data, as a reward, counts nothing.
func (g *Graph) step(f *infer.Frame, e ast.Expr) Product {
	p := g.ProductOf(f, e)
	if _, ok := p.Number(); !ok && (len(p.Factors) != 1 || !isSetting(f.Val(e))) {
		return Product{}
	}
	return p
}

func isSetting(v *infer.Val) bool {
	return v != nil && (v.Op == infer.OpConfig || v.Op == infer.OpParam)
}

// Often is how often a run comes to a place within its nest, from a loop on; not known where a condition decides of which the
// period is not known.
func (g *Graph) Often(n Nest, from int) Product {
	out := One()
	for _, l := range n.Loops[min(from, len(n.Loops)):] {
		out = out.Times(g.Product(l))
	}
	for _, at := range n.At {
		for _, st := range conditions(at) {
			out = out.Over(g.every(n, at.Frame, st))
		}
	}
	return out
}

// condition is an if around a place, or one before it that goes on to the next round.
type condition struct {
	cond ast.Expr
	not  bool // the place is reached where it does not hold
}

// conditions are what decides within a body whether a place is reached.
func conditions(at Place) (out []condition) {
	for body, st := range statementsAround(at) {
		for _, before := range body {
			if before == st {
				break
			}
			if c, ok := before.(*ast.If); ok && len(c.Else) == 0 && goesOn(c.Then) {
				out = append(out, condition{c.Cond, true})
			}
		}
		if b, ok := branchOf(st, at.Node); ok {
			out = append(out, condition{b.If.Cond, !b.Then})
		}
	}
	return out
}

// ConditionsOf are the values of the conditions that decide within a body whether a place is reached.
func ConditionsOf(at Place) (out []*infer.Val) {
	for _, c := range conditions(at) {
		if v := at.Frame.Val(c.cond); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// goesOn reports whether statements end in going on to the next round.
func goesOn(body []ast.Stmt) bool {
	switch lastOf(body).(type) {
	case *ast.Continue, *ast.Return:
		return true
	}
	return false
}

// every is in how many rounds a condition holds once; One where it does not depend on rounds.
func (g *Graph) every(n Nest, f *infer.Frame, c condition) Product {
	parts := []ast.Expr{c.cond}
	if b, ok := c.cond.(*ast.BoolOp); ok {
		parts = b.Values
	}
	out := One()
	for _, e := range parts {
		switch d, due := g.dueOf(f, e); {
		case due && d.Otherwise == c.not:
			return g.ProductOf(f, modulus(d.Test))
		case !due && !g.isSwitch(n, f, e):
			if p := g.lastOf(n, f, e); p.Known && !c.not {
				return p
			}
			out = Product{}
		case due:
			out = Product{}
		}
	}
	return out
}

// modulus is what the remainder in a test is taken by.
func modulus(test ast.Expr) ast.Expr {
	var out ast.Expr
	ast.Walk(test, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinOp); ok && b.Op == ast.Mod && out == nil {
			out = b.Y
		}
		return out == nil
	})
	return out
}

// lastOf is how many rounds a loop has of which a condition picks one, as i == n - 1.
func (g *Graph) lastOf(n Nest, f *infer.Frame, e ast.Expr) Product {
	cmp, ok := e.(*ast.Compare)
	if !ok || len(cmp.Ops) != 1 || cmp.Ops[0] != ast.Eq {
		return Product{}
	}
	for _, l := range n.Loops {
		if l.Frame == f && countsRounds(l, cmp.X) {
			return g.Product(l)
		}
	}
	return Product{}
}

// isSwitch reports whether a condition is the same in all rounds: what it reads is bound outside of the loops of a nest.
func (g *Graph) isSwitch(n Nest, f *infer.Frame, e ast.Expr) bool {
	same := true
	ast.Walk(e, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.Call:
			same = same && constantCalls[CalleeName(x)]
		case *ast.Name:
			for _, l := range n.Loops {
				same = same && (l.Frame != f || !Binds(l.Stmt, x.Ident))
			}
			Targets(f.Body(), func(t ast.Expr, st ast.Stmt) {
				same = same && (f.Func == nil || Path(t) != x.Ident)
			})
		case *ast.Attribute:
			same = same && !g.changes(x)
		}
		return same
	})
	return same
}

// constantCalls ask what an object is.
var constantCalls = Words("isinstance hasattr callable getattr")

// changes reports whether a field of this name is set anywhere but where objects are made.
func (g *Graph) changes(field *ast.Attribute) bool {
	for _, set := range g.fieldSetters()[field.Attr] {
		if set.frame.Func != nil && set.frame.Func.Name() != "__init__" {
			return true
		}
	}
	for _, st := range Everywhere[*ast.AugAssign](g) {
		if sameField(st.Target, field) {
			return true
		}
	}
	return false
}

// countsRounds reports whether a variable numbers the rounds of a loop: of range(n), or the first of enumerate.
func countsRounds(l Loop, e ast.Expr) bool {
	name, ok := e.(*ast.Name)
	st, isFor := l.Stmt.(*ast.For)
	if !ok || !isFor {
		return false
	}
	iter := untracked(st.Iter)
	target := st.Target
	switch CalleeName(iter) {
	case "range", "trange":
	case "enumerate":
		pair, ok := target.(*ast.Tuple)
		if !ok || len(pair.Elts) == 0 {
			return false
		}
		target = pair.Elts[0]
	default:
		return false
	}
	t, ok := target.(*ast.Name)
	return ok && t.Ident == name.Ident
}

// untracked is what a loop goes through behind what only shows its progress: tqdm(range(n)).
func untracked(iter ast.Expr) ast.Expr {
	for {
		call, ok := iter.(*ast.Call)
		if name := CalleeName(iter); !ok || name != "tqdm" && name != "track" || len(call.Args) == 0 {
			return iter
		}
		iter = call.Args[0]
	}
}
