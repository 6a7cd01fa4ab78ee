// Package returnleaksoverepisodes is rule ADV004, return-leaks-over-episodes; rule.md says what it finds.
package returnleaksoverepisodes

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports discounted sums over steps of several episodes that go on where an episode ends.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Endless() {
		return
	}
	beside := byLoop(p)
	for _, r := range p.Recurrences() {
		if r.Sum.Frame.Stale() {
			continue
		}
		if late, ok := resetLate(p, r); ok {
			report(p, r, late, "this comes after the sum: the last step of an episode has taken over the next episode's return by then")
		}
		b, gae := p.AddsTo(r)
		if !gae && !ofRewards(p, r) || p.MayEnd(r) {
			continue
		}
		if mask := maskedBeside(p, beside, r); mask.Known() {
			report(p, r, query.PlaceOf(mask.Val), "another sum in the same loop ends here with the episode")
		} else if row := complementRow(p, r); row.Known() {
			report(p, r, row, "this says where an episode goes on, and nothing reads it")
		} else if mask := vectorMask(r, b); gae && mask.Known() {
			report(p, r, query.PlaceOf(mask.Val), "this ends the next value alone, and environments that run side by side end one by one")
		} else if at := countedUpdate(p, r); at.Known() {
			report(p, r, at, "what is added up is of all steps since this was last true, several episodes")
		}
	}
}

// ofRewards reports whether the loop adds up rewards: by what is known of them, or because what it goes through is filled with what
// the steps of an environment pay.
func ofRewards(p *pass.Pass, r query.Recurrence) bool {
	if r.OfRewards() {
		return true
	}
	calls, _ := p.Roles.EnvCalls()
	return slices.ContainsFunc(rowsOf(p, r), func(s *roles.Slot) bool {
		return slices.ContainsFunc(s.Writes, func(w roles.Write) bool {
			return slices.ContainsFunc(calls, func(c roles.EnvCall) bool {
				return c.Unpacked && len(c.Into) > 2 && madeOf(w.Val, c.Frame.Val(c.Into[1]))
			})
		})
	})
}

// madeOf reports whether a value is a reward as it was paid, or scaled or clipped.
func madeOf(v, reward *infer.Val) bool {
	found := false
	infer.Walk(v, nearRow, func(x *infer.Val) bool {
		found = found || x == reward && reward != nil
		return !found && x.IsOp("mul", "div", "clip", "clamp", "sign", "float", "tensor", "as_tensor", infer.OpNarrow, infer.OpItem, infer.OpPhi)
	})
	return found
}

// byLoop are the recurrences of each loop.
func byLoop(p *pass.Pass) map[query.Loop][]query.Recurrence {
	out := map[query.Loop][]query.Recurrence{}
	for _, r := range p.Recurrences() {
		if loops := query.Around(query.PlaceOf(r.Sum)); len(loops) > 0 {
			l := loops[len(loops)-1]
			out[l] = append(out[l], r)
		}
	}
	return out
}

// maskedBeside is the mask of another recurrence in the same loop, of the same rewards: those of curiosity, say, may be meant to
// run on over the ends of episodes.
func maskedBeside(p *pass.Pass, beside map[query.Loop][]query.Recurrence, r query.Recurrence) query.Seen {
	loops := query.Around(query.PlaceOf(r.Sum))
	for _, o := range beside[loops[len(loops)-1]] {
		if o.Sum.Node == r.Sum.Node || !sameRewards(p, o, r) {
			continue
		}
		if masks := o.Masks(); len(masks) > 0 {
			return masks[0]
		}
	}
	return query.Seen{}
}

// sameRewards reports whether two recurrences add rewards out of one container.
func sameRewards(p *pass.Pass, a, b query.Recurrence) bool {
	of := rewardsOf(p, b)
	return slices.ContainsFunc(rewardsOf(p, a), func(x *infer.Val) bool {
		return slices.ContainsFunc(of, func(y *infer.Val) bool { return infer.SameSource(x, y) })
	})
}

// rewardsOf are the containers of the rewards that a recurrence adds, by themselves or in the errors that it adds.
func rewardsOf(p *pass.Pass, r query.Recurrence) (out []*infer.Val) {
	terms := r.Added
	if b, ok := p.AddsTo(r); ok {
		terms = b.Rewards
	}
	for _, t := range terms {
		v := infer.Strip(t.Val)
		if v != nil && v.IsOp(infer.OpItem) && len(v.In) > 0 {
			v = v.In[0]
		}
		out = append(out, v)
	}
	return out
}

