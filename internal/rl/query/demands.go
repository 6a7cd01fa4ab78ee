package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # What a program demands
//
// A program checks what it goes on with where it likes: beside the computation, or in a function that validates an argument and raises.

// demands yields the conditions of a program's checks, and whether it raises where they hold; else where they do not.
func (g *Graph) demands(yield func(cond *infer.Val, raises bool) bool) {
	for f := range g.EachFrame {
		for _, n := range f.Nodes() {
			switch n := n.(type) {
			case *ast.Assert:
				if cond := f.Val(n.Cond); cond != nil && !yield(cond, false) {
					return
				}
			case *ast.If:
				raises := slices.ContainsFunc(n.Then, func(st ast.Stmt) bool { _, is := st.(*ast.Raise); return is })
				if cond := f.Val(n.Cond); raises && cond != nil && !yield(cond, true) {
					return
				}
			}
		}
	}
}

// Demands reports whether the program raises by what the elements of x are, itself or in a function that x is handed to.
func (g *Graph) Demands(x *infer.Val) bool {
	for cond := range g.demands {
		if g.restsOnElements(cond, x) {
			return true
		}
	}
	return false
}

// nearDemand bounds how far a condition may lie from what it asks for: what was computed long before decides much that is checked later.
const nearDemand = 16

// restsOnElements reports whether a condition is computed with the elements of x. That they are finite says nothing more of them.
func (g *Graph) restsOnElements(cond, x *infer.Val) bool {
	found := false
	infer.Walk(cond, nearDemand, func(c *infer.Val) bool {
		found = found || slices.ContainsFunc(g.See(c).Callers(), func(s Seen) bool { return infer.SameSource(s.Val, x) })
		return !found && !asksElse(c)
	})
	return found
}

// asksElse reports whether an operation yields nothing of the elements of a tensor but their number or whether they are finite.
func asksElse(c *infer.Val) bool {
	return c.IsOp(SizeOps...) || c.IsOp("is", "isnot", "isnan", "isinf", "isfinite")
}
