package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Whether a loop resets the environment that it steps
//
// A call that is named reset may reset it, and so may a call of which nothing is known. Three calls named so do not: that of an object of the
// program that has no environment, as exploration noise; that of another environment; and that behind which the same lines play an episode to its
// end, as an evaluation does. After the last the environment is over again.

// ResetsIn looks for what may reset an environment in a loop around a step of it: something there is called reset, the variable is bound again,
// or it is handed to what is not followed. If nothing may, spent are the resets whose episodes are over before the step.
func (m *Model) ResetsIn(l query.Loop, step EnvCall) (spent []query.Place, may bool) {
	base, _, _ := strings.Cut(step.Env, ".")
	for f := range m.g.EachFrame {
		own := f == l.Frame
		for _, n := range f.Nodes() {
			at := query.Place{Frame: f, Node: n}
			if own && !l.Stmt.Span().Covers(n.Span()) || !resetsHere(m.g, f, n, step.Env, base) || !own && !m.Inside(l, at) && !yieldsRounds(l, f) {
				continue
			}
			call, ok := n.(*ast.Call)
			switch {
			case ok && (m.resetsNoise(at, call, step) || m.resetsOther(at, call, step)):
			case ok && m.playsOn(at, call, step):
				spent = append(spent, at)
			default:
				return nil, true
			}
		}
	}
	return spent, false
}

// yieldsRounds reports whether a function is a generator that a loop runs over: its body goes on between the rounds.
func yieldsRounds(l query.Loop, f *infer.Frame) bool {
	loop, ok := l.Stmt.(*ast.For)
	if !ok {
		return false
	}
	for site := range f.Sites {
		if site.Caller == l.Frame && loop.Iter.Span().Covers(site.Node.Span()) {
			for range query.In[*ast.Yield](f) {
				return true
			}
		}
	}
	return false
}

func resetsHere(g *query.Graph, f *infer.Frame, n ast.Node, path, base string) bool {
	switch n := n.(type) {
	case *ast.Call:
		if namedReset(n) || PutsBack(f, n, path) {
			return true
		}
		v := f.Val(n)
		if v != nil && !g.IsOpaque(v) {
			return false
		}
		for _, a := range n.Args {
			if handsEnv(f, a, path, base) {
				return true
			}
		}
		for _, k := range n.Keywords {
			if handsEnv(f, k.Value, path, base) {
				return true
			}
		}
	case *ast.Assign:
		found := false
		query.Targets([]ast.Stmt{n}, func(t ast.Expr, _ ast.Stmt) { found = found || query.Path(t) == path || SetsWithin(t, path) })
		return found
	}
	return false
}

// SetsWithin reports whether a target is a part of the environment at a path, as env.unwrapped.state.
func SetsWithin(target ast.Expr, path string) bool {
	return path != "" && strings.HasPrefix(query.Path(target), path+".")
}

// PutsBack reports whether a call may put the environment at a path into a state, though it is not called reset: a method of what is in all
// wrappers, or one of a class of the program that reset calls, or that sets what reset sets.
func PutsBack(f *infer.Frame, call *ast.Call, path string) bool {
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || path == "" {
		return false
	}
	if query.Path(at.X) == path+".unwrapped" {
		return true
	}
	env, ok := infer.RefOf(f.Val(at.X)).(*infer.Instance)
	if !ok || env.Class == nil || query.Path(at.X) != path || at.Attr == "step" {
		return false
	}
	sets, _ := writtenBy(env.Class, at.Attr)
	resets, calls := writtenBy(env.Class, "reset")
	for attr := range sets {
		if resets[attr] {
			return true
		}
	}
	return calls[at.Attr]
}

// writtenBy are the attributes that a method sets on its object, and the names of what it calls.
func writtenBy(class *infer.ClassRef, method string) (sets, calls map[string]bool) {
	sets, calls = map[string]bool{}, map[string]bool{}
	v := class.Lookup(method)
	if v == nil {
		return sets, calls
	}
	fn, ok := v.Ref.(*infer.FuncRef)
	if !ok || fn.Def == nil {
		return sets, calls
	}
	query.Targets(fn.Def.Body, func(t ast.Expr, _ ast.Stmt) {
		if at, ok := t.(*ast.Attribute); ok {
			sets[at.Attr] = true
		}
	})
	ast.WalkStmts(fn.Def.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			calls[query.CalleeName(call)] = true
		}
		return true
	})
	return sets, calls
}

func namedReset(call *ast.Call) bool {
	return strings.Contains(strings.ToLower(query.CalleeName(call)), "reset")
}

// handsEnv reports whether an argument is an environment, or the object that holds it.
func handsEnv(f *infer.Frame, a ast.Expr, path, base string) bool {
	p := query.Path(a)
	return p != "" && (p == path || p == base) || f.Val(a).Is(domain.Env)
}

