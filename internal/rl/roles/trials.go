package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Playing to see how good a policy is
//
// A program plays in order to learn, or in order to see how good its policy is. The difference shows in what it does with what it meets: who
// learns keeps observations, actions and rewards; who measures adds rewards up, and the rest is gone after the round.
//
//	while not done:
//	    obs, reward, done, _ = env.step(act(obs))
//	    total += reward
//
// So a trial is a loop in which no optimizer steps, in which observations and actions go nowhere but into the next action, and rewards nowhere
// but into a sum that is shown, returned or kept. What is of no use to any learner was no experience.

// Trial is a loop in which a policy plays, and its rewards are added up.
type Trial struct {
	// Step is the environment's step, Loop the widest loop around it of which that is true.
	Step EnvCall
	Loop query.Loop
	// Choices are the evaluations of functions by which the action came about, callers first. The first is the body of the trial itself.
	Choices []*Choice

	slice []ast.Stmt // what binds the action, and what it is made of
}

// Place is where the trial steps the environment.
func (t *Trial) Place() query.Place { return t.Step.Place() }

// Choice is an evaluation of a function on the way to an action, as one call asked for it.
type Choice struct {
	Frame *infer.Frame
	// Up is who calls, Call the call in its body; nil for the trial itself.
	Up   *Choice
	Call *ast.Call

	args []*infer.Val
}

// Resolve is what a value is for the call: a parameter is what was handed over, up to the trial.
func (a *Choice) Resolve(v *infer.Val) *infer.Val {
	for a.Up != nil && v != nil {
		i := slices.Index(a.Frame.Params, v)
		if i < 0 {
			break
		}
		if i >= len(a.args) || a.args[i] == nil {
			return nil
		}
		v, a = a.args[i], a.Up
	}
	if a.Up == nil && v != nil {
		if i := slices.Index(a.Frame.Params, v); i >= 0 && !handedAlike(a.Frame, i) {
			return nil
		}
	}
	return v
}

// handedAlike reports whether all calls of an evaluation hand over the same number, or the same value.
func handedAlike(f *infer.Frame, i int) bool {
	alike, first := true, true
	var one *infer.Val
	for site := range f.Sites {
		if i >= len(site.Args) || site.Args[i] == nil {
			return false
		}
		v := site.Args[i]
		if first {
			one, first = v, false
			continue
		}
		x, known := one.Float()
		y, too := v.Float()
		alike = alike && (v == one || known && too && x == y)
	}
	return alike
}

// Param is what the call handed over for a parameter, and the expression in which the call says so; nil for a default.
func (a *Choice) Param(name string) (v *infer.Val, said ast.Expr) {
	def := a.Frame.Func.Def
	i := slices.IndexFunc(def.Params.List, func(q *ast.Param) bool { return q.Name == name })
	if i < 0 || i >= len(a.Frame.Params) {
		return nil, nil
	}
	v = a.Resolve(a.Frame.Params[i])
	for _, k := range a.Call.Keywords {
		if k.Name == name {
			return v, k.Value
		}
	}
	if a.Frame.Func.Self != nil {
		i--
	}
	if i >= 0 && i < len(a.Call.Args) {
		return v, a.Call.Args[i]
	}
	return v, nil
}

const (
	// maxTrialSteps bounds the steps of a body that may be trials.
	maxTrialSteps = 8
	// maxTrialChoices and maxChoiceDepth bound the functions by which one action comes about.
	maxTrialChoices = 24
	maxChoiceDepth  = 4
)

// Trials returns the loops in which a policy plays to be measured.
func (m *Model) Trials() []*Trial { return m.trials.get(m.findTrials) }

func (m *Model) findTrials() (out []*Trial) {
	steps, resets := m.EnvCalls()
	many := map[*infer.Frame]int{}
	for _, c := range steps {
		many[c.Frame]++
	}
	for _, c := range steps {
		if many[c.Frame] > maxTrialSteps || !c.Unpacked || len(c.Into) < 4 || len(c.Node.Args) == 0 {
			continue
		}
		if t := m.trial(c, steps, resets); t != nil {
			out = append(out, t)
		}
	}
	return out
}

