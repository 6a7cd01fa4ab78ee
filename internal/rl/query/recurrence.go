package query

import (
	"slices"
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Recurrence is a sum in a loop that scales what it came to in the round before: a discounted return,
// R = r + gamma R' (Sutton and Barto, eq. 3.9), or a generalised advantage estimate,
// A = delta + gamma lambda A' (Schulman et al. 2016, eq. 16).
type Recurrence struct {
	Sum     *infer.Val
	Carried Term   // the scaled sum of the round before
	Added   []Term // the other terms
}

// maxRound bounds how far back the round before is sought.
const maxRound = 64

// Recurrences are those of the module.
func (g *Graph) Recurrences() []Recurrence {
	g.recurrences.once.Do(func() {
		for _, v := range g.Ops("torch.add") {
			if r, ok := g.recurrenceOf(v); ok {
				g.recurrences.list = append(g.recurrences.list, r)
			}
		}
	})
	return g.recurrences.list
}

func (g *Graph) recurrenceOf(v *infer.Val) (Recurrence, bool) {
	if len(Around(Place{v.Frame, v.Node})) == 0 {
		return Recurrence{}, false
	}
	r, found := Recurrence{Sum: v}, false
	for _, t := range TermsOf(g.See(v), 1) {
		if !found && carries(t, v) {
			r.Carried, found = t, true
		} else {
			r.Added = append(r.Added, t)
		}
	}
	return r, found
}

// carries reports whether t is a product of v as it was in the round before.
func carries(t Term, v *infer.Val) bool {
	factors := FactorsOf(t.Seen).List
	return len(factors) > 1 && slices.ContainsFunc(factors, func(f Seen) bool {
		return f.Strip().IsOp(infer.OpPhi, infer.OpItem) && infer.Reaches(v, f.Val, maxRound)
	})
}

// madeOfSums are the values that were made of some of the recurrences.
type madeOfSums struct {
	once sync.Once
	made map[*infer.Val]bool
}

// Discounted reports whether a recurrence made what v holds.
func (g *Graph) Discounted(v *infer.Val) bool {
	return g.madeOfSums(&g.discounted, v, func(Recurrence) bool { return true })
}

// Discounted is that of the graph for what s holds.
func (s Seen) Discounted() bool { return s.g.Discounted(s.Val) }

// Earned reports whether a recurrence made what v holds of what an environment paid: then more of it is better, as is not said of
// the cost of a constraint, which is discounted in the same way.
func (g *Graph) Earned(v *infer.Val) bool {
	return g.madeOfSums(&g.earned, v, func(r Recurrence) bool {
		return slices.ContainsFunc(r.Added, func(t Term) bool { return t.Sign > 0 && t.Is(domain.Reward) && t.Q.Evidence <= domain.Used })
	})
}

// madeOfSums reports whether v is among what the recurrences asked for made, which d keeps.
func (g *Graph) madeOfSums(d *madeOfSums, v *infer.Val, asked func(Recurrence) bool) bool {
	d.once.Do(func() {
		sums := map[ast.Node]bool{}
		for _, r := range g.Recurrences() {
			if asked(r) {
				sums[r.Sum.Node] = true
			}
		}
		if len(sums) > 0 {
			d.made = g.MadeOf(func(x *infer.Val) bool { return sums[x.Node] }, func(x *infer.Val) bool { return !keepsHistory(x) })
		}
	})
	return d.made[v]
}

// HoldingReturn are the values that hold a sum of rewards, or what it is multiplied with or subtracted from, element by element.
func (g *Graph) HoldingReturn(sum *infer.Val) map[*infer.Val]bool {
	return g.MadeOf(func(x *infer.Val) bool { return infer.MadeAlike(x, sum) }, func(x *infer.Val) bool { return !keepsHistory(x) })
}

// keepsHistory reports whether what x was computed of is what it holds, not only what it was chosen or
// measured by.
func keepsHistory(x *infer.Val) bool {
	return infer.Through(x) != nil || x.IsOp("add", "sub", "mul", "div", "tensor", "stack", "cat", infer.OpPhi, infer.OpNarrow, infer.OpCall, infer.OpItem, infer.OpStore, infer.OpDisplay) ||
		x.Op == infer.OpIterate && len(x.In) > 0 && x.In[0] != nil && x.In[0].Ref == nil // a row of a tensor
}

// Masks are the factors of what is carried on that are 0 or 1: where they are 0 the sum begins anew.
func (r Recurrence) Masks() []Seen {
	return slices.DeleteFunc(FactorsOf(r.Carried.Seen).List, func(f Seen) bool { return !f.IsFlag() })
}

// Sums reports whether a term of a recurrence is one of a value target, or an element of what holds targets.
func (r Recurrence) Sums(b Bellman) bool {
	isTarget := func(t Term) bool {
		return slices.ContainsFunc(b.Next, func(n Bootstrap) bool { return !n.Carried && n.Val == t.Val })
	}
	return b.ahead() && slices.ContainsFunc(r.Added, func(t Term) bool {
		return isTarget(t) || slices.ContainsFunc(TermsOf(holder(t.Seen), t.Sign), isTarget)
	})
}

// holder is what s was taken out of by an index or in a loop: the whole array, or what was stored there just before.
func holder(s Seen) Seen {
	x := s.Strip()
	for range maxSteps {
		if !x.IsOp(infer.OpItem, infer.OpIterate) {
			break
		}
		x = x.Input(0).Strip()
		if x.IsOp(infer.OpStore) {
			return x.Input(1)
		}
	}
	return x
}

// MayEnd reports whether a recurrence may begin anew where an episode ends, or whether that is not known: what is carried on has a
// factor that is no discount, is replaced in the loop, or is computed in a branch; or the loop is left or goes on by itself.
func (g *Graph) MayEnd(r Recurrence) bool {
	at := PlaceOf(r.Sum)
	loops := Around(at)
	if len(loops) == 0 || g.EndsOwnBranch(r.Sum) || jumps(loops[len(loops)-1]) {
		return true
	}
	carried := false
	for _, f := range FactorsOf(r.Carried.Seen).List {
		switch {
		case !carried && isCarried(f, r.Sum):
			carried = true
			if replacedIn(loops[len(loops)-1], f.Strip().Val, r.Sum) || setBeside(loops[len(loops)-1], r.Sum) {
				return true
			}
		case !isDiscount(f), isOne(f) && !f.isSetting(): // nonterminal = 1.0 says that it is meant
			return true
		}
	}
	return !carried
}

func isOne(s Seen) bool {
	c, ok := s.Strip().Float()
	return ok && c == 1
}

// jumps reports whether a loop's own body leaves a round early.
func jumps(l Loop) bool {
	found := false
	ast.Walk(l.Stmt, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.Break, *ast.Continue, *ast.Return:
			found = true
		}
		return !found
	})
	return found
}

