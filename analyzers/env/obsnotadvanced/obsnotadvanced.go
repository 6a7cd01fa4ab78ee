// Package obsnotadvanced is rule ENV009, obs-not-advanced; rule.md says what it finds.
package obsnotadvanced

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports loops that act on the observation of the reset in every round.
var Analyzer = pass.Rule(Doc, run)

// What a loop assigns and reads is a question of Python's variables, so their names are compared; what they are called
// says nothing.
func run(p *pass.Pass) {
	steps, resets := p.Roles.EnvCalls()
	for _, step := range steps {
		loops := query.Around(step.Place())
		if len(loops) == 0 || !step.Unpacked || p.In(step.Frame) == nil {
			continue
		}
		next, ok := step.Into[0].(*ast.Name)
		if !ok || len(step.Node.Args) == 0 {
			continue
		}
		round := newRound(loops[len(loops)-1])
		if round.putsBack(step) {
			continue
		}
		for _, reset := range resets {
			if reset.Frame != step.Frame || reset.Env != step.Env || reset.Env == "" || len(reset.Into) == 0 {
				continue
			}
			obs, ok := reset.Into[0].(*ast.Name)
			if !ok || obs.Ident == next.Ident || repeated(loops, obs.Ident, next.Ident, resets) {
				continue
			}
			if at := round.acted(obs, next.Ident, step, resets); at != nil {
				report(p, step, at)
				break
			}
		}
	}
	for f, st := range query.Everywhere[*ast.For](p.Graph) {
		reportMadeBefore(p, query.Loop{Frame: f, Stmt: st}, st.Body)
	}
	for f, st := range query.Everywhere[*ast.While](p.Graph) {
		reportMadeBefore(p, query.Loop{Frame: f, Stmt: st}, st.Body)
	}
}

// repeated reports whether a loop takes several steps for one observation, as it is done with a plan or with frames that are skipped: the loop
// around it takes the next observation over behind it, and begins no episode in each of its rounds.
func repeated(loops []query.Loop, obs, next string, resets []roles.EnvCall) bool {
	inner := loops[len(loops)-1].Stmt
	if _, counted := inner.(*ast.For); !counted || len(loops) < 2 {
		return false
	}
	outer, taken := newRound(loops[len(loops)-2]), false
	for _, st := range outer.bound[obs] {
		if !outer.direct[st] {
			continue
		}
		if resetting(st, resets) {
			return false
		}
		taken = taken || st.Span().Start > inner.Span().End && query.Reads(made(st), next)
	}
	return taken
}

// round is the body of a loop that steps an environment.
type round struct {
	loop   query.Loop
	body   []ast.Stmt
	bound  map[string][]ast.Stmt // what binds a variable, or a part of it
	direct map[ast.Stmt]bool     // the statements of the body that every round runs
	inner  map[*ast.Name]bool    // the names of comprehensions' own variables
}

func newRound(l query.Loop) *round {
	r := &round{loop: l, bound: map[string][]ast.Stmt{}, direct: map[ast.Stmt]bool{}, inner: map[*ast.Name]bool{}}
	switch st := l.Stmt.(type) {
	case *ast.For:
		r.body = st.Body
	case *ast.While:
		r.body = st.Body
	}
	for _, st := range r.body {
		r.direct[st] = true
		if with, ok := st.(*ast.With); ok {
			for _, inner := range with.Body {
				r.direct[inner] = true
			}
		}
	}
	query.Targets(r.body, func(t ast.Expr, by ast.Stmt) {
		if name := base(t); name != "" {
			r.bound[name] = append(r.bound[name], by)
		}
	})
	ast.WalkStmts(r.body, func(n ast.Node) bool {
		if comp, ok := n.(*ast.Comp); ok {
			r.addInner(comp)
		}
		return true
	})
	ast.InspectStmts(r.body, func(st ast.Stmt) bool {
		if name := overwritten(st); name != "" {
			r.bound[name] = append(r.bound[name], st)
		}
		return true
	})
	return r
}

