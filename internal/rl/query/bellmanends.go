package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Where episodes end
//
// What comes next is worth nothing where an episode ended. Programs say so in many ways: a factor 1 - done, a choice
// by where or by an index, values that start as zeros and are filled in for the states that have a successor, a branch,
// a discount of its own for each transition. Ends answers whether any of them may be at work; whoever reports that none
// is needs a flag that the program has (FlagsBeside) and does not use (Meets).

// maxEnds bounds the values that are looked at on the way back from a bootstrap.
const maxEnds = 400

// Ends reports whether a bootstrap may be zero where an episode ends, or whether that is not known.
func (b Bootstrap) Ends() bool {
	if len(b.Masks) > 0 || len(b.Unknown) > 0 {
		return true
	}
	w := endWalk{seen: map[*infer.Val]bool{}}
	for _, d := range append(slices.Clone(b.Discount), b.Value) {
		if w.ends(d) {
			return true
		}
	}
	return false
}

type endWalk struct {
	seen map[*infer.Val]bool
}

// ends reports whether something on the way to s chooses or masks.
func (w *endWalk) ends(s Seen) bool {
	switch {
	case !s.Known() || w.seen[s.Val]:
		return false
	case len(w.seen) > maxEnds:
		return true
	}
	w.seen[s.Val] = true
	switch {
	case s.Const != nil && s.Op != infer.OpPhi:
		return false
	case s.Op == infer.OpParam || s.IsFlag():
		return s.IsFlag()
	case s.calledModule() != nil, isLearned(s):
		return false
	case s.IsOp("where", "masked_fill", "masked_fill_", "masked_scatter", "index_fill", "putmask", "choose", "nan_to_num"):
		return true
	case s.Op == infer.OpStore && len(s.In) > 2 && !s.In[2].Is(domain.Number|domain.Count|domain.Index) && !isStep(s.In[2]):
		return true
	case s.IsOp(infer.OpItem) && len(s.In) > 1 && s.Input(1).IsFlag():
		return true
	case s.Op == infer.OpStore && s.g.EndsBranch(s.Val):
		return true
	case s.Op == infer.OpPhi && slices.ContainsFunc(s.In, func(x *infer.Val) bool { return isZero(s.Of(x)) }) &&
		!slices.ContainsFunc(s.In, func(x *infer.Val) bool { return x != nil && x.Op == infer.OpStore }):
		return true
	case s.g.IsOpaque(s.Val):
		return opaqueMayEnd(s)
	}
	if x := s.Strip(); x.Val == s.Val && x.IsOp("add", "sub") { // of the value less the entropy the value alone
		return slices.ContainsFunc(TermsOf(x, 1), func(t Term) bool {
			return t.Val != s.Val && (t.IsFlag() || t.isValue(6) && w.ends(t.Seen))
		})
	}
	return slices.ContainsFunc(s.Flows(), w.ends)
}

// isLearned reports whether s is what a layer or network yields.
func isLearned(s Seen) bool { return strings.HasSuffix(s.Op, ".__call__") }

// isStep reports whether an index is a number of a step.
func isStep(v *infer.Val) bool {
	return v == nil || v.Const != nil || v.Op == infer.OpIterate || IsNumber(v) || v.IsOp("slice", infer.OpDisplay)
}

// opaqueMayEnd reports whether a call that is not known may look at the end of episodes: it is given a whole batch, or a
// flag.
func opaqueMayEnd(s Seen) bool {
	call, ok := s.Node.(*ast.Call)
	if !ok {
		return true
	}
	for _, in := range s.In {
		x := s.Of(in)
		if x.Known() && (x.IsFlag() || x.Ref != nil && IsContainer(x.Val)) {
			return true
		}
	}
	return len(call.Args)+len(call.Keywords) == 0
}

// EndsBranch reports whether v is computed under a condition on a flag, or on whether there is a next state, other than
// that of the loop around it.
func (g *Graph) EndsBranch(v *infer.Val) bool {
	return v.Guarded(func(c *infer.Guard) bool {
		if c.Cond == nil || inLoopTest(c.Cond) {
			return false
		}
		found := false
		infer.Walk(c.Cond, 40, func(x *infer.Val) bool {
			s := g.See(x)
			switch {
			case x.IsOp(SizeOps...) || x.Ref != nil:
				return false
			case x.Is(ends), isEndName(s):
				found = true
			case x.IsOp("is", "isnot", "eq", "ne") && len(x.In) > 1 && (x.In[0].IsNone() || x.In[1].IsNone()):
				found = found || !isSettingLike(g.See(x.In[0]))
				return false
			}
			return !found
		})
		return found
	})
}

// isSettingLike reports whether a value is an argument or field that may be left out.
func isSettingLike(s Seen) bool {
	return !s.Known() || s.Op == infer.OpParam || s.Op == infer.OpConfig || s.Const != nil || strings.HasPrefix(s.Op, infer.OpAttr+".") || s.Op == infer.OpPhi || s.Ref != nil
}

// inLoopTest reports whether a condition is that of a while loop: it holds in the loop, and not behind it.
func inLoopTest(c *infer.Val) bool {
	found := false
	if c.Node != nil && c.Frame != nil {
		OwnStmts(c.Frame, func(st ast.Stmt) {
			if w, ok := st.(*ast.While); ok {
				found = found || w.Cond.Span().Covers(c.Node.Span())
			}
		})
	}
	return found
}
