package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// # Cut-offs that are ends
//
// Where the agent sees the clock, its task is the one with this horizon, and the limit of time is an end like others. The same is true of an
// environment that means something else by its second flag, as that the arm left its workspace.

// HasNoLimit reports whether a task is one that its library registers without a limit of time.
func HasNoLimit(id string) bool {
	env := library.Load().Environment(id)
	return env != nil && env.Limit == 0 && env.Frames[0] == 0
}

// SetsLimit reports whether a file may give a task a limit of time.
func SetsLimit(m *ast.Module) (found bool) {
	ast.WalkModule(m, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Keyword:
			found = found || n.Name == "max_episode_steps"
		case *ast.Name:
			found = found || n.Ident == "TimeLimit"
		case *ast.Attribute:
			found = found || n.Attr == "TimeLimit"
		}
		return !found
	})
	return found
}

// CutsAreEnds reports whether a file puts the clock into observations, or defines an environment whose second flag says something else than
// that the time is up.
func CutsAreEnds(m *ast.Module) (found bool) {
	ast.WalkModule(m, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			found = found || n.Ident == "TimeAwareObservation"
		case *ast.Attribute:
			found = found || n.Attr == "TimeAwareObservation"
		case *ast.ClassDef:
			if step := methodOf(n.Body, "step"); step != nil {
				k := clock{n.Body, step.Body, step.Body}
				found = found || k.isShown() || k.tellsElse()
			}
		}
		return !found
	})
	return found
}

// isShown reports whether what reset, step or a wrapper's method observation returns is made of a field that each step counts.
func (c clock) isShown() (shown bool) {
	look := func(n ast.Node) bool {
		_, compared := n.(*ast.Compare)
		at, isField := n.(*ast.Attribute)
		shown = shown || isField && c.isCounted(at, c.step)
		return !shown && !compared
	}
	for _, name := range []string{"reset", "step", "observation"} {
		if def := methodOf(c.class, name); def != nil {
			for _, x := range returned(def.Body) {
				if t, ok := x.(*ast.Tuple); ok && len(t.Elts) > 1 {
					x = t.Elts[0]
				}
				c.walkParts(x, def.Body, map[ast.Node]bool{}, look)
			}
		}
	}
	return shown
}

// tellsElse reports whether the second flag of a step is made of no count of steps: it is no constant, and not what another step yields.
func (c clock) tellsElse() bool {
	flags := 0
	for _, x := range returned(c.step) {
		t, ok := x.(*ast.Tuple)
		if !ok || len(t.Elts) != 5 {
			return false
		}
		if c.isLate(t.Elts[3], maxFlag) {
			continue // False, or a limit
		}
		compares, other := false, false
		c.walkParts(t.Elts[3], c.step, map[ast.Node]bool{}, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Compare:
				compares = true
			case *ast.Call:
				other = other || CalleeName(n) == "step" || CalleeName(n) == "len"
			case *ast.Attribute:
				other = other || c.isCounted(n, methodsIn(c.class))
			}
			return !other
		})
		if other || !compares {
			return false
		}
		flags++
	}
	return flags > 0
}

// isCounted reports whether some statements count a field up or down by a number.
func (c clock) isCounted(field *ast.Attribute, within []ast.Stmt) bool {
	path := Path(field)
	return path != "" && slices.ContainsFunc(within, func(st ast.Stmt) bool {
		up, ok := st.(*ast.AugAssign)
		if as, is := st.(*ast.Assign); is && len(as.Targets) == 1 && Path(as.Targets[0]) == path {
			sum, isSum := as.Value.(*ast.BinOp)
			return isSum && (sum.Op == ast.Add || sum.Op == ast.Sub) && Path(sum.X) == path && isNumberText(sum.Y)
		}
		return ok && (up.Op == ast.Add || up.Op == ast.Sub) && Path(up.Target) == path && isNumberText(up.Value)
	})
}

// isNumberText reports whether an expression is written as a number.
func isNumberText(e ast.Expr) bool {
	_, ok := e.(*ast.Number)
	return ok
}

// walkParts walks what an expression is made of: also what a variable or field is set to, and what a method of the class returns. An index
// is no part, since it only tells where to look.
func (c clock) walkParts(e ast.Node, method []ast.Stmt, seen map[ast.Node]bool, visit func(ast.Node) bool) {
	if e == nil || seen[e] {
		return
	}
	seen[e] = true
	assigned := func(path string, within []ast.Stmt) {
		Targets(within, func(t ast.Expr, by ast.Stmt) {
			if path == "" || pathWithin(t) != path {
				return
			}
			if value := AssignedTo(t, by); value != nil {
				c.walkParts(value, method, seen, visit)
			} else if as, ok := by.(*ast.Assign); ok {
				c.walkParts(as.Value, method, seen, visit)
			} else if up, ok := by.(*ast.AugAssign); ok {
				c.walkParts(up.Value, method, seen, visit)
			}
		})
	}
	ast.Walk(e, func(n ast.Node) bool {
		if !visit(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.Name:
			assigned(n.Ident, method)
		case *ast.Attribute:
			if Path(n.X) == "self" {
				assigned(Path(n), methodsIn(c.class))
				return false
			}
		case *ast.Subscript:
			c.walkParts(n.X, method, seen, visit)
			return false
		case *ast.Call:
			if def := methodOf(c.class, CalleeName(n)); def != nil && strings.HasPrefix(Path(n.Fun), "self.") {
				for _, x := range returned(def.Body) {
					c.walkParts(x, def.Body, seen, visit)
				}
				return false
			}
		}
		return true
	})
}

// returned are the expressions that the body of a function returns.
func returned(body []ast.Stmt) (out []ast.Expr) {
	ast.WalkStmts(body, func(n ast.Node) bool {
		if r, ok := n.(*ast.Return); ok && r.X != nil {
			out = append(out, r.X)
		}
		return !infer.IsBody(n)
	})
	return out
}
