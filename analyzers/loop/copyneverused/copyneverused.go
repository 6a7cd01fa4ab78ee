// Package copyneverused is rule LOOP077, copy-never-used; rule.md says what it finds.
package copyneverused

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports copies of networks that nothing uses.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	seen := map[ast.Node]bool{}
	for f, as := range query.Everywhere[*ast.Assign](p.Graph) {
		if f.Func == nil || f.Func.Def == nil || len(as.Targets) != 1 || seen[as] || !p.Trains(f) {
			continue
		}
		seen[as] = true
		made, of := copied(f, as.Value)
		switch t := as.Targets[0].(type) {
		case *ast.Name:
			uses := usesOf(p, f.Func.Def, t)
			if made == nil {
				of = uses.of
			}
			if of == nil || made == nil && p.Roles.Network(f.Val(as.Value)) == nil || uses.other || t.Ident == "_" { // `_` is Python's name for what is not needed
				continue
			}
			if p.Roles.Network(f.Val(of)) != nil || uses.isNetwork {
				report(p, f, as.Value, of)
			}
		case *ast.Attribute:
			if made != nil && p.Roles.Network(f.Val(of)) != nil && !heldByModule(f.Val(t.X)) && !fieldRead(p, t) && !p.MentionedElsewhere(f.Module, t.Attr, modules(p)) {
				report(p, f, as.Value, of)
			}
		}
	}
}

func report(p *pass.Pass, f *infer.Frame, at, of ast.Expr) {
	p.Report(pass.Finding{
		At: at, Frame: f, Evidence: domain.Derived,
		Related: p.There(query.Place{Frame: f, Node: of}, "whatever is to use the copy uses this one"),
	})
}

// copied is the call of deepcopy that an expression is, moved or switched, and what it copies.
func copied(f *infer.Frame, e ast.Expr) (made *ast.Call, of ast.Expr) {
	for range 4 {
		call, ok := e.(*ast.Call)
		if !ok {
			return nil, nil
		}
		if query.CalledSymbol(f, call) == "copy.deepcopy" && len(call.Args) > 0 {
			return call, call.Args[0]
		}
		method, ok := call.Fun.(*ast.Attribute)
		if !ok || !changesItself[method.Attr] {
			return nil, nil
		}
		e = method.X
	}
	return nil, nil
}

// changesItself are the methods of networks that yield the network.
var changesItself = query.Words("eval train to cpu cuda float double half requires_grad_ share_memory")

// uses is what a function does with a variable that holds a network.
type uses struct {
	other     bool     // it is read
	isNetwork bool     // a method that only networks have is called
	of        ast.Expr // the network whose weights it takes
}

// usesOf looks for a variable in its function, and in the functions therein. What only changes the network itself is no use.
func usesOf(p *pass.Pass, def *ast.FunctionDef, name *ast.Name) (out uses) {
	idle := map[ast.Node]bool{name: true}
	is := func(e ast.Expr) *ast.Name {
		if n, ok := e.(*ast.Name); ok && n.Ident == name.Ident {
			return n
		}
		return nil
	}
	ast.WalkStmts(def.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Global, *ast.Nonlocal:
			out.other = out.other || query.Binds(n, name.Ident) || declares(n, name.Ident)
		case *ast.ExprStmt:
			call, ok := n.X.(*ast.Call)
			if !ok {
				break
			}
			method, ok := call.Fun.(*ast.Attribute)
			if !ok || is(method.X) == nil {
				break
			}
			switch {
			case changesItself[method.Attr]:
				idle[method.X] = true
				out.isNetwork = out.isNetwork || method.Attr == "eval" || method.Attr == "requires_grad_"
			case method.Attr == "load_state_dict" && len(call.Args) > 0:
				if of := weightsOf(call.Args[0]); of != nil && is(of) == nil {
					idle[method.X], out.of, out.isNetwork = true, of, true
				}
			}
		case *ast.Assign:
			if call, ok := n.Value.(*ast.Call); ok && len(n.Targets) == 1 && is(n.Targets[0]) != nil {
				idle[n.Targets[0]] = true
				if method, ok := call.Fun.(*ast.Attribute); ok && changesItself[method.Attr] && is(method.X) != nil {
					idle[method.X] = true
				}
			}
		case *ast.For:
			call, ok := n.Iter.(*ast.Call)
			if !ok || !freezes(n) {
				break
			}
			if method, ok := call.Fun.(*ast.Attribute); ok && method.Attr == "parameters" && is(method.X) != nil {
				idle[method.X], out.isNetwork = true, true
			}
		case *ast.Call:
			if callee := query.CalleeName(n); callee == "locals" || callee == "vars" || callee == "exec" || callee == "eval" && len(n.Args) > 0 {
				out.other = true
			}
		case *ast.Name:
			out.other = out.other || is(n) != nil && !idle[n]
		}
		return true
	})
	return out
}

// declares reports whether a statement says that a name is of a scope around the function.
func declares(n ast.Node, name string) bool {
	switch n := n.(type) {
	case *ast.Global:
		return slices.Contains(n.Names, name)
	case *ast.Nonlocal:
		return slices.Contains(n.Names, name)
	}
	return false
}

// weightsOf is the network whose state_dict() an expression is.
func weightsOf(e ast.Expr) ast.Expr {
	call, ok := e.(*ast.Call)
	if !ok {
		return nil
	}
	if method, ok := call.Fun.(*ast.Attribute); ok && method.Attr == "state_dict" {
		return method.X
	}
	return nil
}

// freezes reports whether a loop over parameters only switches their gradients.
func freezes(loop *ast.For) bool {
	if len(loop.Body) != 1 {
		return false
	}
	switch st := loop.Body[0].(type) {
	case *ast.Assign:
		at, ok := st.Targets[0].(*ast.Attribute)
		return ok && at.Attr == "requires_grad"
	case *ast.ExprStmt:
		return query.CalleeName(st.X) == "requires_grad_"
	}
	return false
}

// heldByModule reports whether an object is a network, whose parameters include those of its fields, or an object that nothing is known about.
func heldByModule(v *infer.Val) bool {
	o, ok := infer.RefOf(v).(*infer.Instance)
	return !ok || v.Is(domain.Module) || slices.ContainsFunc(o.Class.LibBases, func(string) bool { return true })
}

// fieldRead reports whether a field of that name is read anywhere, of whatever object, or may be read by its name.
func fieldRead(p *pass.Pass, field *ast.Attribute) bool {
	read := false
	for m := range p.Graph.Modules() {
		idle := map[ast.Node]bool{}
		ast.WalkStmts(m.AST.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Assign:
				for _, t := range n.Targets {
					idle[t] = true
				}
			case *ast.ExprStmt:
				if call, ok := n.X.(*ast.Call); ok {
					if method, ok := call.Fun.(*ast.Attribute); ok && changesItself[method.Attr] {
						idle[method.X] = true
					}
				}
			case *ast.Attribute:
				read = read || n.Attr == field.Attr && !idle[n] || n.Attr == "__dict__"
			case *ast.Call:
				callee := query.CalleeName(n)
				read = read || callee == "getattr" || callee == "vars"
			case *ast.String:
				read = read || n.Value == field.Attr
			}
			return !read
		})
	}
	return read
}

// modules are those that fieldRead looks at.
func modules(p *pass.Pass) (out []*infer.Module) {
	for m := range p.Graph.Modules() {
		out = append(out, m)
	}
	return out
}
