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
func (b Bootstrap) Ends() bool { return b.EndsWithin(Loop{}) }

// EndsWithin reports whether it may be zero where an episode ends within a loop: a value that is 0 before the first round says nothing of
// the others.
func (b Bootstrap) EndsWithin(l Loop) bool {
	if len(b.Masks) > 0 || len(b.Unknown) > 0 || b.neverEnds() {
		return true
	}
	w := endWalk{seen: map[*infer.Val]bool{}, within: l}
	for _, d := range append(slices.Clone(b.Discount), b.Value) {
		if w.ends(d) {
			return true
		}
	}
	return false
}

// neverEnds reports whether the place of the mask is taken by a 1: the program means episodes to go on there, as for the
// rewards of curiosity.
func (b Bootstrap) neverEnds() bool {
	return len(b.Discount) > 1 && slices.ContainsFunc(b.Discount, func(d Seen) bool { x, ok := d.Float(); return ok && x == 1 && !d.isSetting() })
}

// EndsElsewhere reports whether another term that is added, or that the sum is added to, may be what ends with the episode.
func (b Bellman) EndsElsewhere() bool {
	w := endWalk{seen: map[*infer.Val]bool{}}
	return slices.ContainsFunc(b.Rest, func(t Term) bool { return t.Sign > 0 && w.ends(t.Seen) }) ||
		slices.ContainsFunc(b.At.Uses(), func(u *infer.Val) bool {
			return u.IsOp("add") && len(u.In) > 1 && slices.ContainsFunc(u.In[:2], func(x *infer.Val) bool { return x != nil && x != b.At.Val && w.ends(b.At.g.See(u).Of(x)) })
		})
}

// Decides reports whether one of the flags, or what was made of one, is a condition in a body: of a branch, or of an
// expression that chooses.
func (g *Graph) Decides(f *infer.Frame, flags []*infer.Val) bool {
	of := g.ahead(flags, maxAhead, func(u *infer.Val) bool { return !isLearned(g.See(u)) && !IsContainer(u) })
	found := of == nil
	for _, n := range f.Nodes() {
		var cond ast.Expr
		switch n := n.(type) {
		case *ast.If:
			if !g.picksValue(f, n) {
				cond = n.Cond
			}
		case *ast.IfExp:
			if !g.isNextValue(f, n.Then) || !g.isNextValue(f, n.Else) {
				cond = n.Cond
			}
		}
		if cond != nil && !found {
			ast.Walk(cond, func(x ast.Node) bool {
				v := f.Val(x)
				found = found || v != nil && (of[v] || v.Op == infer.OpNarrow && len(v.In) > 0 && of[v.In[0]])
				return !found
			})
		}
	}
	return found
}

// picksValue reports whether a branch says no more than where the value of the next state is to be had: either way it is one. A limit of
// time has such a value.
func (g *Graph) picksValue(f *infer.Frame, choice *ast.If) bool {
	var to [2]string
	if v := f.Val(choice.Cond); v != nil && v.May(domain.Truncated) && v.Q.Kind.Known() {
		return false
	}
	for i, body := range [][]ast.Stmt{choice.Then, choice.Else} {
		if len(body) != 1 {
			return false
		}
		as, ok := body[0].(*ast.Assign)
		if !ok || len(as.Targets) != 1 || !g.isNextValue(f, as.Value) {
			return false
		}
		to[i] = Path(as.Targets[0])
	}
	return to[0] != "" && to[0] == to[1]
}

// isNextValue reports whether an expression is a value of a state, and does not look like one that may be 0.
func (g *Graph) isNextValue(f *infer.Frame, e ast.Expr) bool {
	v := f.Val(e)
	if v == nil || v.Op == infer.OpPhi {
		return false
	}
	w := endWalk{seen: map[*infer.Val]bool{}}
	s := g.See(v)
	return s.isValue(4) && s.isYielded(6) && !w.ends(s)
}

// ChoosesSuccessor reports whether the program may choose the state whose value a bootstrap is by the end of an episode. An environment that
// restarts by itself hands out the last observation beside the first of the next episode, and a program takes one of them.
func (b Bootstrap) ChoosesSuccessor() bool {
	w := endWalk{seen: map[*infer.Val]bool{}, through: true}
	return w.ends(b.Value)
}

type endWalk struct {
	seen    map[*infer.Val]bool
	within  Loop // where it is asked of one
	through bool // whether what a network is given counts, too
}

