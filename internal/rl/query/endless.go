package query

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// isEndless reports whether an episode of a task ends by a limit of time alone: what looks like a terminal state is none.
func isEndless(id string) bool {
	_, ok := EndlessAfter(id)
	return ok
}

// EndlessAfter is the limit of time, in steps, of a task that nothing else ends; ok is false for others.
func EndlessAfter(id string) (limit int64, ok bool) {
	env := library.Load().Environment(id)
	if env == nil || env.Ends != library.EndsByLimit {
		return 0, false
	}
	return env.Limit, true
}

// telling are names that stand in programs which tell a limit of time from the end of a task, or change the limit.
var telling = Words(`unwrapped _max_episode_steps max_episode_steps _elapsed_steps TimeLimit TimeLimit.truncated truncated truncateds truncation truncations
	trunc bad_transition timeout timeouts is_timeout`)

// ChangesEnds reports whether a file may change when an episode ends, or ask what ended it: by one of the names that this goes by, by an
// environment or wrapper of its own, or by taking the limit off, as gym.make(id).env does.
func ChangesEnds(m *ast.Module) (found bool) {
	ast.WalkModule(m, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			found = found || telling[n.Ident]
		case *ast.Attribute:
			call, isCall := n.X.(*ast.Call)
			found = found || telling[n.Attr] || isCall && n.Attr == "env" && envMakers[CalleeName(call)]
		case *ast.String:
			found = found || telling[n.Value]
		case *ast.Keyword:
			found = found || telling[n.Name]
		case *ast.ClassDef:
			wraps := slices.ContainsFunc(n.Bases, func(b ast.Expr) bool { return strings.HasSuffix(Path(b), "Wrapper") })
			found = found || methodOf(n.Body, "step") != nil && (wraps || methodOf(n.Body, "reset") != nil)
		}
		return !found
	})
	return found
}

// envMakers are the functions that make an environment of the name of its task.
var envMakers = Words(`make make_vec GymEnv`)

// Endless reports whether the program makes environments that never come to a terminal state, and no other: it names the
// task, which is how gym finds it.
func (g *Graph) Endless() bool {
	found := false
	for _, v := range g.Made("make", "make_vec", "GymEnv") {
		for _, in := range v.In {
			id, ok := constText(in)
			if !ok {
				continue
			}
			if !isEndless(id) {
				return false
			}
			found = true
		}
	}
	return found
}

// constText is the text that a program writes where it makes an environment: the default of a setting says little.
func constText(v *infer.Val) (string, bool) {
	if v == nil || v.Op != infer.OpConst {
		return "", false
	}
	return v.Str()
}

// Ends is what a file says of its environments: whether some never come to a terminal state, whether others may, and whether some of the
// former restart within a step, so that what the step yields belongs to the next episode.
type Ends struct{ Never, Maybe, Restarts bool }

// And is what two files say together.
func (e Ends) And(o Ends) Ends {
	return Ends{e.Never || o.Never, e.Maybe || o.Maybe, e.Restarts || o.Restarts}
}

// EndsIn reads a file that was perhaps not evaluated, as those are that import a module: the tasks that it names, and the
// environments that it defines.
func EndsIn(m *ast.Module) (out Ends) {
	ast.WalkModule(m, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			if id, ok := taskName(n); ok && isEndless(id) {
				out.Never = true
			}
			out = out.And(particlesEnd(n))
		case *ast.String:
			out.Maybe = out.Maybe || isTaskName(n.Value) && !isEndless(n.Value)
		case *ast.ClassDef:
			out = out.And(endsOf(n))
		}
		return true
	})
	return out
}

var isTaskName = regexp.MustCompile(`^[\w:./]+-v\d+$`).MatchString

// particlesEnd is what a call says of the particle environments of OpenAI and PettingZoo, if it makes one: they stop by a limit of time
// alone, unless they are given a function that says when they are done.
func particlesEnd(call *ast.Call) Ends {
	path := Path(call.Fun)
	if module, name, ok := strings.Cut(path, "."); ok && isParticleModule(module) && (name == "env" || name == "parallel_env" || name == "raw_env") {
		return Ends{Never: true}
	}
	if CalleeName(call) != "MultiAgentEnv" || len(call.Args) < 4 {
		return Ends{}
	}
	ends := len(call.Args) > 5 || slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == "" || k.Name == "done_callback" })
	return Ends{Never: !ends, Maybe: ends}
}