// trial reads the loop around a step as one that measures; nil where it may be another.
func (m *Model) trial(c EnvCall, steps, resets []EnvCall) *Trial {
	loops := query.Around(c.Place())
	for i := len(loops) - 1; i >= 0; i-- {
		l := loops[i]
		if m.Updates(l) {
			break
		}
		w := &trialWalk{f: c.Frame, loop: l, step: c, played: map[string]bool{}, sums: map[string]bool{}, calls: map[ast.Node]EnvCall{}}
		for _, o := range append(slices.Clone(steps), resets...) {
			if o.Frame == c.Frame && l.Stmt.Span().Covers(o.Node.Span()) {
				w.calls[o.Node] = o
			}
		}
		if !w.measures() {
			continue
		}
		t := &Trial{Step: c, Loop: l, slice: w.slice}
		t.Choices = m.choicesOf(t)
		return t
	}
	return nil
}

// choicesOf follows the calls in what binds the action into their functions.
func (m *Model) choicesOf(t *Trial) []*Choice {
	out := []*Choice{{Frame: t.Step.Frame}}
	depth := map[*Choice]int{}
	enter := func(up *Choice, call *ast.Call) {
		for _, g := range m.answering()[callAt{up.Frame, call}] {
			for site := range g.Sites {
				if site.Caller != up.Frame || site.Node != ast.Node(call) || len(out) >= maxTrialChoices || depth[up] >= maxChoiceDepth {
					continue
				}
				a := &Choice{Frame: g, Up: up, Call: call, args: site.Args}
				depth[a] = depth[up] + 1
				out = append(out, a)
			}
		}
	}
	within := func(n ast.Node, visit func(*ast.Call)) {
		ast.Walk(n, func(n ast.Node) bool {
			if call, ok := n.(*ast.Call); ok && call != t.Step.Node {
				visit(call)
			}
			return true
		})
	}
	for _, st := range t.slice {
		within(st, func(call *ast.Call) { enter(out[0], call) })
	}
	for _, e := range t.Step.Node.Args {
		within(e, func(call *ast.Call) { enter(out[0], call) })
	}
	for i := 1; i < len(out); i++ {
		for call := range query.In[*ast.Call](out[i].Frame) {
			enter(out[i], call)
		}
	}
	return out
}

// InTraining is the loop around a trial, in its callers too, in which an optimizer steps: the policy is measured while it learns.
func (m *Model) InTraining(t *Trial) (query.Loop, bool) {
	nest := m.Nest(t.Place())
	for _, l := range nest {
		if m.Updates(l) {
			return l, true
		}
	}
	return query.Loop{}, false
}

// IsTrial reports whether a step is that of a trial.
func (m *Model) IsTrial(c EnvCall) bool {
	return slices.ContainsFunc(m.Trials(), func(t *Trial) bool { return t.Step.Node == c.Node })
}

// EachPart visits the nodes of what binds the action in the body of the trial, and of what the step is given.
func (t *Trial) EachPart(visit func(ast.Node)) {
	each := func(n ast.Node) {
		ast.Walk(n, func(n ast.Node) bool {
			visit(n)
			return true
		})
	}
	for _, st := range t.slice {
		each(st)
	}
	for _, e := range t.Step.Node.Args {
		each(e)
	}
}

// Draws reports whether a call yields another value each time, for what it draws, in whatever function.
func (m *Model) Draws(f *infer.Frame, call *ast.Call) bool { return m.draws(f, call, maxChoiceDepth) }

// trialWalk reads the statements of a loop. Values of a round are told apart by their variables.
type trialWalk struct {
	f     *infer.Frame
	loop  query.Loop
	step  EnvCall
	calls map[ast.Node]EnvCall
	slice []ast.Stmt
	// played are variables that hold observations, actions, and what came about with them; sums those that hold rewards.
	played, sums map[string]bool
	lists        []string // that rewards are appended to
	added        bool
}

