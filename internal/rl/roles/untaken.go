package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Which action was taken
//
// What is learnt from a step is the action that the environment got. An action is drawn, and each draw is another one, so the draw that the
// environment got has to be the one that is stored:
//
//	env.step(act(state)); store(state, act(state), reward)                  drawn twice
//	taken = action + noise(); env.step(taken); store(state, action, reward) drawn for the environment alone
//	env.step(action if greedy else env.action_space.sample()); store(state, action, reward)
//
// A value is followed within one body, from variable to variable, to the calls that drew it. What was drawn and then kept under a name which
// anything but the step reads is perhaps stored elsewhere.

// Untaken is an action that is stored with what came of another one.
type Untaken struct {
	// Stored is the action that is stored, At what stores it.
	Stored, At query.Place
	// Step is the environment's step, Draw what drew the action that it got.
	Step, Draw query.Place
	// Again says that the stored action was drawn by a second call of what drew the other.
	Again bool
}

// maxSteps bounds the steps of a body that is looked at: each is compared with the others and with all that the body stores.
const maxSteps = 8

// Untaken returns the actions that are stored with what came of others.
func (m *Model) Untaken() (out []Untaken) {
	steps, resets := m.EnvCalls()
	answers := map[ast.Node]bool{}
	for _, c := range append(slices.Clone(steps), resets...) {
		answers[c.Node] = true
	}
	bodies := map[*infer.Frame]*actionFlow{}
	seen := map[ast.Node]bool{}
	many := map[*infer.Frame]int{}
	for _, c := range steps {
		many[c.Frame]++
	}
	for _, c := range steps {
		if many[c.Frame] > maxSteps || !c.Unpacked || len(c.Into) < 3 || query.Path(c.Into[1]) == "" || query.Path(c.Into[1]) == "_" || len(c.Node.Args) == 0 || seen[c.Node] {
			continue
		}
		seen[c.Node] = true
		x := bodies[c.Frame]
		if x == nil {
			x = &actionFlow{m: m, f: c.Frame, bound: bindings(c.Frame.Body()), answers: answers}
			bodies[c.Frame] = x
		}
		if u, ok := x.untaken(c, steps); ok {
			out = append(out, u)
		}
	}
	return out
}

// actionFlow follows values within one body.
type actionFlow struct {
	m     *Model
	f     *infer.Frame
	bound map[string][]boundBy
	// answers are the calls of environments.
	answers map[ast.Node]bool
}

// drawnBy is a call that draws, and the variables by which its result goes on.
type drawnBy struct {
	call *ast.Call
	via  []string
	by   []ast.Stmt // what binds them
}

// origins are the draws that an expression is made of, and the variables that it may be as they are.
type origins struct {
	draws []drawnBy
	asIs  []string
}

// maxFlow bounds the expressions on the way back to a draw.
const maxFlow = 60

