package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Arguments that a callee changes
//
// An array is handed over as an object. A callee that writes into it, x[i] = y, x *= y or x.mul_(y), changes what the caller goes on with,
// unless it made a copy under that name before.

// Writers says which arguments calls change.
type Writers struct{ callees map[Place][]*infer.Frame }

// Writers is that of the program.
func (g *Graph) Writers() Writers {
	out := Writers{map[Place][]*infer.Frame{}}
	for _, f := range g.Values.Frames {
		if f.Func == nil || f.Func.Def == nil || f.Generates() {
			continue
		}
		for site := range f.Sites {
			at := Place{Frame: site.Caller, Node: site.Node}
			out.callees[at] = append(out.callees[at], f)
		}
	}
	return out
}

// Callees are the evaluations of the program's own functions that answer a call.
func (p Writers) Callees(at Place) []*infer.Frame { return p.callees[at] }

// maxHanded bounds the calls through which an argument is handed on.
const maxHanded = 3

// Changes is where a call changes an argument in place, in each function that it may come to. Param is the parameter of that function.
func (p Writers) Changes(at Place, arg ast.Expr) (change Place, param string, ok bool) {
	return p.changes(at, arg, maxHanded)
}

func (p Writers) changes(at Place, arg ast.Expr, depth int) (change Place, param string, ok bool) {
	callees := p.callees[at]
	for _, f := range callees {
		params := f.Func.Def.Params.List
		i := -1
		for j := range params {
			if handedIn(f, at.Node, j) == arg {
				i = j
			}
		}
		if i < 0 {
			return Place{}, "", false
		}
		if change = p.changed(f, params[i].Name, depth); !change.Known() {
			return Place{}, "", false
		}
		param = params[i].Name
	}
	return change, param, len(callees) > 0
}

// changed is where a function changes what a parameter holds, before it binds the name to anything else.
func (p Writers) changed(f *infer.Frame, name string, depth int) Place {
	isParam := func(e ast.Expr) bool {
		n, ok := e.(*ast.Name)
		return ok && n.Ident == name
	}
	isPart := func(e ast.Expr) bool {
		s, ok := e.(*ast.Subscript)
		return ok && isParam(s.X)
	}
	for _, n := range f.Nodes() {
		switch st := n.(type) {
		case *ast.AugAssign:
			if isPart(st.Target) || isParam(st.Target) && hasAxes(f, name) {
				return Place{f, st}
			}
		case *ast.Assign:
			if slices.ContainsFunc(st.Targets, isPart) {
				return Place{f, st}
			}
			if Binds(st, name) {
				return Place{}
			}
		case *ast.Call:
			if at, ok := st.Fun.(*ast.Attribute); ok && isParam(at.X) && writes(at.Attr) {
				return Place{f, st}
			}
			if i := slices.IndexFunc(st.Args, isParam); i >= 0 && depth > 1 {
				if at, _, ok := p.changes(Place{f, st}, st.Args[i], depth-1); ok {
					return at
				}
			}
		default:
			if s, ok := n.(ast.Stmt); ok && Binds(s, name) {
				return Place{}
			}
		}
	}
	return Place{}
}

// writes reports whether a method of tensors writes into the tensor, by torch's rule for such names.
func writes(method string) bool {
	return strings.HasSuffix(method, "_") && !strings.HasPrefix(method, "_") && method != "requires_grad_" && method != "retain_grad_"
}

// hasAxes reports whether a function shows that a parameter has axes, as by an index that it takes parts by: x += 1 on a number changes
// nothing for the caller.
func hasAxes(f *infer.Frame, name string) bool {
	return slices.ContainsFunc(f.Nodes(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Subscript:
			x, ok := n.X.(*ast.Name)
			return ok && x.Ident == name
		case *ast.Name:
			if n.Ident != name {
				return false
			}
			v := f.Val(n)
			return v != nil && v.Q.Shape.Known() && v.Q.Shape.Rank > 0
		}
		return false
	})
}
