package query

import (
	"slices"
	"strings"

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
	case *ast.List: // of one element an environment
		return len(e.Elts) > 0 && !slices.ContainsFunc(e.Elts, func(x ast.Expr) bool { return !c.isLate(x, depth-1) })
	case *ast.BinOp:
		return (e.Op == ast.Mult || e.Op == ast.BitOr) && c.isLate(e.X, depth-1) && (e.Op == ast.Mult || c.isLate(e.Y, depth-1))
	case *ast.Compare:
		if len(e.Ops) != 1 {
			return false
		}
		less, more := e.Ops[0] == ast.LtE || e.Ops[0] == ast.Lt || e.Ops[0] == ast.Eq, e.Ops[0] == ast.GtE || e.Ops[0] == ast.Gt || e.Ops[0] == ast.Eq
		comes := func(count, limit ast.Expr, up, down bool) bool {
			return c.stays(limit) && (up && c.countsSteps(count, ast.Add) || down && c.countsSteps(count, ast.Sub))
		}
		return comes(e.X, e.Ys[0], more, less) || comes(e.Ys[0], e.X, less, more)
	case *ast.BoolOp:
		return e.Or && !slices.ContainsFunc(e.Values, func(x ast.Expr) bool { return !c.isLate(x, depth-1) })
	case *ast.Call:
		return c.callsLate(e, depth)
	case *ast.Name:
		return c.setLate(e, c.method, depth-1)
	case *ast.Attribute:
		return c.setLate(e, methodsIn(c.class), depth-1)
	}
	return false
}

// sameFlag are functions and methods that yield the flag that they are given, in another type or many times over.
var sameFlag = Words(`bool int float bool_ array asarray tensor as_tensor from_numpy astype copy clone to float long repeat tile any all`)

// callsLate reports the same of what a call yields: the flag of another type, an array of zeros, or a method of the class.
func (c clock) callsLate(e *ast.Call, depth int) bool {
	name := CalleeName(e)
	at, isMethod := e.Fun.(*ast.Attribute)
	switch {
	case isZeroExpr(e):
		return true
	case name == "full" && len(e.Args) > 1:
		return c.isLate(e.Args[1], depth-1)
	case sameFlag[name] && len(e.Args) > 0 && c.isLate(e.Args[0], depth-1):
		return true
	case sameFlag[name] && isMethod && c.isLate(at.X, depth-1):
		return true
	}
	return len(e.Args)+len(e.Keywords) == 0 && c.returnsLate(e, depth-1)
}

// isZeroExpr reports whether a call makes an array of zeros.
func isZeroExpr(e ast.Expr) bool {
	call, ok := e.(*ast.Call)
	return ok && (CalleeName(call) == "zeros" || CalleeName(call) == "zeros_like")
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
		value := AssignedTo(t, by)
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
	def := methodOf(c.class, at.Attr)
	if def == nil {
		return false
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

// countsSteps reports whether an expression is a field that each step counts by one, up (Add) or down (Sub), and that the class otherwise sets to
// a number; before the first step, to any.
func (c clock) countsSteps(e ast.Expr, way ast.Operator) bool {
	path, counted, other := Path(e), false, false
	if _, isField := e.(*ast.Attribute); !isField || path == "" {
		return false
	}
	before := [...]*ast.FunctionDef{methodOf(c.class, "__init__"), methodOf(c.class, "reset")}
	Targets(methodsIn(c.class), func(t ast.Expr, by ast.Stmt) {
		if pathWithin(t) != path {
			return
		}
		up, isUp := by.(*ast.AugAssign)
		value := AssignedTo(t, by)
		sum, isSum := value.(*ast.BinOp)
		_, isNumber := value.(*ast.Number)
		switch {
		case isUp && up.Op == way && isOneText(up.Value), isSum && sum.Op == way && Path(sum.X) == path && isOneText(sum.Y):
			counted = counted || slices.Contains(c.step, by)
			other = other || !slices.Contains(c.step, by)
		case isNumber, isZeroExpr(value):
		case !slices.ContainsFunc(before[:], func(def *ast.FunctionDef) bool { return def != nil && def.Span().Covers(by.Span()) }):
			other = true
		}
	})
	return counted && !other
}

// pathWithin is the path of a target; of an element it is that of its array.
func pathWithin(t ast.Expr) string {
	if at, ok := t.(*ast.Subscript); ok {
		t = at.X
	}
	return Path(t)
}

// restarts reports whether a step, or a method that it calls, sets a count of steps back.
func (c clock) restarts() bool {
	found := false
	setsBack := func(body []ast.Stmt) {
		Targets(body, func(t ast.Expr, by ast.Stmt) {
			_, isNumber := AssignedTo(t, by).(*ast.Number)
			at, ok := t.(*ast.Subscript)
			found = found || isNumber && (c.countsSteps(t, ast.Add) || ok && c.countsSteps(at.X, ast.Add))
		})
	}
	setsBack(c.step)
	ast.WalkStmts(c.step, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			if def := methodOf(c.class, CalleeName(call)); def != nil && strings.HasPrefix(Path(call.Fun), "self.") {
				setsBack(def.Body)
			}
		}
		return !found
	})
	return found
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