// originsOf follows an expression back.
func (x *actionFlow) originsOf(e ast.Expr) (out origins) {
	seen := map[string]bool{}
	room := maxFlow
	var follow func(e ast.Expr, via []string, by []ast.Stmt, asIs bool)
	follow = func(e ast.Expr, via []string, by []ast.Stmt, asIs bool) {
		if room--; room < 0 || e == nil {
			return
		}
		if path := query.Path(e); path != "" {
			if asIs && !slices.Contains(out.asIs, path) {
				out.asIs = append(out.asIs, path)
			}
			if seen[path] {
				return
			}
			seen[path] = true
			via := append(slices.Clone(via), path)
			for _, d := range x.bound[path] {
				by := append(slices.Clone(by), d.by)
				switch st := d.by.(type) {
				case *ast.Assign:
					if value := query.AssignedTo(d.target, st); value != nil {
						follow(value, via, by, asIs)
					} else {
						follow(st.Value, via, by, false)
					}
				case *ast.AugAssign:
					follow(st.Value, via, by, false)
				case *ast.AnnAssign:
					follow(st.Value, via, by, asIs)
				}
			}
			return
		}
		switch e := e.(type) {
		case *ast.Call:
			if x.answers[e] {
				return // what the environment answers is of the action, and not the action
			}
			if x.m.draws(x.f, e, maxBound) {
				out.draws = append(out.draws, drawnBy{e, via, by})
				return
			}
			at, method := e.Fun.(*ast.Attribute)
			keeps := keepsAction[query.CalleeName(e)]
			if method {
				follow(at.X, via, by, asIs && (len(e.Args) == 0 || keeps))
			}
			for i, a := range e.Args {
				follow(a, via, by, asIs && keeps && i == 0)
			}
			for _, k := range e.Keywords {
				follow(k.Value, via, by, false)
			}
		case *ast.BinOp:
			same := asIs && (e.Op == ast.Add || e.Op == ast.Sub)
			follow(e.X, via, by, same)
			follow(e.Y, via, by, same)
		case *ast.IfExp:
			follow(e.Then, via, by, asIs)
			follow(e.Else, via, by, asIs)
		case *ast.Subscript:
			follow(e.X, via, by, asIs)
		case *ast.UnaryOp:
			follow(e.X, via, by, false)
		case *ast.Starred:
			follow(e.X, via, by, false)
		case *ast.Comp:
			follow(e.Elt, via, by, false)
			for _, c := range e.Clauses {
				follow(c.Iter, via, by, false)
			}
		case *ast.List:
			for _, elt := range e.Elts {
				follow(elt, via, by, false)
			}
		case *ast.Tuple:
			for _, elt := range e.Elts {
				follow(elt, via, by, false)
			}
		}
	}
	follow(e, nil, nil, true)
	return out
}

// keepsAction are functions of libraries that yield their first argument in another form, or within bounds.
var keepsAction = query.Words("clip clamp item numpy cpu detach tolist int float array asarray tensor squeeze flatten to")

// draws reports whether a call yields another value each time, for what it draws: a function of a library does so by name, one of the program where
// it calls such a one as it is called here.
func (m *Model) draws(f *infer.Frame, call *ast.Call, depth int) bool {
	if own := m.answering()[callAt{f, call}]; len(own) > 0 {
		return depth > 0 && slices.ContainsFunc(own, func(g *infer.Frame) bool {
			for inner := range query.In[*ast.Call](g) {
				if g.Val(inner) != nil && m.draws(g, inner, depth-1) {
					return true
				}
			}
			return false
		})
	}
	if _, ok := infer.RefOf(f.Val(call.Fun)).(*infer.FuncRef); ok {
		return false
	}
	if query.DrawsGlobal(f, call) {
		return true
	}
	switch query.CalleeName(call) {
	case "sample", "rsample": // of a distribution, or of the space of actions
		_, method := call.Fun.(*ast.Attribute)
		return method && len(call.Args) <= 1
	}
	v := f.Val(call)
	return v != nil && v.Fn != nil && v.IsOp("multinomial", "randn", "rand", "randint", "randn_like", "rand_like", "normal", "bernoulli")
}

// callAt is a call in one evaluation of the body in which it stands.
type callAt struct {
	in   *infer.Frame
	call ast.Node
}

// answering are the evaluations that answer each call.
func (m *Model) answering() map[callAt][]*infer.Frame {
	return m.answered.get(func() map[callAt][]*infer.Frame {
		out := map[callAt][]*infer.Frame{}
		note := func(at callAt, g *infer.Frame) {
			if !slices.Contains(out[at], g) {
				out[at] = append(out[at], g)
			}
		}
		for g := range m.g.EachFrame {
			if g.Caller != nil && g.Call != nil && g.Call.Node != nil {
				note(callAt{g.Caller, g.Call.Node}, g)
			}
			for site := range g.Sites {
				note(callAt{site.Caller, site.Node}, g)
			}
		}
		return out
	})
}