// addInner notes the names of the variables that a comprehension has for itself. What it runs over first is outside of it.
func (r *round) addInner(comp *ast.Comp) {
	own := map[string]bool{}
	for _, c := range comp.Clauses {
		ast.Walk(c.Target, func(n ast.Node) bool {
			if name, ok := n.(*ast.Name); ok {
				own[name.Ident] = true
			}
			return true
		})
	}
	ast.Walk(comp, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok && own[name.Ident] && !comp.Clauses[0].Iter.Span().Covers(name.Span()) {
			r.inner[name] = true
		}
		return true
	})
}

// overwritten is the variable whose tensor a statement fills in place: x of x.copy_(y) and np.copyto(x, y).
func overwritten(st ast.Stmt) string {
	ex, ok := st.(*ast.ExprStmt)
	if !ok {
		return ""
	}
	call, ok := ex.X.(*ast.Call)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	at, ok := call.Fun.(*ast.Attribute)
	switch {
	case !ok:
		return ""
	case at.Attr == "copy_":
		return base(at.X)
	case at.Attr == "copyto":
		return base(call.Args[0])
	}
	return ""
}

// base is the variable that a target belongs to: x of x, x[i] and x.y[j].
func base(t ast.Expr) string {
	for range 16 {
		switch n := t.(type) {
		case *ast.Name:
			return n.Ident
		case *ast.Attribute:
			t = n.X
		case *ast.Subscript:
			t = n.X
		default:
			return ""
		}
	}
	return ""
}

// stale reports whether the action of a step comes from obs, which nothing in the loop replaces but a reset now and then,
// while the next observation, which is used, does not go into it.
func (r *round) stale(obs, next string, step roles.EnvCall, resets []roles.EnvCall) bool {
	for _, st := range r.bound[obs] {
		if r.direct[st] || !resetting(st, resets) {
			return false
		}
	}
	from, calls := r.sources(step.Node.Args[0])
	if !from[obs] || from[next] || !r.reads(next) && !r.plays(step) {
		return false
	}
	kept := true
	for _, st := range r.body {
		ast.Walk(st, func(n ast.Node) bool {
			if call, ok := n.(*ast.Call); ok {
				kept = kept && !r.hands(call, obs, next, from, calls)
			}
			return kept
		})
	}
	return kept
}

// putsBack reports whether each round puts the environment into a state before the step, as one does to see many steps from one state: it
// sets a part of the environment, or calls another of its methods for what that does.
func (r *round) putsBack(step roles.EnvCall) bool {
	for _, st := range r.body {
		if st.Span().Start >= step.Node.Span().Start || step.Env == "" {
			return false
		}
		found := false
		query.Targets([]ast.Stmt{st}, func(t ast.Expr, _ ast.Stmt) { found = found || roles.SetsWithin(t, step.Env) })
		if ex, ok := st.(*ast.ExprStmt); ok {
			if call, ok := ex.X.(*ast.Call); ok {
				at, isMethod := call.Fun.(*ast.Attribute)
				found = found || roles.PutsBack(step.Frame, call, step.Env) || isMethod && query.Path(at.X) == step.Env && !interfaces[at.Attr]
			}
		}
		if found {
			return true
		}
	}
	return false
}

// interfaces are the methods of every environment, which have no other effect on its state.
var interfaces = query.Words("render close seed step reset")

// hands reports whether a call may put the next observation into something that the action comes from. An object whose method yields the action
// keeps it to act on if it is not also given the one before, as a transition to learn from is.
func (r *round) hands(call *ast.Call, obs, next string, from, calls map[string]bool) bool {
	takes, both := false, false
	for _, a := range call.Args {
		takes, both = takes || query.Reads(a, next), both || query.Reads(a, obs)
	}
	for _, k := range call.Keywords {
		takes, both = takes || query.Reads(k.Value, next), both || query.Reads(k.Value, obs)
	}
	if !takes {
		return false
	}
	switch fun := call.Fun.(type) {
	case *ast.Attribute:
		name := base(fun.X)
		return name == obs || from[name] && (!calls[name] || !both) || fun.Attr == "copyto"
	}
	return false
}