// replacedIn reports whether a variable gets another value in a loop than the sum.
func replacedIn(l Loop, v, sum *infer.Val) bool {
	found := false
	seen := map[*infer.Val]bool{}
	var visit func(*infer.Val)
	visit = func(v *infer.Val) {
		switch {
		case v == nil || seen[v] || len(seen) > maxRound:
		case v.Op == infer.OpPhi || infer.Through(v) != nil && v.Node != sum.Node:
			seen[v] = true
			for _, x := range v.In {
				visit(x)
			}
		default:
			seen[v] = true
			found = found || v.Node != nil && v.Frame == l.Frame && l.Stmt.Span().Covers(v.Node.Span()) && !keeps(v, sum)
		}
	}
	visit(v)
	return found
}

// setBeside reports whether a statement of a loop gives the variable that holds the sum another value, wherever that was made.
func setBeside(l Loop, sum *infer.Val) bool {
	held := map[string]bool{}
	Targets(l.Body(), func(t ast.Expr, by ast.Stmt) {
		if as, ok := by.(*ast.Assign); ok && as.Value == sum.Node {
			held[Path(t)] = true
		}
	})
	found := false
	Targets(l.Body(), func(t ast.Expr, by ast.Stmt) {
		as, ok := by.(*ast.Assign)
		found = found || ok && as.Value != sum.Node && held[Path(t)] && Path(t) != "" && !keeps(l.Frame.Val(as.Value), sum)
	})
	return found
}

// keeps reports whether v is a sum, or more is added to it, or it was stored and read again: nothing scales it.
func keeps(v, sum *infer.Val) bool {
	found := false
	infer.Walk(v, maxRound, func(x *infer.Val) bool {
		found = found || x.Node != nil && x.Node == sum.Node && x.Frame == sum.Frame
		return !found && (x.IsOp("add", "sub", infer.OpItem, infer.OpStore) || infer.Through(x) != nil)
	})
	return found
}

// OfRewards reports whether what a recurrence adds is a reward, or data of each step of which nothing is known.
func (r Recurrence) OfRewards() bool {
	return slices.ContainsFunc(r.Added, func(t Term) bool { return t.Sign > 0 && (t.IsReward() || t.isShapedReward(4)) })
}

// AddsTo reports whether a recurrence adds up values that a target counts: the errors of a generalised advantage.
func (g *Graph) AddsTo(r Recurrence) (Bellman, bool) {
	for _, b := range g.Bellmans() {
		if r.Sums(b) && b.ahead() {
			return b, true
		}
	}
	return Bellman{}, false
}

// AddedUp reports whether a sum is carried on from step to step, along a rollout that begins anew behind a cut: then what follows
// in the rollout is of another episode, and a cut is treated like an end for want of its last observation.
func (g *Graph) AddedUp(b Bellman) bool {
	return slices.ContainsFunc(b.Next, func(n Bootstrap) bool { return n.Carried }) ||
		slices.ContainsFunc(g.Recurrences(), func(r Recurrence) bool { return r.Sums(b) })
}
