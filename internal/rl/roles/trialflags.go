package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # What a flag decides
//
// Many policies act in two ways, and a parameter says in which: def act(self, obs, explore=True). What it decides shows in its branches: the one
// draws, or learns a statistic, and the other does not. So it is asked which of the two the call of a trial takes, whatever the flag is called.

// Effect is what one of two branches does, and the other does not.
type Effect uint8

// The effects that a flag may decide on.
const (
	NoEffect   Effect = iota
	DrawsThen         // something is drawn that goes into the result
	LearnsThen        // fields of the object are written
)

// Flagged is a flag on the way to the action of a trial, which the call leaves, or sets, as training does.
type Flagged struct {
	Choice *Choice
	Param  *ast.Param
	// Said is the expression by which the call sets the flag; nil where it leaves the default.
	Said   ast.Expr
	Effect Effect
	// At is what draws, or writes.
	At ast.Node
}

// Flags are the flags of a trial which its calls have as training does.
func (m *Model) Flags(t *Trial) (out []Flagged) {
	for _, c := range t.Choices {
		if c.Up == nil || c.Frame.Func == nil || c.Frame.Func.Def == nil {
			continue
		}
		for _, q := range c.Frame.Func.Def.Params.List {
			v, said := c.Param(q.Name)
			set, ok := Truth(v)
			if !ok {
				continue
			}
			if effect, at := m.flagDecides(c, q.Name, set); effect != NoEffect {
				out = append(out, Flagged{c, q, said, effect, at})
			}
		}
	}
	return out
}

// Truth is whether a value is True or False, where it is known to be one of the two.
func Truth(v *infer.Val) (set, ok bool) {
	if v == nil {
		return false, false
	}
	switch c := v.Const.(type) {
	case bool:
		return c, true
	case int64:
		return c == 1, c == 0 || c == 1
	}
	return false, false
}

// Avoids reports whether a trial calls a function with its flag the other way round.
func (m *Model) Avoids(t *Trial, of Flagged) bool {
	was, _ := of.Choice.Param(of.Param.Name)
	x, _ := Truth(was)
	return slices.ContainsFunc(t.Choices, func(c *Choice) bool {
		if c.Up == nil || c.Frame.Func == nil || c.Frame.Func.Def != of.Choice.Frame.Func.Def {
			return false
		}
		v, _ := c.Param(of.Param.Name)
		y, ok := Truth(v)
		return !ok || x != y
	})
}

// flagDecides is what the branch does that a flag leads to, and the other does not.
func (m *Model) flagDecides(c *Choice, flag string, set bool) (Effect, ast.Node) {
	var effect Effect
	var at ast.Node
	note := func(cond ast.Expr, then, other []ast.Node) {
		sense, ok := senseOf(cond, flag)
		if !ok || effect != NoEffect {
			return
		}
		if sense != set {
			if _, and := cond.(*ast.BoolOp); and {
				return // the other conditions may fail too
			}
			then, other = other, then
		}
		effect, at = m.effectOf(c, then, other)
	}
	var statements func(body []ast.Stmt)
	statements = func(body []ast.Stmt) {
		for i, st := range body {
			if x, ok := st.(*ast.If); ok {
				other := x.Else
				if len(other) == 0 && leavesFunction(x.Then) {
					other = body[i+1:]
				}
				note(x.Cond, asNodes(x.Then), asNodes(other))
			}
			if infer.IsBody(st) {
				continue
			}
			for _, b := range ast.Blocks(st) {
				statements(b)
			}
		}
	}
	statements(c.Frame.Body())
	for x := range query.In[*ast.IfExp](c.Frame) {
		note(x.Cond, []ast.Node{x.Then}, []ast.Node{x.Else})
	}
	return effect, at
}

// senseOf reports whether a condition holds where a flag is set (true), or where it is not; one of several that have to hold will do.
func senseOf(cond ast.Expr, flag string) (set, ok bool) {
	switch e := cond.(type) {
	case *ast.Name:
		return true, e.Ident == flag
	case *ast.UnaryOp:
		if e.Op == ast.Not {
			set, ok = senseOf(e.X, flag)
			_, and := e.X.(*ast.BoolOp)
			return !set, ok && !and
		}
	case *ast.Compare:
		if k, constant := e.Ys[0].(*ast.Constant); constant && len(e.Ops) == 1 && k.Kind != ast.None && (e.Ops[0] == ast.Eq || e.Ops[0] == ast.Is) {
			set, ok = senseOf(e.X, flag)
			return set == (k.Kind == ast.True), ok
		}
	case *ast.BoolOp:
		for _, x := range e.Values {
			if set, ok = senseOf(x, flag); ok && !e.Or {
				return set, true
			}
		}
	}
	return false, false
}

func leavesFunction(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch body[len(body)-1].(type) {
	case *ast.Return, *ast.Raise:
		return true
	}
	return false
}

func asNodes(body []ast.Stmt) (out []ast.Node) {
	for _, st := range body {
		out = append(out, st)
	}
	return out
}

// effectOf compares two branches, the first of which is the one that the call takes.
func (m *Model) effectOf(c *Choice, then, other []ast.Node) (Effect, ast.Node) {
	draw := m.drawIn(c, then)
	if draw != nil {
		if !mayDraw(c.Frame, other, maxChoiceDepth) || m.drawsOnlyThen(c, then, other) {
			return DrawsThen, draw
		}
		return NoEffect, nil
	}
	if w := writesField(then); w != nil && writesField(other) == nil && !mayDraw(c.Frame, then, maxChoiceDepth) {
		return LearnsThen, w
	}
	return NoEffect, nil
}

