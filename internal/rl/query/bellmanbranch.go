package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # A state that is None where the episode ended
//
// Programs keep None for the state behind the last step, and ask for it before they ask a network what it is worth. What tells such a state
// from an argument that may be left out is that the value that the sum counts is of it: on the other branch there is nothing to count.

// OnlyOfState reports whether a sum is computed only where a state is not None, and counts what is made of that state.
func (b Bellman) OnlyOfState() bool {
	return b.At.Guarded(func(c *infer.Guard) bool {
		return c.Cond != nil && !InLoopTest(c.Cond) && !isRefusal(c.Cond) && slices.ContainsFunc(testedForNone(c.Cond), func(state *infer.Val) bool {
			return slices.ContainsFunc(b.Next, func(n Bootstrap) bool { return !n.Carried && isOf(n.Value, state) })
		})
	})
}

// testedForNone are the values that a condition compares with None, itself or where a flag that it asks for was chosen: over = s is None,
// over = True if s is None else False.
func testedForNone(cond *infer.Val) []*infer.Val {
	var out []*infer.Val
	conds := []*infer.Val{cond}
	for i := 0; i < len(conds) && i < 4; i++ {
		infer.Walk(conds[i], nearCond, func(x *infer.Val) bool {
			switch {
			case x.Ref != nil || x.IsOp(SizeOps...):
				return false
			case x.IsOp("is", "isnot", "eq", "ne") && len(x.In) > 1 && x.In[0] != nil && x.In[1] != nil && x.In[1].IsNone():
				out = append(out, x.In[0])
				return false
			case x.Op == infer.OpPhi:
				for _, v := range x.In {
					if v != nil && v.Const != nil && v.Guard != nil && v.Guard != x.Guard && v.Guard.Cond != nil {
						conds = append(conds, v.Guard.Cond)
					}
				}
			}
			return true
		})
	}
	return out
}

// nearCond bounds the way from a condition to the comparison in it.
const nearCond = 12

// isRefusal reports whether a condition is one that the program stops at: an assert, or an if that raises.
func isRefusal(cond *infer.Val) bool {
	found := false
	if cond.Node != nil && cond.Frame != nil {
		OwnStmts(cond.Frame, func(st ast.Stmt) {
			switch st := st.(type) {
			case *ast.Assert:
				found = found || st.Cond.Span().Covers(cond.Node.Span())
			case *ast.If:
				_, raises := lastOf(st.Then).(*ast.Raise)
				found = found || raises && st.Cond.Span().Covers(cond.Node.Span())
			}
		})
	}
	return found
}

// lastOf is the last statement of a body; nil for an empty one, as where the syntax is broken.
func lastOf(body []ast.Stmt) ast.Stmt {
	if len(body) == 0 {
		return nil
	}
	return body[len(body)-1]
}

// isOf reports whether a value is made of a state, or of what was taken out of a row under the same index, by a network and operations on
// tensors: what an environment makes of an action is not made of the state before.
func isOf(s Seen, state *infer.Val) bool {
	found := false
	infer.Walk(s.Val, maxEnds, func(x *infer.Val) bool {
		found = found || infer.SameSource(x, state) || s.g.See(x).sameIndex(s.g.See(state))
		return !found && (x.Fn != nil || isLearned(s.g.See(x)) || x.IsOp(infer.OpNarrow, infer.OpPhi, infer.OpCall, infer.OpDisplay) ||
			x.Op == infer.OpItem && len(x.In) > 0 && x.In[0] != nil && x.In[0].Ref == nil)
	})
	return found
}

// # Rows of one episode
//
// A program that gathers the steps of one episode in lists knows that nothing follows the last of them, and puts a 0 there.

// StopsAtLastRow reports whether all that a sum counts of what comes next may be 0 behind the last of its rows, and the flags end the loop
// that gathers these.
func (b Bellman) StopsAtLastRow(flags []*infer.Val) bool {
	return len(flags) > 0 && !slices.ContainsFunc(b.Next, func(n Bootstrap) bool { return !n.Value.hasZero(nearZero) }) &&
		!slices.ContainsFunc(flags, func(v *infer.Val) bool { return !b.At.g.endsLoop(v) })
}

// nearZero bounds the way from the values of the next states back to the zero behind the last.
const nearZero = 10

// hasZero reports whether s is made of other rows and zeros behind or below them.
func (s Seen) hasZero(depth int) bool {
	switch {
	case !s.Known() || depth == 0 || isLearned(s) || s.calledModule() != nil:
		return false
	case isZero(s), s.IsOp("pad", "new_zeros"), s.IsOp(infer.OpStore, "append") && len(s.In) > 1 && isZero(s.Input(1)):
		return true
	}
	return slices.ContainsFunc(s.Flows(), func(f Seen) bool { return f.hasZero(depth - 1) })
}

// endsLoop reports whether the program asks for a flag in the condition of a loop, or in that of a branch that leaves one.
func (g *Graph) endsLoop(flag *infer.Val) bool {
	asks := func(f *infer.Frame, cond ast.Expr) bool {
		v := f.Val(cond)
		return v != nil && infer.Within(v, nearCond, func(x *infer.Val) bool { return infer.MadeAlike(x, flag) })
	}
	for f, loop := range Everywhere[*ast.While](g) {
		if asks(f, loop.Cond) {
			return true
		}
	}
	for f, branch := range Everywhere[*ast.If](g) {
		switch lastOf(branch.Then).(type) {
		case *ast.Break, *ast.Return:
			if asks(f, branch.Cond) {
				return true
			}
		}
	}
	return false
}