// complementRow is a variable of the loop that holds 1 - done of each step and is never read: nobody computes that for anything
// else.
func complementRow(p *pass.Pass, r query.Recurrence) query.Place {
	for _, at := range p.IdleRowFlags(query.PlaceOf(r.Sum)) {
		found := false
		infer.Walk(at.Frame.Val(at.Node), nearRow, func(v *infer.Val) bool {
			found = found || p.See(v).IsOneMinus()
			return !found
		})
		if found {
			return at
		}
	}
	return query.Place{}
}

// nearRow bounds the way from an element of a list back to what was appended.
const nearRow = 24

// vectorMask is the mask of the next value in the delta, where it is of several environments.
func vectorMask(r query.Recurrence, b query.Bellman) query.Seen {
	// Of deltas that are computed of all steps at once the first axis may be that of time, as that of a list is.
	each := b.At.Known() && slices.Equal(query.Around(query.PlaceOf(b.At.Val)), query.Around(query.PlaceOf(r.Sum)))
	for _, n := range b.Next {
		for _, m := range n.Masks {
			if !n.Carried && isVector(m, each) {
				return m
			}
		}
	}
	return query.Seen{}
}

// isVector reports whether a mask has an element for each environment: at one of two steps is at both. Where it is computed for each
// step by itself it may be a tensor of a list, of which no more is known than that nobody wrote its elements out.
func isVector(mask query.Seen, each bool) bool {
	x := mask.Strip()
	if x.Known() && x.IsOneMinus() {
		mask = x.Input(1)
		x = mask.Strip()
	}
	return onBranch(x, isLong) || each && onBranch(mask, isListed)
}

// onBranch reports whether something holds of a value, or of what it is on some branch.
func onBranch(s query.Seen, holds func(*infer.Val) bool) bool {
	return s.Known() && (holds(s.Val) || s.Op == infer.OpPhi && slices.ContainsFunc(s.In, holds))
}

// isLong reports whether a value has an axis, and is no list of one that is written out, nor one number for all. The axis may be 1 by a
// setting: that is its default.
func isLong(v *infer.Val) bool {
	if v == nil || v.Q.Shape.MinRank() == 0 || infer.Strip(v).IsOp("full", "full_like", "new_full") {
		return false
	}
	list := listOf(v)
	return list == nil || len(list.Elems) != 1
}

// isListed reports whether a value is a tensor of a list of any length.
func isListed(v *infer.Val) bool {
	if !isLong(v) {
		return false
	}
	list := listOf(v)
	return list != nil && list.Elems == nil
}

// listOf is the list that a tensor is made of, or nil.
func listOf(v *infer.Val) *infer.SeqRef {
	list, _ := infer.RefOf(infer.Strip(v)).(*infer.SeqRef)
	return list
}

// countedUpdate is the condition under which the sum is computed for steps or episodes that the program counts, in a loop that
// collects: the container is not made anew in that loop.
func countedUpdate(p *pass.Pass, r query.Recurrence) query.Place {
	var at query.Place
	r.Sum.Guarded(func(c *infer.Guard) bool {
		if !c.Sense || c.Cond == nil || !isEvery(c.Cond) || madeInside(p, r, c.Cond) {
			return false
		}
		for _, l := range query.Around(query.PlaceOf(c.Cond)) {
			if steps(p, l) && !beginsAnew(p, l, c.Cond) {
				at = query.PlaceOf(c.Cond)
				return true
			}
		}
		return false
	})
	return at
}

// isEvery reads a condition as count % n == 0.
func isEvery(c *infer.Val) bool {
	return c.IsOp("eq") && len(c.In) > 1 && c.In[0].IsOp("mod") && c.In[1] != nil && c.In[1].Const == int64(0)
}

// steps reports whether a loop steps an environment.
func steps(p *pass.Pass, l query.Loop) bool {
	calls, _ := p.Roles.EnvCalls()
	return slices.ContainsFunc(calls, func(c roles.EnvCall) bool { return p.Roles.Inside(l, c.Place()) })
}

// madeInside reports whether the container of the rewards is made or emptied in a loop around a condition, in a function that is called
// there, or that is not known. Where it is emptied only under the condition, it holds all since that was last true.
func madeInside(p *pass.Pass, r query.Recurrence, cond *infer.Val) bool {
	slots := rowsOf(p, r)
	return len(slots) == 0 || slices.ContainsFunc(slots, func(s *roles.Slot) bool {
		made := s.Buffer.Made
		return made == nil || made.Node == nil || slices.ContainsFunc(query.Around(query.PlaceOf(cond)), func(l query.Loop) bool {
			return p.Roles.Inside(l, query.PlaceOf(made)) || slices.ContainsFunc(s.Emptied, func(at query.Place) bool {
				return p.Roles.Inside(l, at) && !under(at, cond)
			})
		})
	})
}

