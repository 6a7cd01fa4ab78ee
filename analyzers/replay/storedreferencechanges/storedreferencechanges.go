// Package storedreferencechanges is rule OFF004, stored-reference-changes; rule.md says what it finds.
package storedreferencechanges

import (
	_ "embed"
	"fmt"
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

// Analyzer reports lists and arrays that are put into a list and then changed in place, round after round.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		if len(call.Args) != 1 || query.CalleeName(call) != "append" {
			continue
		}
		at, ok := call.Fun.(*ast.Attribute)
		if !ok || !isList(f.Val(at.X)) {
			continue
		}
		for _, x := range stored(call.Args[0]) {
			if change := changed(p, f, call, x); change != nil {
				p.Report(pass.Finding{
					At: x, Frame: f, Evidence: domain.Derived,
					Related: []pass.Related{{Source: p.In(f), Node: change, Message: changedHere}},
				})
			}
		}
	}
	cleared(p)
	handedOut(p)
	repeatedObjects(p)
}

// cleared reports lists that methods keep in one place and clear in another.
func cleared(p *pass.Pass) {
	for _, c := range p.Roles.Cleared() {
		call := c.Kept.At.Node.(*ast.Call)
		at := call.Args[len(call.Args)-1]
		if _, isName := at.(*ast.Name); isName && p.In(c.Kept.At.Frame) == p.In(c.At.Frame) && c.Kept.At.Frame == c.At.Frame {
			continue // changed() knows more of these
		}
		p.Report(pass.Finding{
			At: at, Frame: c.Kept.At.Frame, Evidence: domain.Derived,
			Related: p.There(c.At, changedHere),
		})
	}
}

const changedHere = "it is changed in place here"

// handedOut reports what methods hand out of their own object's arrays, which callers keep while the methods write into them again.
func handedOut(p *pass.Pass) {
	for _, x := range p.Roles.Overwritten() {
		at, f := handing(p, x.Kept.Val)
		if at == nil {
			continue
		}
		p.Report(pass.Finding{
			At: at, Frame: f, Evidence: domain.Derived, Message: "the array that is handed out here is changed after it was stored",
			Why:     "the steps that are stored share one array, which holds the last of them, so that states and next states are equal",
			Help:    fmt.Sprintf("hand out a copy: `%s.%s()`", f.Module.AST.Source(at), copies(x.Object)),
			Related: append(p.There(x.Kept.At, "it is stored here"), p.There(query.PlaceOf(x.Writer), changedHere)...),
		})
	}
}

// copies is the method that copies an array.
func copies(v *infer.Val) string {
	if v.Lib == infer.LibTorch {
		return "clone"
	}
	return "copy"
}

// handing is the attribute that a function returns, perhaps among others, and that a value is, or is a view of; nil where it is none.
func handing(p *pass.Pass, v *infer.Val) (ast.Expr, *infer.Frame) {
	for f := range p.Graph.EachFrame {
		for _, n := range f.Nodes() {
			st, ok := n.(*ast.Return)
			if !ok || st.X == nil {
				continue
			}
			items := []ast.Expr{st.X}
			if t, ok := st.X.(*ast.Tuple); ok {
				items = t.Elts
			}
			for _, e := range items {
				if _, isAttr := e.(*ast.Attribute); isAttr && query.MayBeView(v, f.Val(e)) {
					return e, f
				}
			}
		}
	}
	return nil, nil
}

func isList(v *infer.Val) bool {
	r, ok := infer.RefOf(v).(*infer.SeqRef)
	return ok && r.List
}

// stored are the variables that are put into a list: one, or several as a tuple.
func stored(e ast.Expr) (out []*ast.Name) {
	switch e := e.(type) {
	case *ast.Name:
		out = append(out, e)
	case *ast.Tuple:
		for _, x := range e.Elts {
			if name, ok := x.(*ast.Name); ok {
				out = append(out, name)
			}
		}
	}
	return out
}

// changed returns where what was stored is changed in place in the innermost loop around both, which makes no other
// object of that name; nil where that does not happen.
func changed(p *pass.Pass, f *infer.Frame, call *ast.Call, x *ast.Name) ast.Node {
	loops := query.Around(query.Place{Frame: f, Node: call})
	v := f.Val(x)
	if len(loops) == 0 || v == nil {
		return nil
	}
	loop := loops[len(loops)-1].Stmt
	var found ast.Node
	for _, n := range f.Nodes() {
		if !loop.Span().Covers(n.Span()) || n == ast.Node(loop) {
			continue
		}
		if query.Binds(n, x.Ident) && !changes(f, n, x.Ident, v) {
			return nil
		}
		if found == nil && changes(f, n, x.Ident, v) && !eitherOr(f, call, n) {
			found = n
		}
	}
	if st, ok := loop.(*ast.For); ok && query.Binds(st, x.Ident) {
		return nil
	}
	return found
}

// eitherOr reports whether two nodes stand in different branches of a condition. Perhaps the rounds that change the object come before
// the one that stores it.
func eitherOr(f *infer.Frame, a, b ast.Node) bool {
	covers := func(body []ast.Stmt, n ast.Node) bool {
		return slices.ContainsFunc(body, func(st ast.Stmt) bool { return st.Span().Covers(n.Span()) })
	}
	return slices.ContainsFunc(f.Nodes(), func(n ast.Node) bool {
		st, ok := n.(*ast.If)
		return ok && (covers(st.Then, a) && covers(st.Else, b) || covers(st.Then, b) && covers(st.Else, a))
	})
}

// changes reports whether a node changes the object that a variable holds: clear() of a list, x[...] = y and x += y of
// an array.
func changes(f *infer.Frame, n ast.Node, name string, v *infer.Val) bool {
	is := func(e ast.Expr) bool {
		x, ok := e.(*ast.Name)
		return ok && x.Ident == name
	}
	switch n := n.(type) {
	case *ast.Call:
		at, ok := n.Fun.(*ast.Attribute)
		return ok && at.Attr == "clear" && len(n.Args) == 0 && is(at.X) && query.IsContainer(v)
	case *ast.Assign:
		if len(n.Targets) != 1 {
			return false
		}
		sub, ok := n.Targets[0].(*ast.Subscript)
		return ok && is(sub.X) && isArray(v)
	case *ast.AugAssign:
		if sub, ok := n.Target.(*ast.Subscript); ok {
			return is(sub.X) && isArray(v)
		}
		return is(n.Target) && isArray(v)
	}
	return false
}

// isArray reports whether a value is surely an array with elements, which += changes in place: no number.
func isArray(v *infer.Val) bool {
	base := query.Memory(infer.Strip(v))
	for range 8 {
		if base != nil && base.IsOp(infer.OpStore, infer.OpPhi) && len(base.In) > 0 && base.In[0] != nil {
			base = infer.Strip(base.In[0])
		}
	}
	return base != nil && base.Fn != nil && base.IsOp("zeros", "ones", "empty", "full", "zeros_like", "ones_like", "array", "randn", "tensor", "arange")
}
