package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// EnvCall is a call of step or reset of an environment, and what becomes of its result.
type EnvCall struct {
	// Val is the result; nil where inference did not come to the call.
	Val   *infer.Val
	Frame *infer.Frame
	Node  *ast.Call
	// Env is the environment as the program spells it: "env", "self.env"; "" for other expressions.
	Env string
	// Stmt is the statement that assigns or drops the result as a whole, or nil.
	Stmt ast.Stmt
	// Into is what the result is unpacked into, or the one target that takes it whole.
	Into []ast.Expr
	// Unpacked says that Into are the elements, none of them starred.
	Unpacked bool
}

// Place is where the call stands.
func (c EnvCall) Place() query.Place { return query.Place{Frame: c.Frame, Node: c.Node} }

// IsEnv reports whether a call of step is that of an environment for sure: it is known to be
// one, or is unpacked into observation, reward and the end of the episode.
func (c EnvCall) IsEnv() bool {
	return c.Unpacked && len(c.Into) >= 3 || c.Val != nil && c.Val.IsOp("gymnasium.Env.step", "gym.Env.step")
}

// EnvCalls returns the calls of step and reset of environments, in source order: those of
// step that are an environment's for sure, and those of reset on what the program steps.
func (m *Model) EnvCalls() (steps, resets []EnvCall) {
	all := m.envs.get(m.findEnvCalls)
	return all.steps, all.resets
}

type envCalls struct{ steps, resets []EnvCall }

func (m *Model) findEnvCalls() (out envCalls) {
	stepped := map[string]bool{}
	var resets []EnvCall
	stmts := map[*infer.Frame]map[ast.Node]ast.Stmt{}
	for f, call := range query.Everywhere[*ast.Call](m.g) {
		at, ok := call.Fun.(*ast.Attribute)
		if !ok || at.Attr != "step" && at.Attr != "reset" {
			continue
		}
		if stmts[f] == nil {
			stmts[f] = takers(f)
		}
		c := envCall(f, call, at, stmts[f])
		switch {
		case at.Attr == "reset":
			resets = append(resets, c)
		case len(call.Args)+len(call.Keywords) > 0 && c.IsEnv():
			out.steps = append(out.steps, c)
			stepped[c.Env] = c.Env != ""
		}
	}
	for _, c := range resets {
		if stepped[c.Env] || c.Val != nil && c.Val.IsOp("gymnasium.Env.reset", "gym.Env.reset") {
			out.resets = append(out.resets, c)
		}
	}
	return out
}

// envCall reads a call of a method, with what takes its result.
func envCall(f *infer.Frame, call *ast.Call, at *ast.Attribute, taking map[ast.Node]ast.Stmt) EnvCall {
	c := EnvCall{Val: f.Val(call), Frame: f, Node: call, Env: query.Path(at.X), Stmt: taking[call]}
	as, ok := c.Stmt.(*ast.Assign)
	if !ok || len(as.Targets) != 1 {
		return c
	}
	if later, ok := takenLater(f, as, taking); ok {
		as, c.Stmt = later, later
	}
	t, ok := as.Targets[0].(*ast.Tuple)
	if !ok {
		c.Into = as.Targets
		return c
	}
	c.Into, c.Unpacked = t.Elts, !inAnotherOrder(c.Val)
	for _, e := range t.Elts {
		if _, star := e.(*ast.Starred); star {
			c.Unpacked = false
		}
	}
	return c
}

// inAnotherOrder reports whether a step of the program's own yields its flag behind two other things than an observation and a
// reward, as `obs, state, reward, done` of several agents: what a position holds is not known then.
func inAnotherOrder(step *infer.Val) bool {
	if step == nil {
		return false
	}
	r, ok := step.Ref.(*infer.SeqRef)
	if !ok || r.List || len(r.Elems) < 4 {
		return false
	}
	third, fourth := r.Elems[2], r.Elems[3]
	return fourth != nil && fourth.Is(infer.Ends) && third != nil && third.Const == nil && third.Q.Kind.Known() && !third.Is(infer.Ends|domain.Other)
}

