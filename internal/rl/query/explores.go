package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Random actions now and then
//
// An epsilon-greedy policy draws a number, compares it with a rate, and takes a random action or the best one. Where the rate falls from
// about 1, random actions are to come first and the best ones later.

// Exploring is a branch between a random action and the best one.
type Exploring struct {
	Frame *infer.Frame
	Cond  *ast.Compare
	// Among are the conditions of which Cond is one: all of them have to hold, or, where Any says so, one.
	Among []ast.Expr
	Any   bool
	// Below says that the branch in which the random action is taken is that of a draw below the rate.
	Below bool
	Rate  ast.Expr
}

// maxExplorings bounds the branches of one body that are looked at, since the whole body is looked through for each.
const maxExplorings = 32

// Explorings are the branches of a frame's body that choose by a draw between 0 and 1, perhaps among other conditions.
func (g *Graph) Explorings(f *infer.Frame) (out []Exploring) {
	room := maxExplorings
	for _, n := range f.Nodes() {
		var cond ast.Expr
		var then ast.Node
		switch n := n.(type) {
		case *ast.If:
			cond = n.Cond
		case *ast.IfExp:
			cond, then = n.Cond, n.Then
		default:
			continue
		}
		among, any := []ast.Expr{cond}, false
		if parts, ok := cond.(*ast.BoolOp); ok {
			among, any = parts.Values, parts.Or
		}
		c, rate, less := g.drawn(f, among)
		if c == nil {
			continue
		}
		if room--; room < 0 {
			break
		}
		taken := func(x ast.Node) bool { return then != nil && then.Span().Covers(x.Span()) }
		if st, ok := n.(*ast.If); ok {
			taken = func(x ast.Node) bool { return covering(st.Then, x) != nil }
		}
		random, best := g.sides(f, n, taken)
		switch {
		case random == 1 && best == 2:
			out = append(out, Exploring{Frame: f, Cond: c, Among: among, Any: any, Below: less, Rate: rate})
		case random == 2 && best == 1:
			out = append(out, Exploring{Frame: f, Cond: c, Among: among, Any: any, Below: !less, Rate: rate})
		}
	}
	return out
}

// drawn is the one among some conditions that compares a draw with a rate; less says that it holds below the rate.
func (g *Graph) drawn(f *infer.Frame, among []ast.Expr) (c *ast.Compare, rate ast.Expr, less bool) {
	for _, part := range among {
		c, ok := part.(*ast.Compare)
		if !ok || len(c.Ops) != 1 || len(c.Ys) != 1 {
			continue
		}
		less := c.Ops[0] == ast.Lt || c.Ops[0] == ast.LtE
		if !less && c.Ops[0] != ast.Gt && c.Ops[0] != ast.GtE {
			continue
		}
		if g.isDraw(f, c.X) {
			return c, c.Ys[0], less
		}
		if g.isDraw(f, c.Ys[0]) {
			return c, c.X, !less
		}
	}
	return nil, nil, false
}

// sides says in which branch random and best actions are taken: 1 in the one, 2 elsewhere in the same round, 3 in both, 0 nowhere.
func (g *Graph) sides(f *infer.Frame, branch ast.Node, taken func(ast.Node) bool) (random, best int) {
	var round ast.Node
	if loops := Around(Place{f, branch}); len(loops) > 0 {
		round = loops[len(loops)-1].Stmt
	}
	for call := range In[*ast.Call](f) {
		if round != nil && !round.Span().Covers(call.Span()) {
			continue
		}
		side := 2
		if taken(call) {
			side = 1
		}
		switch {
		case drawsAction(f, call):
			random |= side
		case choosesBest(g, f, call):
			best |= side
		}
	}
	return random, best
}