// drawIn is a call in a branch that draws, and of which the function returns something.
func (m *Model) drawIn(c *Choice, branch []ast.Node) (draw ast.Node) {
	walkBranch(branch, func(n ast.Node) {
		call, ok := n.(*ast.Call)
		if !ok || draw != nil {
			return
		}
		v := c.Frame.Val(call)
		if v != nil && m.draws(c.Frame, call, maxChoiceDepth) && reachesResult(v, c.Frame) {
			draw = call
		}
	})
	return draw
}

// reachesResult reports whether a function returns something of a value, or of one of its parts.
func reachesResult(v *infer.Val, f *infer.Frame) bool {
	if all, ok := infer.RefOf(v).(*infer.SeqRef); ok && slices.ContainsFunc(all.Elems, func(x *infer.Val) bool { return infer.Reaches(x, f.Result, drawReach) }) {
		return true
	}
	return infer.Reaches(v, f.Result, drawReach)
}

// drawReach bounds the way from what a function returns back to a draw.
const drawReach = 400

// drawingNames are names of what draws, in whatever library: of a branch that was not evaluated nothing else is known.
var drawingNames = query.Words(`sample rsample rand randn randint random uniform normal choice choices randrange rand_like randn_like multinomial bernoulli gumbel_softmax
	standard_normal noise add_noise get_noise generate act get_action select_action choose_action explore perturb dropout`)

// mayDraw reports whether a branch may draw, itself or in the functions and methods of the program that it calls.
func mayDraw(f *infer.Frame, branch []ast.Node, depth int) bool {
	found := false
	walkBranch(branch, func(n ast.Node) {
		call, ok := n.(*ast.Call)
		if !ok || found {
			return
		}
		found = drawingNames[query.CalleeName(call)]
		if def := calledByName(f, call); def != nil && !found {
			found = depth == 0 || mayDraw(f, asNodes(def.Body), depth-1)
		}
	})
	return found
}

// calledByName is the function of the module, or the method of the same class, that a call names; nil for others.
func calledByName(f *infer.Frame, call *ast.Call) *ast.FunctionDef {
	switch fun := call.Fun.(type) {
	case *ast.Name:
		if fn, ok := infer.RefOf(f.Module.Global(fun.Ident)).(*infer.FuncRef); ok {
			return fn.Def
		}
	case *ast.Attribute:
		if _, ok := fun.X.(*ast.Name); ok && f.Func != nil && f.Func.Class != nil {
			if fn, ok := infer.RefOf(f.Func.Class.Lookup(fun.Attr)).(*infer.FuncRef); ok {
				return fn.Def
			}
		}
	}
	return nil
}

// drawsOnlyThen reports whether both branches take what one call yields apart, and only the first takes a part that was drawn:
// action, _, _ = pi.sample(obs) and _, _, action = pi.sample(obs).
func (m *Model) drawsOnlyThen(c *Choice, then, other []ast.Node) bool {
	a, i := partTaken(then)
	b, j := partTaken(other)
	text := c.Frame.Module.AST
	if a == nil || b == nil || i == j || text.Source(a.Value) != text.Source(b.Value) {
		return false
	}
	all, ok := infer.RefOf(c.Frame.Val(a.Value)).(*infer.SeqRef)
	if !ok || i >= len(all.Elems) || j >= len(all.Elems) {
		return false
	}
	return isDrawn(all.Elems[i]) && !isDrawn(all.Elems[j])
}

// isDrawn reports whether a value is made of a draw.
func isDrawn(v *infer.Val) bool {
	return infer.Within(v, drawReach, func(x *infer.Val) bool { return x.IsOp("sample", "rsample", "randn", "randn_like", "normal") })
}

// partTaken is an assignment that a branch consists of, and which part of a tuple it keeps: the one that is not called `_`, Python's name for what is
// not needed.
func partTaken(branch []ast.Node) (*ast.Assign, int) {
	if len(branch) == 0 {
		return nil, 0
	}
	as, ok := branch[0].(*ast.Assign)
	if !ok || len(as.Targets) != 1 {
		return nil, 0
	}
	several, ok := as.Targets[0].(*ast.Tuple)
	if !ok {
		return nil, 0
	}
	at := -1
	for i, e := range several.Elts {
		if name, ok := e.(*ast.Name); !ok || name.Ident != "_" {
			if at >= 0 {
				return nil, 0
			}
			at = i
		}
	}
	if at < 0 {
		return nil, 0
	}
	return as, at
}

// writesField is a statement of a branch that moves a field of self: a count, a mean.
func writesField(branch []ast.Node) (at ast.Node) {
	for _, n := range branch {
		st, ok := n.(ast.Stmt)
		if !ok {
			continue
		}
		query.Targets([]ast.Stmt{st}, func(t ast.Expr, by ast.Stmt) {
			field, ok := t.(*ast.Attribute)
			if !ok || at != nil {
				return
			}
			_, moves := by.(*ast.AugAssign)
			if as, ok := by.(*ast.Assign); ok {
				moves = moves || query.Reads(as.Value, query.Path(field))
			}
			if moves && query.Path(field) != "" {
				at = by
			}
		})
		if call := callOf(st); call != nil && at == nil {
			if method, ok := call.Fun.(*ast.Attribute); ok && method.Attr == "update" && query.Path(method.X) != "" && len(call.Args) > 0 {
				at = st
			}
		}
	}
	return at
}

func callOf(st ast.Stmt) *ast.Call {
	x, ok := st.(*ast.ExprStmt)
	if !ok {
		return nil
	}
	call, _ := x.X.(*ast.Call)
	return call
}

// walkBranch visits the nodes of a branch, without the bodies of nested functions.
func walkBranch(branch []ast.Node, visit func(ast.Node)) {
	for _, top := range branch {
		ast.Walk(top, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FunctionDef, *ast.Lambda, *ast.ClassDef:
				return false
			}
			visit(n)
			return true
		})
	}
}
