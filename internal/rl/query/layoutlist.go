package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// ofList is an axis of a list: how often it was appended to, outer loop first; or one of its elements.
func (w *layoutWalk) ofList(s Seen, seq *infer.SeqRef, i int) []Factor {
	if i > 0 {
		return w.axis(s.element(seq), i-1)
	}
	switch n := s.Node.(type) {
	case *ast.Comp:
		return w.comprehended(s, n)
	case *ast.BinOp:
		return w.operated(s)
	case *ast.Call:
		if len(s.In) > 0 && s.In[0] != nil && CalleeName(n) == "product" && len(s.In) == 2 {
			return product(w.axis(s.Input(0), 0), w.axis(s.Input(1), 0))
		}
		if len(n.Args) == 1 && len(s.In) > 0 && (CalleeName(n) == "list" || CalleeName(n) == "tuple") {
			return w.axis(s.Input(0), 0)
		}
	}
	if out := w.appended(s, seq); out != nil {
		return out
	}
	if n := len(seq.Elems); n > 0 {
		return []Factor{{N: int64(n), Of: s, At: s.Val}}
	}
	return nil
}

// comprehended are the loops of a comprehension.
func (w *layoutWalk) comprehended(s Seen, comp *ast.Comp) []Factor {
	var out []Factor
	for _, c := range comp.Clauses {
		if len(c.Ifs) > 0 || s.Frame == nil {
			return nil
		}
		out = append(out, w.rounds(s, s.Frame, c.Iter)...)
	}
	return w.copies(s, out, comp)
}

// copies marks the loops of a comprehension whose variables its element does not use: what goes round there is copied.
func (w *layoutWalk) copies(s Seen, factors []Factor, comp *ast.Comp) []Factor {
	if len(factors) == len(comp.Clauses) && len(factors) > 1 {
		for k, c := range comp.Clauses {
			if !usesName(comp.Elt, c.Target) {
				factors[k].Kind = OfCopies
			}
			factors[k].At = s.Val
		}
	}
	return product(factors, nil)
}

// usesName reports whether an expression reads one of the names of a target.
func usesName(e ast.Node, target ast.Expr) bool {
	found := false
	ast.Walk(target, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		found = found || ok && mentions(e, name.Ident)
		return !found
	})
	return found
}

// operated is prompts * n, and one list behind another.
func (w *layoutWalk) operated(s Seen) []Factor {
	op, ok := s.Node.(*ast.BinOp)
	if !ok || len(s.In) < 2 {
		return nil
	}
	switch op.Op {
	case ast.Mult:
		for i := range 2 {
			if n := s.Input(1 - i); isList(s.Input(i)) && n.Known() && !isList(n) {
				return product([]Factor{counted(n, OfCopies, s.Val)}, w.axis(s.Input(i), 0))
			}
		}
	case ast.Add:
		return product([]Factor{{N: 2, Kind: OfParts, At: s.Val}}, w.axis(s.Input(0), 0))
	}
	return nil
}

func isList(s Seen) bool {
	_, ok := s.Referent().(*infer.SeqRef)
	return ok
}

// rounds is how often a loop goes round: a number, or as often as something has rows.
func (w *layoutWalk) rounds(s Seen, f *infer.Frame, iter ast.Expr) []Factor {
	v := f.Val(iter)
	if v == nil {
		return []Factor{{}}
	}
	if call, ok := iter.(*ast.Call); ok {
		switch CalleeName(call) {
		case "range", "trange":
			bound := 0
			if len(call.Args) > 1 {
				if low, ok := f.Val(call.Args[0]).Int(); !ok || low != 0 || len(call.Args) > 2 {
					return []Factor{{At: v}}
				}
				bound = 1
			}
			if len(call.Args) > bound {
				if n := f.Val(call.Args[bound]); n != nil {
					return w.asMany(s.Of(n), v)
				}
			}
		case "zip", "enumerate", "tqdm", "reversed", "list", "tuple":
			var best []Factor
			for _, a := range call.Args {
				if _, star := a.(*ast.Starred); star {
					return []Factor{{At: v}}
				}
				if x := w.rounds(s, f, a); len(x) > len(best) || len(x) == len(best) && len(x) > 0 && !best[0].isKnown() {
					best = x
				}
			}
			return best
		}
	}
	return w.axis(s.Of(v), 0)
}

// fills are the methods that put elements into a list, by how many arguments they take. Which end it is put at turns an axis round, and leaves its
// factors.
var fills = map[int][]string{1: {"append", "extend", "appendleft"}, 2: {"insert"}}

// appended are the loops around what puts elements into a list, which are more than those around the list.
func (w *layoutWalk) appended(s Seen, seq *infer.SeqRef) []Factor {
	f := s.Frame
	if f == nil || s.Node == nil {
		return nil
	}
	var out []Factor
	calls := 0
	for _, n := range f.Nodes() {
		call, ok := n.(*ast.Call)
		if !ok || len(call.Args) == 0 {
			continue
		}
		at, ok := call.Fun.(*ast.Attribute)
		if !ok || !slices.Contains(fills[len(call.Args)], at.Attr) {
			continue
		}
		if recv := f.Val(at.X); recv == nil || recv.Ref != infer.Ref(seq) {
			continue
		}
		calls++
		if calls > 1 {
			continue
		}
		var idle []int // loops whose variable the element does not depend on
		for _, l := range Around(Place{f, call}) {
			if l.Stmt.Span().Covers(s.Node.Span()) {
				continue
			}
			loop, isFor := l.Stmt.(*ast.For)
			switch {
			case !isFor:
				out = append(out, Factor{At: f.Val(call)})
			case usesName(at.X, loop.Target):
				// each round is of another list
			default:
				rounds := w.rounds(s, f, loop.Iter)
				if !slices.ContainsFunc(loop.Body, func(st ast.Stmt) bool { return usesName(st, loop.Target) }) {
					idle = append(idle, len(out))
				}
				out = append(out, rounds...)
			}
		}
		for _, k := range idle {
			if k < len(out) && len(idle) < len(out) {
				out[k].Kind = OfCopies
			}
		}
		if at.Attr == "extend" {
			out = append(out, w.axis(s.Of(f.Val(call.Args[0])), 0)...)
		}
	}
	if calls > 1 {
		out = append(out, Factor{N: int64(calls), Kind: OfParts})
	}
	for k := range out {
		out[k].At = s.Val
	}
	return product(out, nil)
}