// sources are the variables that an expression is computed from in a round, and those of them that are only called, as
// the agent of agent.act(obs).
func (r *round) sources(e ast.Expr) (from, calls map[string]bool) {
	from, calls = map[string]bool{}, map[string]bool{}
	values := map[string]bool{}
	work := []ast.Node{e}
	for ; len(work) > 0; work = work[1:] {
		called := map[ast.Node]bool{}
		ast.Walk(work[0], func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Call:
				called[root(n.Fun)] = true
			case *ast.Name:
				if r.inner[n] {
					return true
				}
				if called[n] {
					calls[n.Ident] = true
				} else {
					values[n.Ident] = true
				}
				if !from[n.Ident] {
					from[n.Ident] = true
					for _, st := range r.bound[n.Ident] {
						work = append(work, made(st))
					}
				}
			}
			return true
		})
	}
	for name := range values {
		delete(calls, name)
	}
	return from, calls
}

// root is the variable at the head of what is called.
func root(e ast.Expr) ast.Expr {
	for range 16 {
		at, ok := e.(*ast.Attribute)
		if !ok {
			break
		}
		e = at.X
	}
	return e
}

// made is what a statement computes for its targets.
func made(st ast.Stmt) ast.Node {
	switch n := st.(type) {
	case *ast.Assign:
		return n.Value
	case *ast.AugAssign:
		return n.Value
	case *ast.AnnAssign:
		return n.Value
	case *ast.For:
		return n.Iter
	}
	return st
}

func resetting(st ast.Stmt, resets []roles.EnvCall) bool {
	for _, c := range resets {
		if c.Stmt == st {
			return true
		}
	}
	return false
}

func (r *round) reads(name string) bool { return name != "_" && r.count(name) > 1 }

// plays reports whether a loop that reads no next observation goes on to the end of an episode: it asks whether that came. What is dropped under
// the name _ may be the state that the program holds already, so there the environment must be a library's, which returns another array each time.
func (r *round) plays(step roles.EnvCall) bool {
	if next, ok := step.Into[0].(*ast.Name); len(step.Into) < 4 || !ok || next.Ident == "_" && !isLibrary(step) {
		return false
	}
	for _, flag := range step.Into[2 : len(step.Into)-1] {
		if name, ok := flag.(*ast.Name); ok && name.Ident != "_" && r.count(name.Ident) > 1 {
			return true
		}
	}
	return false
}

func isLibrary(step roles.EnvCall) bool {
	return step.Val != nil && step.Val.IsOp("gymnasium.Env.step", "gym.Env.step")
}

func (r *round) count(name string) int {
	n := 0
	r.each(name, func(*ast.Name) { n++ })
	return n
}

// last is the last mention of a variable that is not a target.
func (r *round) last(name string) ast.Node {
	targets := map[ast.Expr]bool{}
	query.Targets(r.body, func(t ast.Expr, _ ast.Stmt) { targets[t] = true })
	var out ast.Node
	r.each(name, func(n *ast.Name) {
		if !targets[n] {
			out = n
		}
	})
	return out
}

func (r *round) each(name string, visit func(*ast.Name)) {
	ast.WalkStmts(r.body, func(n ast.Node) bool {
		if x, ok := n.(*ast.Name); ok && x.Ident == name && !r.inner[x] {
			visit(x)
		}
		return true
	})
}

func report(p *pass.Pass, step roles.EnvCall, at ast.Node) {
	p.Report(pass.Finding{
		At: at, Frame: step.Frame, Evidence: domain.Derived,
		Related: []pass.Related{{Source: p.In(step.Frame), Node: step.Node, Message: "the next observation comes from here"}},
	})
}