// measures reports whether the loop adds rewards up, and keeps nothing else.
func (w *trialWalk) measures() bool {
	reward := query.Path(w.step.Into[1])
	obs := query.Path(w.step.Into[0])
	if reward == "" || obs == "" || reward == "_" || strings.Contains(reward, ".") {
		return false
	}
	body := w.loop.Body()
	for _, c := range w.calls {
		switch {
		case c.Node == w.step.Node || len(c.Into) == 0:
		case query.Path(c.Into[0]) == "":
			return false
		case isStepCall(c) && (len(c.Into) != len(w.step.Into) || query.Path(c.Into[1]) != reward):
			return false // another play, of which nothing is known
		}
		if len(c.Into) > 0 {
			w.played[query.Path(c.Into[0])] = true
		} else if isStepCall(c) || c.Stmt == nil {
			return false
		}
	}
	w.sums[reward] = true
	w.findSlice(bindings(body))
	for range 4 { // what is made of what: a round or two come to rest
		before := len(w.played) + len(w.sums)
		if !w.block(body) {
			return false
		}
		if len(w.played)+len(w.sums) == before {
			break
		}
	}
	for name := range w.sums {
		if w.played[name] {
			return false
		}
	}
	return w.added && w.keepsOnlySums()
}

func isStepCall(c EnvCall) bool {
	at, ok := c.Node.Fun.(*ast.Attribute)
	return ok && at.Attr == "step"
}

// findSlice finds the statements of the loop that bind the action, and what it is made of.
func (w *trialWalk) findSlice(bound map[string][]boundBy) {
	known := map[string]bool{}
	var follow func(e ast.Node)
	follow = func(e ast.Node) {
		ast.Walk(e, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			path := ""
			if ok {
				path = query.Path(x)
			}
			if path == "" || known[path] || len(known) > maxFlow {
				return true
			}
			known[path] = true
			for _, b := range bound[path] {
				if _, loop := b.by.(*ast.For); loop || w.binds(b.by) || slices.Contains(w.slice, b.by) {
					continue
				}
				w.slice = append(w.slice, b.by)
				for _, t := range bound {
					for _, o := range t {
						if o.by == b.by {
							w.played[query.Path(o.target)] = true
						}
					}
				}
				follow(b.by)
			}
			return true
		})
	}
	for _, a := range w.step.Node.Args {
		follow(a)
	}
}

// binds reports whether a statement takes what an environment answered.
func (w *trialWalk) binds(st ast.Stmt) bool {
	for _, c := range w.calls {
		if c.Stmt == st || st.Span().Covers(c.Node.Span()) && ast.Blocks(st) == nil {
			return true
		}
	}
	return false
}

// reads says what an expression reads: of what was played, or rewards.
func (w *trialWalk) reads(n ast.Node) (played, sums bool) {
	if n == nil {
		return false, false
	}
	ast.Walk(n, func(x ast.Node) bool {
		e, ok := x.(ast.Expr)
		if !ok {
			return true
		}
		if path := query.Path(e); path != "" {
			played = played || w.played[path]
			sums = sums || w.sums[path]
		}
		return true
	})
	return played, sums
}

// block reads statements; false where something of the round goes elsewhere.
func (w *trialWalk) block(body []ast.Stmt) bool {
	for _, st := range body {
		if w.binds(st) || slices.Contains(w.slice, st) {
			continue
		}
		if !w.statement(st) {
			return false
		}
	}
	return true
}

func (w *trialWalk) statement(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.Assign:
		return w.assign(st.Targets, st.Value)
	case *ast.AnnAssign:
		return st.Value == nil || w.assign([]ast.Expr{st.Target}, st.Value)
	case *ast.AugAssign:
		played, sums := w.reads(st.Value)
		if sums && !played {
			w.sum(st.Target)
			w.added = true
			return true
		}
		return !played
	case *ast.ExprStmt:
		return w.call(st.X)
	case *ast.Return:
		played, _ := w.reads(st.X)
		return !played
	case *ast.FunctionDef, *ast.ClassDef:
		played, sums := w.reads(st)
		return !played && !sums
	case *ast.If, *ast.For, *ast.While, *ast.With, *ast.Try:
		for _, b := range ast.Blocks(st) {
			if !w.block(b) {
				return false
			}
		}
		return true
	case *ast.Match:
		return false
	}
	return true
}

// sum notes a target that holds rewards.
func (w *trialWalk) sum(t ast.Expr) {
	for {
		sub, ok := t.(*ast.Subscript)
		if !ok {
			break
		}
		t = sub.X
	}
	if path := query.Path(t); path != "" {
		w.sums[path] = true
	}
}