// resetsNoise reports whether a call is of a method of the program that resets no environment: its object has none, is not the one that
// holds the environment of the step, and its body names nothing that resets.
func (m *Model) resetsNoise(at query.Place, call *ast.Call, step EnvCall) bool {
	method, ok := call.Fun.(*ast.Attribute)
	if !ok {
		return false
	}
	object, ok := infer.RefOf(at.Frame.Val(method.X)).(*infer.Instance)
	if !ok || object.Class == nil || object.Class.Lookup("step") != nil || DerivesEnv(object.Class) || len(object.Class.LibBases) > 0 {
		return false
	}
	v := object.Class.Lookup(method.Attr)
	if v == nil {
		return false
	}
	fn, ok := v.Ref.(*infer.FuncRef)
	if !ok || fn.Def == nil || namesReset(fn.Def) {
		return false
	}
	for _, held := range object.Attrs {
		if in, ok := infer.RefOf(held).(*infer.Instance); held.Is(domain.Env) || ok && IsEnvClass(in.Class) {
			return false
		}
	}
	for x := ast.Expr(step.Node.Fun); ; {
		of, ok := x.(*ast.Attribute)
		if !ok {
			return true
		}
		if x = of.X; infer.RefOf(step.Frame.Val(x)) == infer.Ref(object) {
			return false
		}
	}
}

// resetsOther reports whether a call resets another environment than a step is of: both are made by calls of a library, and by other ones.
func (m *Model) resetsOther(at query.Place, call *ast.Call, step EnvCall) bool {
	made, stepped := m.makersOf(query.Receiver(at.Frame, call)), m.makersOf(query.Receiver(step.Frame, step.Node))
	return len(made) > 0 && len(stepped) > 0 && !slices.ContainsFunc(made, func(n ast.Node) bool { return slices.Contains(stepped, n) })
}

// makersOf are the calls that make the environments that a value may be; none where it may be made in another way.
func (m *Model) makersOf(env *infer.Val) (out []ast.Node) {
	for root := range m.g.See(env).EachRoot {
		for range maxWrappers {
			root = root.Strip()
			if !root.Known() || root.Op == "gymnasium.make" || root.Op == "gym.make" || !wrapsOne(root.Op) || len(root.In) == 0 {
				break
			}
			root = root.Input(0)
		}
		if !root.Known() || root.Op != "gymnasium.make" && root.Op != "gym.make" {
			return nil
		}
		out = append(out, root.Node)
	}
	return out
}

// playsOn reports whether a reset is followed, in the same block, by a loop that steps that environment until its episode is over, and the
// other step is not one of that loop. A number in its condition may end the loop earlier.
func (m *Model) playsOn(reset query.Place, call *ast.Call, other EnvCall) bool {
	method, ok := call.Fun.(*ast.Attribute)
	env := ""
	if ok {
		env = query.Path(method.X)
	}
	block := blockAround(reset.Frame.Body(), call)
	i := slices.IndexFunc(block, func(st ast.Stmt) bool { return st.Span().Covers(call.Span()) })
	if env == "" || i < 0 {
		return false
	}
	steps, _ := m.EnvCalls()
	for _, st := range block[i+1:] {
		w, ok := st.(*ast.While)
		if !ok {
			continue
		}
		l := query.Loop{Frame: reset.Frame, Stmt: w}
		if l.MayLeave(nil) || comparesNumber(w.Cond) || m.Inside(l, other.Place()) {
			return false
		}
		return slices.ContainsFunc(steps, func(s EnvCall) bool {
			around := query.Around(s.Place())
			return s.Frame == l.Frame && s.Env == env && len(around) > 0 && around[len(around)-1].Stmt == ast.Stmt(w) && query.ReadsAny(w.Cond, s.Flags(w))
		})
	}
	return false
}

// comparesNumber reports whether a condition asks for more than flags.
func comparesNumber(cond ast.Expr) bool {
	found := false
	ast.Walk(cond, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.Compare, *ast.Call:
			found = true
		}
		return !found
	})
	return found
}

// blockAround is the innermost list of statements of a body in which a node stands.
func blockAround(body []ast.Stmt, n ast.Node) []ast.Stmt {
	for {
		i := slices.IndexFunc(body, func(st ast.Stmt) bool { return st.Span().Covers(n.Span()) })
		if i < 0 {
			return nil
		}
		j := -1
		blocks := ast.Blocks(body[i])
		for k, b := range blocks {
			if slices.ContainsFunc(b, func(st ast.Stmt) bool { return st.Span().Covers(n.Span()) }) {
				j = k
			}
		}
		if j < 0 {
			return body
		}
		body = blocks[j]
	}
}

// Flags are the variables that say in a loop whether the episode is over: what step yields third and fourth, and what is
// computed from it. Loops go by variables, so these are compared by name.
func (c EnvCall) Flags(loop ast.Stmt) map[string]bool {
	flags := map[string]bool{}
	for i, e := range c.Into {
		if name, ok := e.(*ast.Name); ok && c.Unpacked && (i == 2 || i == 3 && len(c.Into) > 4) {
			flags[name.Ident] = true
		}
	}
	for range 3 {
		query.Targets([]ast.Stmt{loop}, func(t ast.Expr, by ast.Stmt) {
			name, ok := t.(*ast.Name)
			as, assigns := by.(*ast.Assign)
			if !ok || !assigns || as == c.Stmt {
				return
			}
			if _, calls := as.Value.(*ast.Call); !calls && query.ReadsAny(as.Value, flags) {
				flags[name.Ident] = true
			}
		})
	}
	return flags
}