// isWithin reports whether s is computed by a method of this name, or by what that calls: the protocol of environments goes by it.
func (s Seen) isWithin(method string) bool {
	f := s.Frame
	for range maxSteps {
		if f == nil {
			return false
		}
		if f.Func != nil && f.Func.Class != nil && f.Func.Name() == method {
			return true
		}
		f = f.Caller
	}
	return false
}

// isStart reports whether a value is set before the loop that is asked of.
func (w *endWalk) isStart(v *infer.Val) bool {
	return w.within.Stmt != nil && v != nil && v.Node != nil && v.Frame == w.within.Frame && !w.within.Stmt.Span().Covers(v.Node.Span())
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
	case w.through && s.isWithin("step"): // how the environment makes its next observation is its own affair
		return false
	case s.Op == infer.OpParam || s.IsFlag():
		return s.IsFlag()
	case s.calledModule() != nil, isLearned(s):
		return w.through && slices.ContainsFunc(s.inputs(len(s.In)), w.ends)
	case s.IsOp("where", "masked_fill", "masked_fill_", "masked_scatter", "index_fill", "putmask", "choose", "nan_to_num"):
		return true
	case s.Op == infer.OpStore && len(s.In) > 2 && storesSome(s.In[2]):
		return true
	case s.IsOp(infer.OpItem) && len(s.In) > 1 && s.Input(1).IsFlag():
		return true
	case s.Op == infer.OpStore && s.g.EndsBranch(s.Val):
		return true
	case s.Op == infer.OpPhi && slices.ContainsFunc(s.In, func(x *infer.Val) bool { return isZero(s.Of(x)) && !w.isStart(x) }) &&
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

// storesSome reports whether what is stored at an index leaves other elements as they are: at a mask, or a list of indices.
func storesSome(index *infer.Val) bool {
	if index.Is(domain.Index) && index.Q.Shape.MinRank() > 0 || index.Is(ends|domain.Mask) {
		return true
	}
	return !index.Is(domain.Number|domain.Count|domain.Index) && !isStep(index)
}

// isStep reports whether an index is a number of a step, or several numbers of axes; a list holds those of rows.
func isStep(v *infer.Val) bool {
	if v != nil {
		if seq, ok := v.Ref.(*infer.SeqRef); ok && seq.List {
			return false
		}
	}
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
		if x.Known() && (x.IsFlag() || x.Ref != nil && IsContainer(x.Val) && !x.listsNoFlag()) {
			return true
		}
	}
	return len(call.Args)+len(call.Keywords) == 0
}

// listsNoFlag reports whether s is a dict that is written out, key by key, and none of its values is a flag or a container.
func (s Seen) listsNoFlag() bool {
	d, ok := s.Ref.(*infer.DictRef)
	if !ok || s.Op != infer.OpDisplay || len(d.Fields) == 0 || d.Open || d.Elem != nil {
		return false
	}
	for _, v := range d.Fields {
		if x := s.Of(v); !x.Known() || x.IsFlag() || x.Ref != nil {
			return false
		}
	}
	return true
}

// EndsBranch reports whether v is computed under a condition on a flag, or on whether there is a next state, other than
// that of the loop around it.
func (g *Graph) EndsBranch(v *infer.Val) bool { return g.endsBranch(v, false) }

// EndsOwnBranch reports the same of the conditions in the body that computes v, whoever calls it.
func (g *Graph) EndsOwnBranch(v *infer.Val) bool { return g.endsBranch(v, true) }