// isParticleModule tells a module of PettingZoo's particle environments by its name.
var isParticleModule = regexp.MustCompile(`^simple(_\w+)?_v\d+$`).MatchString

// taskName is the text by which a call makes an environment.
func taskName(call *ast.Call) (string, bool) {
	if !envMakers[CalleeName(call)] {
		return "", false
	}
	for _, a := range ast.Given(call) {
		if s, ok := a.(*ast.String); ok && isTaskName(s.Value) {
			return s.Value, true
		}
	}
	return "", false
}

// endsOf reports whether a class is an environment whose flag of the end is False, or says no more than that the time is up (Never), and
// whether it is one with another flag (Maybe). What wraps others, or passes on what they say, ends as they do. An environment without a
// method reset starts anew by itself.
func endsOf(c *ast.ClassDef) (out Ends) {
	step, reset := methodOf(c.Body, "step"), methodOf(c.Body, "reset")
	if step == nil || step.Params == nil || len(step.Params.List) < 2 {
		return Ends{}
	}
	for _, b := range c.Bases {
		if path := Path(b); strings.HasSuffix(path, "Wrapper") {
			return Ends{}
		}
	}
	if passesOn(c) {
		return Ends{}
	}
	k, shaped := clock{c.Body, step.Body, step.Body}, true
	ast.WalkStmts(step.Body, func(n ast.Node) bool {
		r, ok := n.(*ast.Return)
		if ok && r.X != nil {
			t, isTuple := boundTo(r.X, step.Body).(*ast.Tuple)
			stays := isTuple && len(t.Elts) > 2 && len(t.Elts) < 6 && k.isLate(t.Elts[2], maxFlag)
			out.Never, out.Maybe = out.Never || stays, out.Maybe || !stays
			shaped = shaped && isTuple && (len(t.Elts) == 4 || len(t.Elts) == 5)
		}
		return !infer.IsBody(n)
	})
	if reset == nil && !shaped {
		return Ends{} // a method of something else that is called so
	}
	out.Never = out.Never && !out.Maybe
	out.Restarts = out.Never && k.restarts()
	return out
}

// passesOn reports whether a class hands on what environments of others say: it receives it from processes, or takes apart what their steps
// return. When these end is said where they are made.
func passesOn(c *ast.ClassDef) (found bool) {
	isOfOther := func(e ast.Expr, method string) bool {
		call, ok := e.(*ast.Call)
		if !ok {
			return false
		}
		at, ok := call.Fun.(*ast.Attribute)
		return ok && at.Attr == method && Path(at.X) != "self"
	}
	ast.WalkStmts(c.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			found = found || len(n.Args) == 0 && isOfOther(n, "recv")
		case *ast.Assign:
			t, ok := n.Targets[0].(*ast.Tuple)
			found = found || ok && len(t.Elts) >= 4 && isOfOther(n.Value, "step")
		}
		return !found
	})
	return found
}

// boundTo is the expression to which alone some statements bind a variable; that itself where e is none.
func boundTo(e ast.Expr, within []ast.Stmt) ast.Expr {
	name, ok := e.(*ast.Name)
	if !ok {
		return e
	}
	var values []ast.Expr
	Targets(within, func(t ast.Expr, by ast.Stmt) {
		if Path(t) == name.Ident {
			values = append(values, AssignedTo(t, by))
		}
	})
	if len(values) == 1 && values[0] != nil {
		return values[0]
	}
	return e
}

// methodOf is the method of a class that is called so; nil where there is none.
func methodOf(class []ast.Stmt, name string) *ast.FunctionDef {
	for _, st := range class {
		if def, ok := st.(*ast.FunctionDef); ok && def.Name == name {
			return def
		}
	}
	return nil
}

// AssignedTo is the expression that a statement assigns to a target alone, or to one of a tuple; nil where that is not seen.
func AssignedTo(t ast.Expr, by ast.Stmt) (value ast.Expr) {
	as, ok := by.(*ast.Assign)
	if !ok {
		return nil
	}
	if slices.Contains(as.Targets, t) {
		return as.Value
	}
	values, ok := as.Value.(*ast.Tuple)
	if targets, both := as.Targets[0].(*ast.Tuple); ok && both && len(as.Targets) == 1 && len(targets.Elts) == len(values.Elts) {
		if i := slices.Index(targets.Elts, t); i >= 0 {
			return values.Elts[i]
		}
	}
	return nil
}
