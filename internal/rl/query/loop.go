package query

import (
	"cmp"
	"iter"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Loop is a loop of the program in one frame.
type Loop struct {
	Frame *infer.Frame
	Stmt  ast.Stmt // *ast.For or *ast.While
}

// Body is what the loop repeats; nil where Stmt is no loop.
func (l Loop) Body() []ast.Stmt {
	switch st := l.Stmt.(type) {
	case *ast.For:
		return st.Body
	case *ast.While:
		return st.Body
	}
	return nil
}

// Header is what stands in the first line of a loop.
func (l Loop) Header() Place {
	switch st := l.Stmt.(type) {
	case *ast.For:
		return Place{Frame: l.Frame, Node: st.Iter}
	case *ast.While:
		return Place{Frame: l.Frame, Node: st.Cond}
	}
	return Place{Frame: l.Frame, Node: l.Stmt}
}

// Around lists the loops of a frame's body around a place in it, outermost first. A
// nested function is a body of its own.
func Around(at Place) []Loop {
	var out []Loop
	for _, st := range statementsAround(at) {
		switch l := st.(type) {
		case *ast.For:
			if covering(l.Body, at.Node) != nil {
				out = append(out, Loop{at.Frame, l})
			}
		case *ast.While:
			if covering(l.Body, at.Node) != nil || l.Cond.Span().Covers(at.Node.Span()) {
				out = append(out, Loop{at.Frame, l})
			}
		}
	}
	return out
}

// Branch is a branch around a place: the place is reached where the condition of If holds, or where it does not.
type Branch struct {
	If   *ast.If
	Then bool
}

// BranchesOn is the condition by which a branch or a loop chooses, nil for anything else.
func BranchesOn(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.If:
		return n.Cond
	case *ast.While:
		return n.Cond
	case *ast.IfExp:
		return n.Cond
	}
	return nil
}

// Branches lists the branches of a frame's body around a place in it, outermost first.
func Branches(at Place) (out []Branch) {
	for _, st := range statementsAround(at) {
		if b, ok := branchOf(st, at.Node); ok {
			out = append(out, b)
		}
	}
	return out
}

// branchOf is the branch of a statement around a node that a node in it stands in; ok is false where it has none, or the node is in the
// condition.
func branchOf(st ast.Stmt, n ast.Node) (b Branch, ok bool) {
	c, ok := st.(*ast.If)
	if !ok || c.Cond.Span().Covers(n.Span()) {
		return Branch{}, false
	}
	return Branch{c, covering(c.Then, n) != nil}, true
}

// statementsAround yields the statements of a frame's body around a place in it, each with the body that it stands in, outermost first. A
// nested function is a body of its own.
func statementsAround(at Place) iter.Seq2[[]ast.Stmt, ast.Stmt] {
	return func(yield func([]ast.Stmt, ast.Stmt) bool) {
		body := at.Frame.Body()
		for st := covering(body, at.Node); st != nil; st = covering(body, at.Node) {
			if _, def := st.(*ast.FunctionDef); !yield(body, st) || def {
				return
			}
			body = nil
			for _, b := range ast.Blocks(st) {
				if covering(b, at.Node) != nil {
					body = b
				}
			}
		}
	}
}

// covering returns the statement of a body that a node stands in, or nil.
func covering(body []ast.Stmt, n ast.Node) ast.Stmt {
	at := n.Span()
	i, found := slices.BinarySearchFunc(body, at.Start, func(st ast.Stmt, start uint32) int { return cmp.Compare(st.Span().Start, start) })
	if !found {
		i--
	}
	if i < 0 || !body[i].Span().Covers(at) {
		return nil
	}
	return body[i]
}

// Rounds returns how often a loop over range(...) or trange(...) runs; ok is false
// where that is not known. A setting counts with its default; setting says that the
// number rests on one.
func (l Loop) Rounds() (n int64, setting, ok bool) {
	st, isFor := l.Stmt.(*ast.For)
	if !isFor {
		return 0, false, false
	}
	call, isCall := st.Iter.(*ast.Call)
	if !isCall || len(call.Args) == 0 {
		return 0, false, false
	}
	if name, isName := call.Fun.(*ast.Name); !isName || name.Ident != "range" && name.Ident != "trange" {
		return 0, false, false
	}
	bounds := [3]int64{0, 0, 1} // start, stop, step
	for i, arg := range call.Args {
		v := l.Frame.Val(arg)
		c, isInt := v.Int()
		if !isInt || i >= len(bounds) {
			return 0, false, false
		}
		bounds[i] = c
		setting = setting || v.Op == infer.OpConfig
	}
	if len(call.Args) == 1 {
		bounds[0], bounds[1] = 0, bounds[0]
	}
	n, ok = steps(bounds[0], bounds[1], bounds[2])
	return n, setting, ok
}

// steps is the length of range(start, stop, step); false for a step of zero.
func steps(start, stop, step int64) (int64, bool) {
	if step < 0 {
		start, stop, step = stop, start, -step
	}
	if step == 0 {
		return 0, false
	}
	return max(0, (stop-start+step-1)/step), true
}

// MayLeave reports whether the rounds of a loop may end early: by break, return or an exception, other than in the inner one. A break in a
// loop within it leaves that alone.
func (l Loop) MayLeave(inner ast.Stmt) bool { return mayLeave(l.Body(), inner, true, maxInner) }

// maxInner bounds the loops within loops that are looked into; further in, anything may leave.
const maxInner = 8

func mayLeave(body []ast.Stmt, inner ast.Stmt, breaks bool, depth int) bool {
	found := depth == 0
	ast.InspectStmts(body, func(st ast.Stmt) bool {
		switch st := st.(type) {
		case *ast.Break:
			found = found || breaks
		case *ast.Return, *ast.Raise:
			found = true
		case *ast.FunctionDef, *ast.ClassDef:
			return false
		case *ast.For:
			found = found || st != inner && (mayLeave(st.Body, inner, false, depth-1) || mayLeave(st.Else, inner, breaks, depth-1))
			return false
		case *ast.While:
			found = found || st != inner && (mayLeave(st.Body, inner, false, depth-1) || mayLeave(st.Else, inner, breaks, depth-1))
			return false
		}
		return !found
	})
	return found
}

// ReadsAny reports whether an expression reads one of several variables.
func ReadsAny(n ast.Node, names map[string]bool) bool {
	found := false
	ast.Walk(n, func(n ast.Node) bool {
		x, ok := n.(*ast.Name)
		found = found || ok && names[x.Ident]
		return !found
	})
	return found
}
