package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Limits of time
//
// An environment that says of each step whether its count of steps has come to a limit names no terminal state: the task goes on, and
// only the episode is cut. The flag may be the comparison itself, a variable or field that is set under it, or what a method returns.

// clock is a class of environments, its method step, and the method in which flags are looked up.
type clock struct{ class, step, method []ast.Stmt }

// maxFlag bounds the way from a flag to the comparison that it is.
const maxFlag = 6

// isLate reports whether an expression is True only where the time is up: a comparison of a count of steps with a limit. What is always
// False is so as well.
func (c clock) isLate(e ast.Expr, depth int) bool {
	if depth == 0 {
		return false
	}
	switch e := e.(type) {
	case *ast.Constant:
		return e.Kind == ast.False || e.Kind == ast.True && c.whereLate(e, depth-1)
	case *ast.Compare:
		return len(e.Ops) == 1 && (e.Ops[0] == ast.GtE || e.Ops[0] == ast.Gt || e.Ops[0] == ast.Eq) && c.countsSteps(e.X) && c.stays(e.Ys[0]) ||
			len(e.Ops) == 1 && (e.Ops[0] == ast.LtE || e.Ops[0] == ast.Lt || e.Ops[0] == ast.Eq) && c.countsSteps(e.Ys[0]) && c.stays(e.X)
	case *ast.BoolOp:
		return e.Or && !slices.ContainsFunc(e.Values, func(x ast.Expr) bool { return !c.isLate(x, depth-1) })
	case *ast.Call:
		if name := CalleeName(e); (name == "bool" || name == "int" || name == "float" || name == "bool_") && len(e.Args) == 1 {
			return c.isLate(e.Args[0], depth-1)
		}
		return len(e.Args)+len(e.Keywords) == 0 && c.returnsLate(e, depth-1)
	case *ast.Name:
		return c.setLate(e, c.method, depth-1)
	case *ast.Attribute:
		return c.setLate(e, methodsIn(c.class), depth-1)
	}
	return false
}

// whereLate reports whether a node stands in a branch that is taken only where the time is up.
func (c clock) whereLate(n ast.Node, depth int) bool {
	found := false
	ast.WalkStmts(c.method, func(x ast.Node) bool {
		branch, ok := x.(*ast.If)
		found = found || ok && slices.ContainsFunc(branch.Then, func(st ast.Stmt) bool { return st.Span().Covers(n.Span()) }) && c.isLate(branch.Cond, depth)
		return !found
	})
	return found
}

// setLate reports whether some statements set a variable or field to nothing but what is True where the time is up, or to None.
func (c clock) setLate(flag ast.Expr, within []ast.Stmt, depth int) bool {
	path, set, other := Path(flag), false, false
	Targets(within, func(t ast.Expr, by ast.Stmt) {
		if Path(t) != path {
			return
		}
		value := assignedTo(t, by)
		if none, ok := value.(*ast.Constant); ok && none.Kind == ast.None {
			return
		}
		set, other = true, other || value == nil || !c.isLate(value, depth)
	})
	return path != "" && set && !other
}

// returnsLate reports whether a call is one of a method of the class that returns nothing but whether the time is up.
func (c clock) returnsLate(call *ast.Call, depth int) bool {
	at, ok := call.Fun.(*ast.Attribute)
	if !ok {
		return false
	}
	for _, st := range c.class {
		def, ok := st.(*ast.FunctionDef)
		if !ok || def.Name != at.Attr {
			continue
		}
		all, in := true, clock{c.class, c.step, def.Body}
		some := false
		ast.WalkStmts(def.Body, func(n ast.Node) bool {
			if r, ok := n.(*ast.Return); ok {
				some, all = true, all && r.X != nil && in.isLate(r.X, depth)
			}
			return !infer.IsBody(n)
		})
		return some && all
	}
	return false
}

// countsSteps reports whether an expression is a field that each step counts up by one, and that the class otherwise sets to a number.
func (c clock) countsSteps(e ast.Expr) bool {
	path, counted, other := Path(e), false, false
	if _, isField := e.(*ast.Attribute); !isField || path == "" {
		return false
	}
	Targets(methodsIn(c.class), func(t ast.Expr, by ast.Stmt) {
		if Path(t) != path {
			return
		}
		up, isUp := by.(*ast.AugAssign)
		value := assignedTo(t, by)
		sum, isSum := value.(*ast.BinOp)
		_, isNumber := value.(*ast.Number)
		switch {
		case isUp && up.Op == ast.Add && isOneText(up.Value), isSum && sum.Op == ast.Add && Path(sum.X) == path && isOneText(sum.Y):
			counted = counted || slices.Contains(c.step, by)
			other = other || !slices.Contains(c.step, by)
		case !isNumber:
			other = true
		}
	})
	return counted && !other
}

// stays reports whether a step leaves a limit as it is: a number, a setting, or arithmetic of such.
func (c clock) stays(limit ast.Expr) bool {
	stays := true
	ast.Walk(limit, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			stays = false
		case *ast.Name, *ast.Attribute:
			path := Path(n.(ast.Expr))
			Targets(c.step, func(t ast.Expr, _ ast.Stmt) { stays = stays && Path(t) != path })
		}
		return stays
	})
	return stays
}

// methodsIn are the statements of the methods of a class.
func methodsIn(class []ast.Stmt) (out []ast.Stmt) {
	for _, st := range class {
		if def, ok := st.(*ast.FunctionDef); ok {
			out = append(out, def.Body...)
		}
	}
	return out
}

// isOneText reports whether an expression is written 1.
func isOneText(e ast.Expr) bool {
	n, ok := e.(*ast.Number)
	return ok && n.Text == "1"
}