// beginsAnew reports whether an episode ends where a condition of a loop holds: nothing else in the loop resets an environment.
func beginsAnew(p *pass.Pass, l query.Loop, cond *infer.Val) bool {
	_, resets := p.Roles.EnvCalls()
	found := false
	for _, c := range resets {
		if !p.Roles.Inside(l, c.Place()) {
			continue
		}
		if !under(c.Place(), cond) {
			return false
		}
		found = true
	}
	return found
}

// under reports whether a place is reached only where a condition holds: it stands in its branch, or in a function that is called there.
func under(at query.Place, cond *infer.Val) bool {
	for range 8 {
		if !at.Known() {
			break
		}
		if at.Frame == cond.Frame {
			return slices.ContainsFunc(query.Branches(at), func(b query.Branch) bool { return b.Then && b.If.Cond == cond.Node })
		}
		at = query.PlaceOf(at.Frame.Call)
	}
	return false
}

// rowsOf are the parts of containers that the loop around a sum goes through, or that the sum indexes.
func rowsOf(p *pass.Pass, r query.Recurrence) (out []*roles.Slot) {
	f := r.Sum.Frame
	add := func(n ast.Node) bool {
		switch n.(type) {
		case *ast.Name, *ast.Attribute:
			if v := f.Val(n); v != nil && v.Ref != nil {
				out = append(out, p.Roles.SlotsOf(v)...)
			}
		}
		return true
	}
	loops := query.Around(query.PlaceOf(r.Sum))
	if loop, ok := loops[len(loops)-1].Stmt.(*ast.For); ok {
		ast.Walk(loop.Iter, add)
	}
	ast.Walk(r.Sum.Node, add)
	return out
}

// resetLate is where a loop that goes backwards sets what it carries on to 0 at the flag of a step, behind the sum of that step.
func resetLate(p *pass.Pass, r query.Recurrence) (query.Place, bool) {
	loops := query.Around(query.PlaceOf(r.Sum))
	if len(loops) == 0 || !ofRewards(p, r) {
		return query.Place{}, false
	}
	loop, ok := loops[len(loops)-1].Stmt.(*ast.For)
	if !ok || query.DirectionOf(loops[len(loops)-1], func() bool { return false }) != query.Backward {
		return query.Place{}, false
	}
	behind, name := false, ""
	for _, st := range loop.Body {
		switch st := st.(type) {
		case *ast.Assign:
			if target, ok := st.Targets[0].(*ast.Name); ok && len(st.Targets) == 1 && st.Value.Span().Covers(r.Sum.Node.Span()) {
				behind, name = true, target.Ident
			}
		case *ast.If:
			if behind && len(st.Else) == 0 && zeroes(st.Then, name) && isStepsFlag(p, r.Sum.Frame, st.Cond) {
				return query.Place{Frame: r.Sum.Frame, Node: st.Cond}, true
			}
		}
	}
	return query.Place{}, false
}

// zeroes reports whether a body does nothing but set a variable to 0.
func zeroes(body []ast.Stmt, name string) bool {
	as := query.OnlyAssignment(body)
	if as == nil {
		return false
	}
	target, ok := as.Targets[0].(*ast.Name)
	n, isNumber := as.Value.(*ast.Number)
	return ok && isNumber && target.Ident == name && (n.Text == "0" || n.Text == "0.0" || n.Text == "0.")
}

// isStepsFlag reports whether a condition is the flag that the step yielded whose reward is added: it was kept as the
// environment returned it, and not as it was before the step.
func isStepsFlag(p *pass.Pass, f *infer.Frame, cond ast.Expr) bool {
	v := f.Val(cond)
	if v == nil || !p.See(v).IsFlag() {
		return false
	}
	if isYieldedFlag(p, v) { // an element of a list is the very value that was appended
		return true
	}
	slots := p.Roles.SlotsOf(v)
	return len(slots) > 0 && !slices.ContainsFunc(slots, func(s *roles.Slot) bool {
		return slices.ContainsFunc(s.Writes, func(w roles.Write) bool { return !isYieldedFlag(p, w.Val) })
	})
}

// isYieldedFlag reports whether a value is the flag that a step of an environment has just yielded.
func isYieldedFlag(p *pass.Pass, v *infer.Val) bool {
	calls, _ := p.Roles.EnvCalls()
	x := infer.Strip(v)
	return x != nil && x.Op != infer.OpPhi && (x.Is(domain.Done|domain.Terminated) || slices.ContainsFunc(calls, func(c roles.EnvCall) bool {
		return c.Unpacked && len(c.Into) > 2 && infer.Strip(c.Frame.Val(c.Into[2])) == x
	}))
}

func report(p *pass.Pass, r query.Recurrence, at query.Place, note string) {
	f := pass.At(r.Sum, r.Carried.Val)
	f.Evidence, f.Related = domain.Derived, p.There(at, note)
	p.Report(f)
}
