package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Argument returns the expression that the first caller of a function hands in for the parameter that e names, and
// where it stands; nil where e is no parameter, was bound again, or was handed in out of sight.
func (g *Graph) Argument(f *infer.Frame, e ast.Expr) (ast.Expr, *infer.Frame) {
	name, ok := e.(*ast.Name)
	if !ok || f == nil || f.Func == nil || f.Func.Def == nil || f.Call == nil || f.Call.Frame == nil {
		return nil, nil
	}
	call, ok := f.Call.Node.(*ast.Call)
	params := f.Func.Def.Params.List
	at := slices.IndexFunc(params, func(p *ast.Param) bool { return p.Name == name.Ident })
	if !ok || at < 0 || at >= len(f.Params) || f.Val(e) != f.Params[at] {
		return nil, nil
	}
	if arg := ArgumentFor(call, f.Func, name.Ident); arg != nil {
		return arg, f.Call.Frame
	}
	return nil, nil
}

// ArgumentFor is the expression that a call of a function hands in for one of its parameters, as it is written; nil where it is not.
func ArgumentFor(call *ast.Call, of *infer.FuncRef, param string) ast.Expr {
	for _, k := range call.Keywords {
		if k.Name == param {
			return k.Value
		}
	}
	at := slices.IndexFunc(of.Def.Params.List, func(p *ast.Param) bool { return p.Name == param })
	if of.Class != nil {
		at-- // self stands before the dot
	}
	if at >= 0 && at < len(call.Args) && !Unpacks(call) {
		return call.Args[at]
	}
	return nil
}

// Unpacks reports whether a node is a call that takes the items of something as its arguments: f(*sizes).
func Unpacks(n ast.Node) bool {
	call, ok := n.(*ast.Call)
	return ok && slices.ContainsFunc(call.Args, func(e ast.Expr) bool { _, star := e.(*ast.Starred); return star })
}

// Targets calls visit for each variable, attribute and item that the statements bind, with the
// statement that binds it. What a nested function binds of the variables around it counts; its
// own variables do not.
func Targets(body []ast.Stmt, visit func(target ast.Expr, by ast.Stmt)) {
	ast.InspectStmts(body, func(st ast.Stmt) bool {
		each := func(t ast.Expr) { leaves(t, func(x ast.Expr) { visit(x, st) }) }
		switch n := st.(type) {
		case *ast.Assign:
			for _, t := range n.Targets {
				each(t)
			}
		case *ast.AugAssign:
			each(n.Target)
		case *ast.AnnAssign:
			if n.Value != nil {
				each(n.Target)
			}
		case *ast.For:
			each(n.Target)
		case *ast.With:
			for _, item := range n.Items {
				each(item.Target)
			}
		case *ast.Delete:
			for _, t := range n.Targets {
				each(t)
			}
		case *ast.FunctionDef:
			nonlocals(n, each)
			return false
		case *ast.ClassDef:
			return false
		}
		walrus(st, each)
		return true
	})
}

// leaves takes (a, *b), [c] apart.
func leaves(t ast.Expr, visit func(ast.Expr)) {
	switch n := t.(type) {
	case nil:
	case *ast.Tuple:
		for _, e := range n.Elts {
			leaves(e, visit)
		}
	case *ast.List:
		for _, e := range n.Elts {
			leaves(e, visit)
		}
	case *ast.Starred:
		leaves(n.X, visit)
	default:
		visit(t)
	}
}

// nonlocals visits what a nested function declares to be of a scope around it.
func nonlocals(def *ast.FunctionDef, visit func(ast.Expr)) {
	ast.WalkStmts(def.Body, func(n ast.Node) bool {
		names := []string{}
		switch n := n.(type) {
		case *ast.Nonlocal:
			names = n.Names
		case *ast.Global:
			names = n.Names
		}
		for _, name := range names {
			visit(&ast.Name{Ident: name})
		}
		return true
	})
}

// walrus visits the targets of := in a statement's own expressions.
func walrus(st ast.Stmt, visit func(ast.Expr)) {
	ast.Children(st, func(n ast.Node) {
		if _, ok := n.(ast.Stmt); ok {
			return
		}
		ast.Walk(n, func(x ast.Node) bool {
			if as, ok := x.(*ast.NamedExpr); ok {
				visit(as.Target)
			}
			return true
		})
	})
}

// Path spells a variable or a chain of attributes, as "self.env"; "" for anything else.
func Path(e ast.Expr) string {
	tail := ""
	for range maxSteps {
		switch n := e.(type) {
		case *ast.Name:
			return n.Ident + tail
		case *ast.Attribute:
			tail = "." + n.Attr + tail
			e = n.X
		default:
			return ""
		}
	}
	return ""
}

// Reads reports whether a node reads a path, or a part of it: `self.env.x` reads `self.env`.
func Reads(n ast.Node, path string) bool {
	found := false
	ast.Walk(n, func(x ast.Node) bool {
		if e, ok := x.(ast.Expr); ok && !found {
			switch e.(type) {
			case *ast.Name, *ast.Attribute:
				found = Path(e) == path
			}
		}
		return !found
	})
	return found
}

// AnswersTwice reports whether an evaluation, or one that led to it, answers several calls of one body that another evaluation is
// part of: what it yields for one call need not be what it yields for the next, though it is one value here, since networks
// may learn in between.
func AnswersTwice(f, from *infer.Frame) bool {
	around := map[*infer.Frame]bool{}
	for ; from != nil && len(around) < maxSteps; from = from.Caller {
		around[from] = true
	}
	seen := map[*infer.Frame]bool{}
	for next := []*infer.Frame{f}; len(next) > 0 && len(seen) < maxSteps; next = next[1:] {
		if f = next[0]; f == nil || seen[f] || around[f] {
			continue
		}
		seen[f] = true
		calls := map[*infer.Frame]bool{}
		for site := range f.Sites {
			if around[site.Caller] && calls[site.Caller] {
				return true
			}
			calls[site.Caller] = true
			next = append(next, site.Caller)
		}
	}
	return false
}

// Receiver is the object of which a call calls a method; nil for anything else.
func Receiver(f *infer.Frame, n ast.Node) *infer.Val {
	call, ok := n.(*ast.Call)
	if !ok {
		return nil
	}
	at, ok := call.Fun.(*ast.Attribute)
	if !ok {
		return nil
	}
	return f.Val(at.X)
}