func (g *Graph) endsBranch(v *infer.Val, own bool) bool {
	return v.Guarded(func(c *infer.Guard) bool {
		if c.Cond == nil || own && c.Cond.Frame != v.Frame || InLoopTest(c.Cond) {
			return false
		}
		if isTruthOfRow(c.Cond) {
			return true
		}
		found := false
		infer.Walk(c.Cond, 40, func(x *infer.Val) bool {
			s := g.See(x)
			switch {
			case x.IsOp(SizeOps...) || x.Ref != nil:
				return false
			case x.Is(ends), isEndName(s), x.Op == infer.OpItem && x.Is(domain.Mask): // a flag of the row
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

// isTruthOfRow reports whether a condition is whether an element that nobody knows is true, or differs from a number that is
// written there: what is asked of a row in this way, beside a target, is the flag of the row, whatever the list is called.
func isTruthOfRow(cond *infer.Val) bool {
	for range 3 {
		compared := cond.IsOp("eq", "ne", "lt", "le", "gt", "ge", "is") && len(cond.In) > 1 && cond.In[1] != nil && cond.In[1].Const != nil
		if !compared && !cond.IsOp("not", "logical_not") || len(cond.In) == 0 || cond.In[0] == nil {
			break
		}
		cond = cond.In[0]
	}
	return cond.Op == infer.OpItem && !cond.Q.Kind.Known() && cond.Ref == nil
}

// OfManyRows reports whether a sum is of a list of rows, of nobody knows how many: a branch around the call of its function is on one step.
func (b Bellman) OfManyRows() bool {
	return slices.ContainsFunc(b.Rewards, func(t Term) bool {
		seq, ok := infer.RefOf(t.Strip().Val).(*infer.SeqRef)
		return ok && seq.Elems == nil
	})
}

// isSettingLike reports whether a value is an argument or field that may be left out.
func isSettingLike(s Seen) bool {
	return !s.Known() || s.Op == infer.OpParam || s.Op == infer.OpConfig || s.Const != nil || strings.HasPrefix(s.Op, infer.OpAttr+".") || s.Op == infer.OpPhi || s.Ref != nil
}

// InLoopTest reports whether a condition is that of a while loop: it holds in the loop, and not behind it.
func InLoopTest(c *infer.Val) bool {
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

// AddedMask is a mask that stands as a term beside the value that it was meant to end.
type AddedMask struct {
	At    Seen // the sum
	Mask  Seen // a flag, or a product of flags and discounts
	Value Seen // what comes next
}

// AddedMasks are the sums of a reward, a mask and a value of what comes next, and the sums of mask and value that a target
// discounts: gamma * mask + v, gamma * (mask + v).
func (g *Graph) AddedMasks() []AddedMask {
	var out []AddedMask
	for _, v := range g.Ops("torch.add") {
		if v.Frame == nil || v.Frame.Stale() || len(v.In) < 2 {
			continue
		}
		s := g.See(v)
		if m, ok := addedMask(s, addends(nil, s, 6)); ok {
			out = append(out, m)
		}
	}
	for _, b := range g.Bellmans() {
		for _, n := range b.Next {
			if x := n.Value.Strip(); x.Known() && x.IsOp("add") && len(n.Masks) == 0 && !n.Carried {
				if m, ok := addedIn(x, addends(nil, x, 6)); ok {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// addedMask reads a sum that is the innermost one in which a reward, a mask and a value meet.
func addedMask(s Seen, terms []Term) (AddedMask, bool) {
	m, ok := addedIn(s, terms)
	if !ok || !slices.ContainsFunc(terms, func(t Term) bool {
		return t.Sign > 0 && t.Val != m.Mask.Val && t.Val != m.Value.Val && (t.IsReward() || t.isData())
	}) {
		return AddedMask{}, false
	}
	for i := range 2 {
		if _, within := addedWithin(s.Input(i)); within {
			return AddedMask{}, false
		}
	}
	return m, true
}

// addedWithin reads an operand of a sum as one in which the three meet already.
func addedWithin(s Seen) (AddedMask, bool) {
	terms := addends(nil, s, 6)
	m, ok := addedIn(s, terms)
	return m, ok && len(terms) > 2
}

// addends are the summands of s; 1 - done is one.
func addends(out []Term, s Seen, depth int) []Term {
	x := s.Strip()
	if depth > 0 && x.Known() && len(out) < maxOperands && x.IsOp("add") && len(x.In) > 1 {
		return addends(addends(out, x.Input(0), depth-1), x.Input(1), depth-1)
	}
	return append(out, Term{Seen: s, Sign: 1})
}

// addedIn finds a mask and a value among terms.
func addedIn(s Seen, terms []Term) (AddedMask, bool) {
	out := AddedMask{At: s}
	for _, t := range terms {
		switch {
		case t.Sign > 0 && !out.Mask.Known() && onlyMasks(t.Seen):
			out.Mask = t.Seen
		case t.Sign > 0 && !out.Value.Known() && t.isYielded(6) && t.isValue(6):
			out.Value = t.Seen
		}
	}
	if out.Value.Known() && slices.ContainsFunc(FactorsOf(out.Value).List, func(f Seen) bool { return f.IsFlag() }) {
		return out, false // the value is masked already: what is added pays for each step that is survived
	}
	return out, out.Mask.Known() && out.Value.Known()
}

// onlyMasks reports whether s is a flag that says where an episode goes on, or a product of such and of discounts.
func onlyMasks(s Seen) bool {
	flag := false
	for _, f := range FactorsOf(s).List {
		switch {
		case f.IsFlag() && !f.Strip().Is(domain.Observation):
			flag = true
		case !isDiscount(f):
			return false
		}
	}
	return flag
}
