package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Transitions without their end
//
// A memory of transitions that has no flag for the end of an episode cannot know which of its next observations are
// followed by nothing. The loop that fills it does: it leaves by the flag, and keeps everything else.

// Unkept returns the steps whose observation the program keeps with three or more other things, and whose flag it reads
// in conditions alone; none where another step's flag is kept, or that is not known.
func (m *Model) Unkept() []EnvCall {
	steps, _ := m.EnvCalls()
	var out []EnvCall
	for _, c := range steps {
		if !c.Unpacked || len(c.Into) < 4 {
			continue
		}
		obs, ok := c.Into[0].(*ast.Name)
		if !ok || !c.isTask() {
			return nil
		}
		switch kept, with := keptWith(c, obs.Ident); {
		case with:
			return nil
		case kept:
			out = append(out, c)
		}
	}
	return out
}

// isTask reports whether the environment is one of gym's, as far as the program says.
func (c EnvCall) isTask() bool {
	if at, ok := c.Node.Fun.(*ast.Attribute); ok && c.Frame.Val(at.X).Is(domain.Env) {
		return true
	}
	return c.Val.IsOp("gymnasium.Env.step", "gym.Env.step")
}

// flags are the variables that hold the ends of episodes.
func (c EnvCall) flags() (out []string) {
	for _, e := range c.Into[2 : len(c.Into)-1] {
		if n, ok := e.(*ast.Name); ok {
			out = append(out, n.Ident)
		}
	}
	return out
}

// keptWith reports whether an observation is kept with three or more other things, and whether anything but a condition
// reads the flags, or what is kept depends on them.
func keptWith(c EnvCall, obs string) (kept, with bool) {
	flags := c.flags()
	if len(flags) == 0 {
		return false, false
	}
	var tests []ast.Node
	var choices []*ast.If
	query.OwnStmts(c.Frame, func(st ast.Stmt) {
		switch st := st.(type) {
		case *ast.If:
			tests = append(tests, st.Cond)
			if slices.ContainsFunc(flags, func(flag string) bool { return query.Reads(st.Cond, flag) }) {
				choices = append(choices, st)
			}
		case *ast.While:
			tests = append(tests, st.Cond)
		case *ast.Assign:
			if slices.ContainsFunc(st.Targets, func(t ast.Expr) bool { return t.Span().Covers(c.Into[0].Span()) }) {
				tests = append(tests, st.Targets[0])
			}
		}
	})
	for _, n := range c.Frame.Nodes() {
		switch n := n.(type) {
		case *ast.Call:
			if query.CalleeName(n) == "print" {
				tests = append(tests, n)
			}
			kept = kept || isTransition(n.Args, obs)
			with = with || isTransition(n.Args, obs) && underAny(choices, n)
		case *ast.Tuple:
			kept = kept || isTransition(n.Elts, obs) && !n.Span().Covers(c.Into[0].Span())
			with = with || isTransition(n.Elts, obs) && underAny(choices, n)
		case *ast.Assign:
			with = with || underAny(choices, n) && slices.ContainsFunc(n.Targets, func(t ast.Expr) bool { return query.Path(t) == obs })
		}
	}
	for _, name := range flags {
		for _, at := range query.Mentions(c.Frame, name) {
			with = with || !bindsAt(c, at) && !slices.ContainsFunc(tests, func(t ast.Node) bool { return t.Span().Covers(at.Span()) })
		}
	}
	return kept, with
}

// bindsAt reports whether a variable stands where a statement sets it to a constant, as before a loop.
func bindsAt(c EnvCall, at *ast.Name) bool {
	found := false
	query.OwnStmts(c.Frame, func(st ast.Stmt) {
		if as, ok := st.(*ast.Assign); ok {
			found = found || slices.ContainsFunc(as.Targets, func(t ast.Expr) bool { return t == ast.Expr(at) })
		}
	})
	return found
}

// isTransition reports whether an observation is among four or more things that stand together.
func isTransition(list []ast.Expr, obs string) bool {
	return len(list) > 3 && slices.ContainsFunc(list, func(e ast.Expr) bool { return query.Path(e) == obs })
}

// underAny reports whether a node stands in a branch of one of the choices.
func underAny(choices []*ast.If, n ast.Node) bool {
	return slices.ContainsFunc(choices, func(c *ast.If) bool {
		return c.Span().Covers(n.Span()) && !c.Cond.Span().Covers(n.Span())
	})
}