// assign follows an assignment: of what was played to a variable, of rewards to a sum.
func (w *trialWalk) assign(targets []ast.Expr, value ast.Expr) bool {
	if left, ok := targets[0].(*ast.Tuple); ok && len(targets) == 1 {
		if right, ok := value.(*ast.Tuple); ok && len(left.Elts) == len(right.Elts) {
			for i, t := range left.Elts {
				if !w.assign([]ast.Expr{t}, right.Elts[i]) {
					return false
				}
			}
			return true
		}
	}
	played, sums := w.reads(value)
	for _, t := range targets {
		switch _, name := t.(*ast.Name); {
		case played && !name:
			if _, several := t.(*ast.Tuple); !several {
				return false // kept in an object or an array
			}
			for _, e := range t.(*ast.Tuple).Elts {
				w.played[query.Path(e)] = true
			}
		case played:
			w.played[query.Path(t)] = true
		case sums && !name:
			return false
		case sums:
			w.sums[query.Path(t)] = true
			if op, ok := value.(*ast.BinOp); ok && op.Op == ast.Add {
				w.added = true
			}
		}
	}
	return true
}

// call reads an expression that is a statement.
func (w *trialWalk) call(e ast.Expr) bool {
	played, sums := w.reads(e)
	call, ok := e.(*ast.Call)
	switch {
	case !played && !sums:
		return true
	case !ok:
		return false
	case shows[query.CalleeName(call)] || query.Loggers[query.CalleeName(call)] || query.LoggerObject(call.Fun):
		return true
	}
	method, ok := call.Fun.(*ast.Attribute)
	if !ok || method.Attr != "append" || len(call.Args) != 1 {
		return false
	}
	list, ok := method.X.(*ast.Name)
	played, _ = w.reads(call.Args[0])
	if !ok || played {
		return false
	}
	if !slices.Contains(w.lists, list.Ident) {
		w.lists = append(w.lists, list.Ident)
	}
	w.added = true
	return true
}

var shows = query.Words("render imshow waitKey sleep draw pause update_plot")

// keepsOnlySums reports whether lists of rewards are shown or summed up, and a sum is what somebody reads.
func (w *trialWalk) keepsOnlySums() bool {
	read := false
	ok := true
	own := w.loop.Stmt.Span()
	var above []ast.Node
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		if n == nil || infer.IsBody(n) {
			return
		}
		if e, is := n.(ast.Expr); is {
			path := query.Path(e)
			if w.sums[path] && len(above) > 0 && !w.accumulates(above) {
				read = true
			}
			if slices.Contains(w.lists, path) && !w.harmless(above, own.Covers(n.Span())) {
				ok = false
			}
			if slices.Contains(w.lists, path) {
				read = true
			}
		}
		above = append(above, n)
		ast.Children(n, visit)
		above = above[:len(above)-1]
	}
	for _, st := range w.f.Body() {
		visit(st)
	}
	return read && ok
}

// accumulates reports whether what stands above a variable is the statement that adds a reward to it.
func (w *trialWalk) accumulates(above []ast.Node) bool {
	for _, n := range above {
		switch st := n.(type) {
		case *ast.AugAssign:
			return true
		case *ast.Assign:
			return w.binds(st) || !w.loop.Stmt.Span().Covers(st.Span())
		}
	}
	return false
}

// harmless reports whether a list of rewards is used as a list of results is.
func (w *trialWalk) harmless(above []ast.Node, inLoop bool) bool {
	for i := len(above) - 1; i >= 0; i-- {
		switch n := above[i].(type) {
		case *ast.Call:
			name := query.CalleeName(n)
			return sumsUp[name] || query.Loggers[name] || shows[name] || query.LoggerObject(n.Fun)
		case *ast.Attribute:
			return n.Attr == "append" || n.Attr == "mean" || n.Attr == "sum" || n.Attr == "clear"
		case *ast.BinOp, *ast.Compare, *ast.Tuple, *ast.FormattedValue, *ast.FString, *ast.Subscript, *ast.Slice, *ast.Dict, *ast.Comp, *ast.IfExp:
		default:
			return true
		}
	}
	return true
}

var sumsUp = query.Words("sum mean nanmean average median std var min max len array asarray sorted round int float str format enumerate zip percentile quantile stack range append save dump tensor")
