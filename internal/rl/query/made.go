package query

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Collector is a loop or comprehension that makes several objects, which are there at the same
// time.
type Collector struct {
	Frame *infer.Frame
	Node  ast.Node
	// Targets are its variables.
	Targets []ast.Expr
	Iters   []ast.Expr
}

// CollectedAt returns the innermost comprehension, or loop that appends, in whose rounds what a node
// computes is kept.
func CollectedAt(at Place) (Collector, bool) {
	if at.Frame.Func != nil && at.Frame.Func.Lambda != nil {
		return Collector{}, false
	}
	st := covering(at.Frame.Body(), at.Node)
	if st == nil {
		return Collector{}, false
	}
	var out Collector
	ast.Walk(st, func(n ast.Node) bool {
		if n != at.Node && !n.Span().Covers(at.Node.Span()) {
			return false
		}
		switch n := n.(type) {
		case *ast.Comp:
			if n.Elt != nil && n.Elt.Span().Covers(at.Node.Span()) {
				out = Collector{Frame: at.Frame, Node: n}
				for _, c := range n.Clauses {
					out.Targets, out.Iters = append(out.Targets, c.Target), append(out.Iters, c.Iter)
				}
			}
		case *ast.For:
			if covering(n.Body, at.Node) != nil && appended(n.Body, at.Node) {
				out = Collector{Frame: at.Frame, Node: n, Targets: []ast.Expr{n.Target}, Iters: []ast.Expr{n.Iter}}
			}
		}
		return true
	})
	return out, out.Node != nil
}

// appended reports whether a body appends what a node computes: in the call of append, or by the variable that it is
// assigned to.
func appended(body []ast.Stmt, n ast.Node) bool {
	name, found := "", false
	Targets(body, func(t ast.Expr, by ast.Stmt) {
		if x, ok := t.(*ast.Name); ok && by.Span().Covers(n.Span()) {
			if as, ok := by.(*ast.Assign); ok && as.Value.Span().Covers(n.Span()) {
				name = x.Ident
			}
		}
	})
	ast.WalkStmts(body, func(x ast.Node) bool {
		call, ok := x.(*ast.Call)
		if !ok || CalleeName(call) != "append" || len(call.Args) != 1 {
			return true
		}
		arg, isName := call.Args[0].(*ast.Name)
		found = found || call.Args[0].Span().Covers(n.Span()) || isName && name != "" && arg.Ident == name
		return true
	})
	return found
}

// Varies reports whether a value depends on a variable of the collector, or on anything of which
// nobody knows whether it is the same in each round.
func (c Collector) Varies(v *infer.Val) bool {
	varies := v == nil || v.IsNone()
	infer.Walk(v, maxPieces, func(x *infer.Val) bool {
		switch {
		case x.Op == infer.OpPhi && x.Ref == nil, x.Op == infer.OpIterate, x.Op == infer.OpUnknown:
			varies = true
		case x.Unfollowed() && x.Op != infer.OpAttr, x.Fn != nil && !arithmetic[infer.BaseOp(x.Op)]:
			varies = true
		}
		for _, t := range append(c.Iters, c.Targets...) {
			varies = varies || x.Frame == c.Frame && x.Node != nil && t.Span().Covers(x.Node.Span())
		}
		return !varies
	})
	return varies
}

// Counts reports whether a collector only counts its rounds, so that nothing but an index tells them apart.
func (c Collector) Counts() bool {
	for _, iter := range c.Iters {
		if name := CalleeName(iter); name != "range" && name != "trange" {
			return false
		}
	}
	return true
}

// arithmetic yields the same number for the same numbers.
var arithmetic = Words(`add sub mul floor_divide remainder pow int neg`)

// Above is where a place's evaluation was asked for: the call, or for a function that a library calls the place
// where it is defined.
func Above(at Place) Place {
	f := at.Frame
	if f.Call != nil {
		return PlaceOf(f.Call)
	}
	return DefinedAt(f.Func)
}

// DefinedAt is where a function or lambda is defined; methods have none.
func DefinedAt(f *infer.FuncRef) Place {
	switch {
	case f == nil || f.Closure == nil || f.Class != nil:
		return Place{}
	case f.Lambda != nil:
		return Place{Frame: f.Closure, Node: f.Lambda}
	case f.Def != nil:
		return Place{Frame: f.Closure, Node: f.Def}
	}
	return Place{}
}
