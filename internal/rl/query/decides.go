package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # What a search decides
//
// A program that has a trainer of its own scores answers in functions that no library calls. One that scores by a pattern chooses between
// numbers by what the search found:
//
//	found = [re.match(shape, x) for x in texts];  return [0.5 if f else 0.0 for f in found]
//
// The choice may be an expression or a branch, and stand in what calls the function that searches.

const (
	// decidedOver bounds the values between a search and a condition.
	decidedOver = 60
	// decidedAbove bounds the calls between a search and the choice.
	decidedAbove = 3
)

// DecidesNumber reports whether what a call yields decides between numbers: which one an expression is, or whether one is added, appended
// or returned.
func (g *Graph) DecidesNumber(at Place) bool { return g.decidesNumber(at, decidedAbove) }

func (g *Graph) decidesNumber(at Place, depth int) bool {
	rests := func(e ast.Expr) bool {
		return e.Span().Covers(at.Node.Span()) || infer.Within(at.Frame.Val(e), decidedOver, func(x *infer.Val) bool {
			return x.Node == at.Node && x.Frame == at.Frame
		})
	}
	for _, n := range at.Frame.Nodes() {
		switch n := n.(type) {
		case *ast.IfExp:
			if isWrittenNumber(n.Then) && isWrittenNumber(n.Else) && rests(n.Cond) {
				return true
			}
		case *ast.If:
			if slices.ContainsFunc(append(slices.Clone(n.Then), n.Else...), yieldsNumber) && rests(n.Cond) {
				return true
			}
		case *ast.Call: // float(bool(found)), int(found is not None)
			if name, ok := n.Fun.(*ast.Name); ok && (name.Ident == "float" || name.Ident == "int") && len(n.Args) == 1 && isTruth(n.Args[0]) && rests(n.Args[0]) {
				return true
			}
		}
	}
	if depth == 0 || at.Frame.Result == nil || !infer.Within(at.Frame.Result, decidedOver, func(x *infer.Val) bool { return x.Node == at.Node }) {
		return false
	}
	for site := range at.Frame.Sites {
		if site.Caller != nil && site.Node != nil && g.decidesNumber(Place{site.Caller, site.Node}, depth-1) {
			return true
		}
	}
	return false
}

// isTruth reports whether an expression is True or False by its form.
func isTruth(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Compare, *ast.BoolOp:
		return true
	case *ast.Call:
		return CalleeName(e) == "bool"
	}
	return false
}

// yieldsNumber reports whether a statement adds, appends or returns a number that is written there.
func yieldsNumber(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.AugAssign:
		return isWrittenNumber(st.Value)
	case *ast.Return:
		return st.X != nil && isWrittenNumber(st.X)
	case *ast.Assign:
		return isWrittenNumber(st.Value)
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.Call)
		return ok && CalleeName(call) == "append" && len(call.Args) == 1 && isWrittenNumber(call.Args[0])
	}
	return false
}

// isWrittenNumber reports whether an expression is a number as it is written, with its sign.
func isWrittenNumber(e ast.Expr) bool {
	if u, ok := e.(*ast.UnaryOp); ok {
		e = u.X
	}
	_, ok := e.(*ast.Number)
	return ok
}