// takenLater is the statement that takes apart what another one binds a name to, if nothing else but further names reads it.
func takenLater(f *infer.Frame, as *ast.Assign, taking map[ast.Node]ast.Stmt) (later *ast.Assign, ok bool) {
	if _, named := as.Targets[0].(*ast.Name); !named {
		return nil, false
	}
	whole, apart := f.Val(as.Value), 0
	bound := map[ast.Expr]bool{}
	query.Targets(f.Body(), func(t ast.Expr, _ ast.Stmt) { bound[t] = true })
	for n := range query.In[*ast.Name](f) {
		if f.Val(n) != whole || n.Loc.Start < as.Value.Span().End || bound[n] {
			continue
		}
		switch st, _ := taking[n].(*ast.Assign); {
		case st == nil || len(st.Targets) != 1:
			return nil, false
		default:
			if _, named := st.Targets[0].(*ast.Name); !named {
				later, apart = st, apart+1
			}
		}
	}
	return later, whole != nil && apart == 1
}

// takers are the statements of a frame that take the result of a call, or the value of a name, whole, by the call or the name.
func takers(f *infer.Frame) map[ast.Node]ast.Stmt {
	out := map[ast.Node]ast.Stmt{}
	query.OwnStmts(f, func(st ast.Stmt) {
		var x ast.Expr
		switch st := st.(type) {
		case *ast.Assign:
			x = st.Value
		case *ast.ExprStmt:
			x = st.X
		case *ast.Return:
			x = st.X
		}
		switch x.(type) {
		case *ast.Call, *ast.Name:
			out[x] = st
		}
	})
	return out
}

// IsEnvClass reports whether a class of the program is an environment: it derives from one of the
// libraries', or has the two methods of that protocol.
func IsEnvClass(c *infer.ClassRef) bool {
	return c != nil && (DerivesEnv(c) || c.Lookup("step") != nil && c.Lookup("reset") != nil)
}

// InEnvClass reports whether a frame evaluates a method of an environment of the program.
func InEnvClass(f *infer.Frame) bool { return f != nil && f.Func != nil && IsEnvClass(f.Func.Class) }

// DerivesEnv reports whether a class derives from a library's environment, whose users call its
// methods.
func DerivesEnv(c *infer.ClassRef) bool { return slices.ContainsFunc(envBases, c.Derives) }

// IsEnvBase reports whether a class of a library is the base of environments, or of wrappers around them.
func IsEnvBase(name string) bool { return slices.Contains(envBases, name) }

var envBases = []string{"gymnasium.Env", "gymnasium.core.Env", "gymnasium.Wrapper", "gym.Env", "gym.core.Env", "gym.Wrapper"}

// HandsSeedUp reports whether a reset takes a seed and does nothing with it but to pass it to super().reset(): that seeds the generator of
// the environment, self.np_random, and no other.
func HandsSeedUp(def *ast.FunctionDef) bool {
	up, other := map[ast.Node]bool{}, false
	ast.WalkStmts(def.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			at, ok := n.Fun.(*ast.Attribute)
			if !ok || at.Attr != "reset" || query.CalleeName(at.X) != "super" {
				break
			}
			for _, k := range n.Keywords {
				up[k.Value] = k.Name == "seed"
			}
		case *ast.Name:
			other = other || n.Ident == "locals" || n.Ident == "seed" && !up[n]
		case *ast.Attribute:
			other = other || n.Attr == "seed"
		}
		return !other
	})
	return len(up) > 0 && !other
}

// IgnoresSeed reports whether a reset takes a seed, and neither reads it nor hands on all it has: what it is given changes nothing.
func IgnoresSeed(def *ast.FunctionDef) bool {
	takes := slices.ContainsFunc(def.Params.List, func(q *ast.Param) bool { return q.Name == "seed" && q.Kind != ast.VarKwArgs })
	used := false
	ast.WalkStmts(def.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			used = used || n.Ident == "seed" || n.Ident == "locals"
		case *ast.Attribute:
			used = used || n.Attr == "seed"
		}
		return !used
	})
	return takes && !used
}
