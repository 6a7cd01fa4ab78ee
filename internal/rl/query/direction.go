package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Direction is the way in which a loop goes through a list.
type Direction uint8

// The directions; zero is not known.
const (
	Forward Direction = iota + 1
	Backward
)

// DirectionOf is the way of a loop: by what stands behind `in`, and forward where a loop collects in the order of time.
func DirectionOf(l Loop, collects func() bool) Direction {
	st, ok := l.Stmt.(*ast.For)
	if !ok {
		if collects() {
			return Forward
		}
		return 0
	}
	return direction(l.Frame, st.Iter, 4)
}

func direction(f *infer.Frame, e ast.Expr, depth int) Direction {
	if depth == 0 {
		return 0
	}
	switch e := e.(type) {
	case *ast.Name, *ast.Attribute:
		return Forward
	case *ast.Subscript:
		if backwards(f, e) {
			return Backward
		}
		if part, ok := e.Index.(*ast.Slice); ok && part.Step == nil { // in the order of what it is a part of
			return direction(f, e.X, depth-1)
		}
	case *ast.Call:
		switch CalleeName(e) {
		case "reversed":
			if len(e.Args) == 1 && direction(f, e.Args[0], depth-1) == Forward {
				return Backward
			}
		case "enumerate", "tqdm", "list":
			if len(e.Args) > 0 {
				return direction(f, e.Args[0], depth-1)
			}
		case "zip":
			for i, a := range e.Args {
				if direction(f, a, depth-1) != direction(f, e.Args[max(i-1, 0)], depth-1) {
					return 0
				}
			}
			if len(e.Args) > 0 {
				return direction(f, e.Args[0], depth-1)
			}
		case "range":
			if len(e.Args) < 3 {
				return Forward
			}
			if step, ok := f.Val(e.Args[2]).Int(); ok && step == -1 {
				return Backward
			}
		}
	}
	return 0
}

// backwards reports whether an index is [::-1].
func backwards(f *infer.Frame, e *ast.Subscript) bool {
	s, ok := e.Index.(*ast.Slice)
	if !ok || s.Step == nil {
		return false
	}
	step, ok := f.Val(s.Step).Int()
	return ok && step < 0
}

// turning are functions and methods that turn the order of a list round, or may.
var turning = Words(`reversed reverse flip flipud fliplr insert appendleft extendleft sort sorted argsort`)

// Turns reports whether a node turns an order round, or may: also by indices.
func Turns(f *infer.Frame, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Call:
		if CalleeName(n) == "range" && len(n.Args) == 3 {
			step, ok := f.Val(n.Args[2]).Int()
			return !ok || step < 0
		}
		return turning[CalleeName(n)] || CalleeName(n) == "pop" && len(n.Args)+len(n.Keywords) == 0
	case *ast.Subscript:
		return backwards(f, n) || countsDown(f, n.Index)
	}
	return false
}

// countsDown reports whether an index falls as what it is computed of rises: n - 1 - i, -i, ~i.
func countsDown(f *infer.Frame, index ast.Expr) bool {
	var of ast.Expr
	switch x := index.(type) {
	case *ast.BinOp:
		if x.Op != ast.Sub {
			return false
		}
		of = x.Y
	case *ast.UnaryOp:
		of = x.X
	default:
		return false
	}
	v := f.Val(of)
	return v != nil && v.Const == nil
}

// InHead reports whether a node stands in what a loop goes through.
func InHead(l Loop, f *infer.Frame, n ast.Node) bool {
	st, ok := l.Stmt.(*ast.For)
	return ok && l.Frame == f && st.Iter.Span().Covers(n.Span())
}

// TurnedPlace is the variable or field of which a node turns the order round, "" where it is another.
func TurnedPlace(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Subscript:
		return Path(n.X)
	case *ast.Call:
		if at, ok := n.Fun.(*ast.Attribute); ok && Path(at.X) != "" && !arrays[Path(at.X)] {
			return Path(at.X)
		}
		if len(n.Args) > 0 {
			return Path(n.Args[0])
		}
	}
	return ""
}

// arrays are what modules are called whose functions turn an order round: a name again, which here only makes rules silent.
var arrays = Words(`np numpy torch th`)

// CollectedIn are the variables and fields to which a loop adds what a value is, at either end.
func CollectedIn(l Loop, v *infer.Val) map[string]bool {
	out := map[string]bool{}
	ast.Walk(l.Stmt, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok || len(call.Args) == 0 {
			return true
		}
		at, ok := call.Fun.(*ast.Attribute)
		if ok && (at.Attr == "append" || at.Attr == "insert" || at.Attr == "appendleft") && isOrPicks(l.Frame.Val(call.Args[len(call.Args)-1]), v) {
			out[Path(at.X)] = true
		}
		return true
	})
	return out
}

// AppendedIn is the call by which a loop appends what a value is to a list; nil where it keeps it in another way.
func AppendedIn(l Loop, v *infer.Val) *ast.Call {
	var out *ast.Call
	ast.Walk(l.Stmt, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if ok && CalleeName(call) == "append" && len(call.Args) == 1 && isOrPicks(l.Frame.Val(call.Args[0]), v) {
			out = call
		}
		return out == nil
	})
	return out
}

// KeepsRows reports whether a loop appends what it goes through to another list than its sums: then that is in the same order as they are.
func KeepsRows(l Loop, sum *infer.Val) bool {
	found := false
	ast.Walk(l.Stmt, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if ok && CalleeName(call) == "append" && len(call.Args) == 1 {
			v := infer.Strip(l.Frame.Val(call.Args[0]))
			found = found || v != nil && v.Const == nil && !infer.Reaches(v, sum, maxRound) &&
				(v.IsOp(infer.OpItem, infer.OpIterate) || v.Node != nil && !(v.Frame == l.Frame && l.Stmt.Span().Covers(v.Node.Span())))
		}
		return !found
	})
	return found
}

// isOrPicks reports whether x is v, or v on one of its paths, or a row of one that holds it.
func isOrPicks(x, v *infer.Val) bool {
	x, v = infer.Strip(x), infer.Strip(v)
	if x != nil && infer.Single(x) != nil {
		x = infer.Strip(infer.Single(x))
	}
	return x == v || x != nil && x.Op == infer.OpPhi && slices.ContainsFunc(x.In, func(y *infer.Val) bool { return infer.Strip(y) == v })
}