// drawsAction reports whether a call draws an action from all there are.
func drawsAction(f *infer.Frame, call *ast.Call) bool {
	if at, ok := call.Fun.(*ast.Attribute); ok && at.Attr == "sample" {
		space, ok := at.X.(*ast.Attribute)
		return ok && (space.Attr == "action_space" || space.Attr == "single_action_space")
	}
	name := CalledSymbol(f, call)
	return slices.Contains([]string{"random.randrange", "random.randint", "random.choice", "numpy.random.randint", "numpy.random.choice", "torch.randint"}, name)
}

// choosesBest reports whether a call takes the best of what a network says.
func choosesBest(g *Graph, f *infer.Frame, call *ast.Call) bool {
	v := infer.Strip(f.Val(call))
	if v == nil || v.Fn == nil && CalleeName(call) != "argmax" && CalleeName(call) != "max" { // of a function of the program
		v = g.See(f.Val(call)).Strip().Val
	}
	if v == nil || len(v.In) == 0 || !v.IsOp("argmax", "max") && CalleeName(call) != "argmax" && CalleeName(call) != "max" {
		return false
	}
	return len(g.See(v).Input(0).YieldedBy()) > 0
}

// isDraw reports whether an expression is a number drawn between 0 and 1, perhaps before.
func (g *Graph) isDraw(f *infer.Frame, e ast.Expr) bool {
	v := infer.Strip(f.Val(e))
	for v != nil && v.IsOp("item", "float") && len(v.In) > 0 {
		v = infer.Strip(v.In[0])
	}
	if v == nil || v.Frame == nil {
		return false
	}
	call, ok := v.Node.(*ast.Call)
	if !ok {
		return false
	}
	switch CalledSymbol(v.Frame, call) {
	case "random.random", "numpy.random.rand", "numpy.random.random", "numpy.random.random_sample", "torch.rand":
		return true
	case "numpy.random.uniform", "random.uniform":
		if len(call.Args) == 0 {
			return true
		}
		low, ok := v.Frame.Val(call.Args[0]).Float()
		high, ok2 := v.Frame.Val(call.Args[min(1, len(call.Args)-1)]).Float()
		return ok && ok2 && low == 0 && high == 1
	}
	return false
}

// FallsFrom reports whether a rate begins at a number of at least so much, and is moved down from there.
func (g *Graph) FallsFrom(f *infer.Frame, rate ast.Expr, least float64) bool {
	v := f.Val(rate)
	for _, d := range g.allDecays() {
		if d.Up || slices.Min(d.Starts) < least {
			continue
		}
		switch st := d.Node.(type) {
		case *ast.Assign:
			if sameRate(g, d, f, v, rate, st.Targets[0], st.Value) {
				return true
			}
		case *ast.AugAssign:
			if sameRate(g, d, f, v, rate, st.Target, st) {
				return true
			}
		}
	}
	return false
}

// sameRate reports whether a rate is what a decay moves: the same field, or a value that it went into.
func sameRate(g *Graph, d Decay, f *infer.Frame, v *infer.Val, rate, target ast.Expr, moved ast.Node) bool {
	if at, ok := rate.(*ast.Attribute); ok {
		to, ok := target.(*ast.Attribute)
		return ok && to.Attr == at.Attr
	}
	if n, ok := rate.(*ast.Name); ok && d.Frame == f {
		to, ok := target.(*ast.Name)
		return ok && to.Ident == n.Ident
	}
	from := d.Frame.Val(moved)
	found := false
	infer.Walk(v, maxRound, func(x *infer.Val) bool {
		found = found || from != nil && infer.MadeAlike(x, from)
		return !found && (x.Op == infer.OpPhi || infer.Through(x) != nil)
	})
	return found
}

// allDecays are the decays of the program, bounded or not.
func (g *Graph) allDecays() []Decay {
	g.decays.once.Do(func() {
		for f := range g.EachFrame {
			g.decays.list = append(g.decays.list, g.Decays(f)...)
			for _, b := range g.Bounded(f) {
				g.decays.list = append(g.decays.list, b.Decay)
			}
		}
	})
	return g.decays.list
}
