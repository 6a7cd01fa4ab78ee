package storedreferencechanges

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// filling are the methods that change a container.
var filling = query.Words(`append appendleft extend insert add update push clear pop popleft remove setdefault`)

// constructors are the classes of containers.
var constructors = query.Words(`list dict deque defaultdict OrderedDict`)

// repeatedObjects reports [x] * n where x makes a container that is filled through one of the places later: all n are one object.
func repeatedObjects(p *pass.Pass) {
	for f, product := range query.Everywhere[*ast.BinOp](p.Graph) {
		one := onlyElement(product)
		if one == nil {
			continue
		}
		ref := containerMadeBy(f, one)
		if ref == nil || isReplaced(p, f, product) {
			continue
		}
		at, in := filled(p, ref)
		if at == nil {
			continue
		}
		p.Report(pass.Finding{
			At: product, Frame: f, Evidence: domain.Derived, Message: "all places of this list hold one object",
			Why:     "what is put into one of them is in all, so that streams which should be apart are mixed",
			Help:    "make one for each place: `[... for _ in range(n)]`",
			Related: []pass.Related{{Source: p.In(in), Node: at, Message: "it is filled here"}},
		})
	}
}

// onlyElement is x of [x] * n and n * [x].
func onlyElement(product *ast.BinOp) ast.Expr {
	if product.Op != ast.Mult {
		return nil
	}
	for _, side := range []ast.Expr{product.X, product.Y} {
		if list, ok := side.(*ast.List); ok && len(list.Elts) == 1 {
			return list.Elts[0]
		}
	}
	return nil
}

// containerMadeBy is the list or dict that an expression makes; nil for what it only names, and for anything that nobody fills.
func containerMadeBy(f *infer.Frame, e ast.Expr) infer.Ref {
	switch e := e.(type) {
	case *ast.List, *ast.Dict, *ast.BinOp:
	case *ast.Call:
		if !constructors[query.CalleeName(e)] {
			return nil // a function may return what it has
		}
	default:
		return nil
	}
	switch r := infer.RefOf(f.Val(e)).(type) {
	case *infer.SeqRef:
		if r.List {
			return r
		}
	case *infer.DictRef:
		return r
	}
	return nil
}

// filled is where a container is filled.
func filled(p *pass.Pass, ref infer.Ref) (ast.Node, *infer.Frame) {
	for f := range p.Graph.EachFrame {
		for _, n := range f.Nodes() {
			switch n := n.(type) {
			case *ast.Call:
				if at, ok := n.Fun.(*ast.Attribute); ok && filling[at.Attr] && infer.RefOf(f.Val(at.X)) == ref {
					return n, f
				}
			case *ast.Assign:
				if v := f.Val(n.Value); v == nil || v.Const != nil {
					break // all places may hold the same number
				}
				for _, t := range n.Targets {
					if sub, ok := t.(*ast.Subscript); ok && infer.RefOf(f.Val(sub.X)) == ref {
						return n, f
					}
				}
			}
		}
	}
	return nil, nil
}

// isReplaced reports whether the places of a repeated list are bound anew, each to something of its own: what they held first does not matter.
func isReplaced(p *pass.Pass, f *infer.Frame, product *ast.BinOp) bool {
	list := infer.RefOf(f.Val(product))
	if list == nil {
		return true
	}
	for g := range p.Graph.EachFrame {
		if slices.ContainsFunc(g.Nodes(), func(n ast.Node) bool {
			as, ok := n.(*ast.Assign)
			return ok && slices.ContainsFunc(as.Targets, func(t ast.Expr) bool {
				sub, ok := t.(*ast.Subscript)
				return ok && infer.RefOf(g.Val(sub.X)) == list
			})
		}) {
			return true
		}
	}
	return false
}