// untaken looks for what is stored with the reward of a step beside another action than it got.
func (x *actionFlow) untaken(c EnvCall, steps []EnvCall) (Untaken, bool) {
	got := x.originsOf(c.Node.Args[0])
	asIs := slices.Clone(got.asIs)
	after := c.Stmt.Span().End
	for _, o := range steps {
		if end, beside := x.beside(c, o); beside {
			other := x.originsOf(o.Node.Args[0])
			asIs, after = append(asIs, other.asIs...), max(after, end)
		}
	}
	for _, d := range got.draws {
		if !x.alone(d, c) {
			continue
		}
		for _, s := range x.storedWith(c, after) {
			if again, ok := x.isOther(s.action, d, got, asIs); ok {
				return Untaken{
					Stored: query.Place{Frame: x.f, Node: s.action}, At: query.Place{Frame: x.f, Node: s.by},
					Step: c.Place(), Draw: query.Place{Frame: x.f, Node: d.call}, Again: again,
				}, true
			}
		}
	}
	return Untaken{}, false
}

// beside reports whether another step stands in the other branch of a condition, with the same result; end is where the condition ends.
func (x *actionFlow) beside(c, o EnvCall) (end uint32, ok bool) {
	if o.Frame != x.f || o.Node == c.Node || !o.Unpacked || len(o.Into) != len(c.Into) || len(o.Node.Args) == 0 || query.Path(o.Into[1]) != query.Path(c.Into[1]) {
		return 0, false
	}
	for _, n := range x.f.Nodes() {
		st, is := n.(*ast.If)
		if is && (covers(st.Then, c.Node) && covers(st.Else, o.Node) || covers(st.Else, c.Node) && covers(st.Then, o.Node)) {
			return st.Span().End, true
		}
	}
	return 0, false
}

// alone reports whether nothing but a step reads what a draw yields, by the variables on the way: loggers aside.
func (x *actionFlow) alone(d drawnBy, c EnvCall) bool {
	var free []ast.Span
	free = append(free, c.Stmt.Span(), c.Node.Span())
	for _, st := range d.by {
		free = append(free, st.Span())
	}
	for _, n := range x.f.Nodes() {
		if call, ok := n.(*ast.Call); ok && query.Loggers[query.CalleeName(call)] {
			free = append(free, call.Span())
		}
	}
	for _, via := range d.via {
		for _, b := range x.bound[via] { // what else the variable takes reads nothing of it
			ends := b.target.Span()
			free = append(free, ends)
		}
	}
	reads := false
	for _, st := range x.f.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok || reads {
				return !reads
			}
			path := query.Path(e)
			if path == "" || !slices.Contains(d.via, path) {
				return true
			}
			reads = !slices.ContainsFunc(free, func(s ast.Span) bool { return s.Covers(n.Span()) })
			return false
		})
	}
	return !reads
}

// storedAction is an action beside a reward, and what puts them together.
type storedAction struct {
	action ast.Expr
	by     ast.Node
}

// storedWith are the expressions that are put together with the reward of a step behind it: in one call or display, in one update of a table, or
// in lists that are appended to.
func (x *actionFlow) storedWith(c EnvCall, after uint32) (out []storedAction) {
	reward := query.Path(c.Into[1])
	var appended []storedAction
	rewardKept := false
	for _, n := range x.f.Nodes() {
		if n.Span().Start < after || !x.sameLoop(c.Node, n) {
			continue
		}
		switch n := n.(type) {
		case *ast.Assign:
			if len(n.Targets) == 1 && x.tells(n.Value, reward, 2) {
				out = append(out, indices(n.Targets[0], n)...)
			}
			continue
		case *ast.AugAssign:
			if x.tells(n.Value, reward, 2) {
				out = append(out, indices(n.Target, n)...)
			}
			continue
		case *ast.Call:
			if query.CalleeName(n) == "append" && len(n.Args) == 1 {
				if _, display := n.Args[0].(*ast.Tuple); !display {
					rewardKept = rewardKept || x.tells(n.Args[0], reward, 2)
					appended = append(appended, storedAction{n.Args[0], n})
					continue
				}
			}
		}
		list := query.PartsOfRow(n)
		if !slices.ContainsFunc(list, func(e ast.Expr) bool { return x.tells(e, reward, 2) }) {
			continue
		}
		for _, e := range list {
			if !x.tells(e, reward, 2) { // else it is the reward, or a row that is looked at by itself
				out = append(out, storedAction{e, n})
			}
		}
	}
	if rewardKept {
		out = append(out, appended...)
	}
	return out
}

