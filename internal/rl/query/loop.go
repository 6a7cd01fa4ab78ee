package query

import (
	"cmp"
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
	f, n := at.Frame, at.Node
	for st := covering(f.Body(), n); st != nil; {
		switch l := st.(type) {
		case *ast.For:
			if covering(l.Body, n) != nil {
				out = append(out, Loop{f, l})
			}
		case *ast.While:
			if covering(l.Body, n) != nil || l.Cond.Span().Covers(n.Span()) {
				out = append(out, Loop{f, l})
			}
		case *ast.FunctionDef:
			return out
		}
		blocks := ast.Blocks(st)
		st = nil
		for _, b := range blocks {
			if inner := covering(b, n); inner != nil {
				st = inner
			}
		}
	}
	return out
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
