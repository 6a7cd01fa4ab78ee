package rewardstoredlate

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// storing tells calls that put a step away from those that learn from it, or show it.
type storing struct{ query.Writers }

// maxHanded bounds the functions through which a step is handed on.
const maxHanded = 3

// puts are the methods of Python's lists, deques, sets and queues that take something in.
var puts = query.Words("append appendleft extend insert add put put_nowait")

// stores reports whether a call puts a reward and an action away. A method of the program is read; of others, those do that have the name of one of
// Python's containers.
func (s storing) stores(at query.Place, reward, action []string, depth int) bool {
	call, ok := at.Node.(*ast.Call)
	if !ok {
		return false
	}
	callees := s.Callees(at)
	if len(callees) == 0 {
		_, method := call.Fun.(*ast.Attribute)
		return method && puts[query.CalleeName(call)]
	}
	return depth > 0 && !slices.ContainsFunc(callees, func(g *infer.Frame) bool {
		reward, action := spread(g, params(g, call, reward)), spread(g, params(g, call, action))
		return remembers(g, action) || !s.takes(g, reward, reward, action, depth) || !s.takes(g, action, reward, action, depth)
	})
}

// params are the parameters for which a call hands one of some variables over: all of them where it unpacks a row.
func params(g *infer.Frame, call *ast.Call, names []string) (out []string) {
	for i, p := range g.Func.Def.Params.List {
		if i == 0 && g.Func.Class != nil {
			continue
		}
		switch e := query.ArgumentFor(call, g.Func, p.Name); {
		case query.Unpacks(call), p.Kind == ast.VarArgs, p.Kind == ast.VarKwArgs, e != nil && has([]ast.Expr{e}, names):
			out = append(out, p.Name)
		}
	}
	return out
}

// spread adds the variables that a function makes of some of its own: row = (obs, act, rew).
func spread(g *infer.Frame, names []string) []string {
	for _, n := range g.Nodes() {
		if as, ok := n.(*ast.Assign); ok && len(as.Targets) == 1 && has([]ast.Expr{as.Value}, names) {
			if id, ok := as.Targets[0].(*ast.Name); ok {
				names = append(names, id.Ident)
			}
		}
	}
	return names
}

// takes reports whether a function puts one of some variables into a container: by a call that stores, or at a place of it.
func (s storing) takes(g *infer.Frame, names, reward, action []string, depth int) bool {
	return slices.ContainsFunc(g.Nodes(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			call, ok := n.X.(*ast.Call)
			return ok && has(query.Operands(call), names) && s.stores(query.Place{Frame: g, Node: call}, reward, action, depth-1)
		case *ast.Assign:
			_, place := n.Targets[0].(*ast.Subscript)
			return place && has([]ast.Expr{n.Value}, names)
		case *ast.AugAssign:
			_, field := n.Target.(*ast.Attribute)
			_, list := n.Value.(*ast.List)
			return field && list && has([]ast.Expr{n.Value}, names)
		}
		return false
	})
}

// remembers reports whether a function keeps the action in a field of its own: the reward may then be for the action that the field held before.
func remembers(g *infer.Frame, action []string) bool {
	found := false
	query.OwnStmts(g, func(st ast.Stmt) {
		as, ok := st.(*ast.Assign)
		if !ok || !has([]ast.Expr{as.Value}, action) {
			return
		}
		for _, t := range as.Targets {
			targets := []ast.Expr{t}
			if tuple, ok := t.(*ast.Tuple); ok {
				targets = tuple.Elts
			}
			found = found || slices.ContainsFunc(targets, func(e ast.Expr) bool { _, field := e.(*ast.Attribute); return field })
		}
	})
	return found
}

// has reports whether one of some variables is a part of what is handed over.
func has(parts []ast.Expr, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return partNamed(parts, name, maxNested) != nil })
}