// sameLoop reports whether two nodes stand in the same loops.
func (x *actionFlow) sameLoop(a, b ast.Node) bool {
	return slices.Equal(query.Around(query.Place{Frame: x.f, Node: a}), query.Around(query.Place{Frame: x.f, Node: b}))
}

// indices are those of a table's cell that a statement writes.
func indices(target ast.Expr, by ast.Node) (out []storedAction) {
	for {
		sub, ok := target.(*ast.Subscript)
		if !ok {
			return out
		}
		if several, is := sub.Index.(*ast.Tuple); is {
			for _, e := range several.Elts {
				out = append(out, storedAction{e, by})
			}
		} else {
			out = append(out, storedAction{sub.Index, by})
		}
		target = sub.X
	}
}

// tells reports whether an expression is made of the reward of a step.
func (x *actionFlow) tells(e ast.Expr, reward string, depth int) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		sub, ok := n.(ast.Expr)
		if !ok || found {
			return !found
		}
		path := query.Path(sub)
		if path == reward {
			found = true
		} else if path != "" && depth > 0 {
			for _, d := range x.bound[path] {
				if value := query.AssignedTo(d.target, d.by); value != nil && x.tells(value, reward, depth-1) {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// isOther reports whether a stored expression is an action that the environment did not get: drawn by a call like the one which drew what it
// got, or what that was made of before the draw.
func (x *actionFlow) isOther(e ast.Expr, d drawnBy, got origins, asIs []string) (again, ok bool) {
	of := x.originsOf(e)
	if slices.ContainsFunc(of.draws, func(o drawnBy) bool { return o.call == d.call }) {
		return false, false
	}
	for _, o := range of.draws {
		given := slices.ContainsFunc(got.draws, func(g drawnBy) bool { return g.call == o.call }) // as that of another player
		if !given && x.alike(o.call, d.call) && x.sameLoop(o.call, d.call) {
			return true, true
		}
	}
	for _, path := range of.asIs {
		if slices.Contains(asIs, path) && !slices.Contains(d.via, path) && len(x.bound[path]) > 0 {
			return false, true
		}
	}
	return false, false
}

// alike reports whether two calls are written alike, and nothing binds what they are handed between them.
func (x *actionFlow) alike(a, b *ast.Call) bool {
	text := x.f.Module.AST
	if a == b || text.Source(a.Fun) != text.Source(b.Fun) || len(a.Args) != len(b.Args) || len(a.Keywords) != len(b.Keywords) {
		return false
	}
	keys := map[string]string{}
	for _, k := range a.Keywords {
		keys[k.Name] = text.Source(k.Value)
	}
	for i := range a.Args {
		if text.Source(a.Args[i]) != text.Source(b.Args[i]) {
			return false
		}
	}
	for _, k := range b.Keywords {
		if keys[k.Name] != text.Source(k.Value) {
			return false
		}
	}
	from, to := min(a.Span().Start, b.Span().Start), max(a.Span().Start, b.Span().Start)
	rebound := false
	ast.Walk(a, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && query.Path(e) != "" {
			for _, d := range x.bound[query.Path(e)] {
				rebound = rebound || d.by.Span().Start > from && d.by.Span().End <= to
			}
		}
		return !rebound
	})
	return !rebound
}
