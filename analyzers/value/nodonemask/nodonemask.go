// Package nodonemask is rule VAL002, no-done-mask; rule.md says what it finds.
package nodonemask

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets that count the value of the next state where there is none, though the program has the flag
// that says so.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	all := p.Bellmans()
	if len(all) > 0 && goesOnThrough(p) {
		return
	}
	for _, b := range all {
		if !bootstraps(b) && !startsAtZero(p, b) || b.EndsElsewhere() || ofEnvironment(b) || p.EndsOwnBranch(b.At.Val) || b.OnlyOfState() || keptByFlag(p, b) || zeroedInPlace(p, b) {
			continue
		}
		if related, ok := evidence(p, b); ok && !goesOn(p, b) && !slices.ContainsFunc(all, func(o query.Bellman) bool { return endsBeside(o, b) }) {
			p.Report(finding(b, related))
		}
	}
}

// ofEnvironment reports whether a sum stands in a class of an environment: what a network adds to a reward there is reward, and nothing is
// fitted to the sum.
func ofEnvironment(b query.Bellman) bool { return roles.InEnvClass(b.At.Val.Frame) }

// goesOn reports whether no step is the last: the flags of the program are limits of time alone, and what a sum counts is the value of the
// state that the step led to.
func goesOn(p *pass.Pass, b query.Bellman) bool {
	never, restarts := p.NeverTerminal()
	return never && (!restarts || !slices.ContainsFunc(b.Next, func(n query.Bootstrap) bool { return !n.Carried && !n.ChoosesSuccessor() }))
}

// endsBeside reports whether the loop of a sum holds another one, of other rewards, that the flag ends: an inner reward, as of novelty, is
// counted on beyond the end of an episode on purpose (Burda et al. 2018, section 2.3).
func endsBeside(other, b query.Bellman) bool {
	if other.At.Val == b.At.Val || other.At.Frame != b.At.Frame || !slices.ContainsFunc(other.Next, func(n query.Bootstrap) bool { return !n.Carried && n.Ends() }) {
		return false
	}
	for _, r := range other.Rewards {
		if slices.ContainsFunc(b.Rewards, func(x query.Term) bool { return infer.SameSource(x.Val, r.Val) }) {
			return false
		}
	}
	own, its := query.Around(query.PlaceOf(b.At.Val)), query.Around(query.PlaceOf(other.At.Val))
	return len(own) > 0 && len(its) == len(own) && its[len(its)-1].Stmt == own[len(own)-1].Stmt
}

// keptByFlag reports whether the program decides by a flag what it keeps of a reward: perhaps no last step is among what it
// keeps.
func keptByFlag(p *pass.Pass, b query.Bellman) bool {
	found := false
	for _, r := range b.Rewards {
		infer.Walk(r.Val, nearReward, func(v *infer.Val) bool {
			found = found || v.Is(domain.Reward) && slices.ContainsFunc(p.UsesOf(v), func(u *infer.Val) bool {
				return (u.Op == infer.OpDisplay || u.Op == infer.OpCall) && p.EndsOwnBranch(u)
			})
			return !found
		})
	}
	return found
}

// zeroedInPlace reports whether a function of the program fills the value of the next state with zeros in place, by a mask: who called it goes on with
// the same tensor.
func zeroedInPlace(p *pass.Pass, b query.Bellman) bool {
	return slices.ContainsFunc(p.Made("masked_fill"), func(v *infer.Val) bool {
		if query.CalleeName(v.Node) != "masked_fill_" || len(v.In) < 3 {
			return false
		}
		fill, ok := v.In[2].Float()
		return ok && fill == 0 &&
			slices.ContainsFunc(b.Next, func(n query.Bootstrap) bool { return infer.SameSource(v.In[0], n.Value.Val) })
	})
}

// nearReward bounds the way from a reward in a target back to where it was paid.
const nearReward = 60

// evidence is what shows that episodes end in what a sum is of.
func evidence(p *pass.Pass, b query.Bellman) ([]pass.Related, bool) {
	if !p.EndsBranch(b.At.Val) || b.OfManyRows() {
		if mask := maskOfCarry(p, b); mask.Known() {
			return p.Here(mask.Val, "this ends what is carried on, and not the value of the next step"), true
		}
		if idle := p.IdleRowFlags(query.PlaceOf(b.At.Val)); len(idle) > 0 {
			return p.There(idle[0], "this says which steps ended an episode, and nothing reads it"), true
		}
		if idle := idleFlag(p, b.At.Frame); idle.Known() {
			return p.There(idle, "this says which episodes ended, and nothing reads it"), true
		}
		if endsWithRows(b) {
			return nil, false
		}
		if unread := p.UnreadFlag(b); unread.Known() {
			return p.There(unread, "this says which episodes ended, and no target reads it"), true
		}
		if flags := flagsOf(p, b); len(flags) > 0 {
			return p.Here(flags[0], "this says which episodes ended"), !p.Meets(b.At.Val, flags) && !p.Decides(b.At.Frame, flags) && !b.StopsAtLastRow(flags)
		}
	}
	if steps := p.Roles.Unkept(); len(steps) > 0 {
		return p.There(steps[0].Place(), "what this yields is kept without the flag of the episode's end"), true
	}
	return nil, false
}

// idleFlag is a flag that the function around a sum has and does not read, or its callers.
func idleFlag(p *pass.Pass, f *infer.Frame) query.Place {
	for range 3 {
		if f == nil {
			break
		}
		if idle := p.IdleFlags(f); len(idle) > 0 {
			return idle[0]
		}
		f = f.Caller
	}
	return query.Place{}
}

// bootstraps reports whether a sum counts the value of a next state on every step.
func bootstraps(b query.Bellman) bool {
	fresh := slices.DeleteFunc(slices.Clone(b.Next), func(n query.Bootstrap) bool { return n.Carried && len(b.Next) > 1 })
	return !slices.ContainsFunc(fresh, func(n query.Bootstrap) bool { return n.Carried || n.Ends() })
}

// startsAtZero reports whether a sum counts the value of a next state on every step but the last, behind which it is 0, while the flag ends
// what the same loop carries on.
func startsAtZero(p *pass.Pass, b query.Bellman) bool {
	if slices.ContainsFunc(b.Next, func(n query.Bootstrap) bool { return n.Carried }) {
		return false
	}
	loops := query.Around(query.PlaceOf(b.At.Val))
	return len(loops) > 0 && maskOfCarry(p, b).Known() &&
		!slices.ContainsFunc(b.Next, func(n query.Bootstrap) bool { return n.EndsWithin(loops[len(loops)-1]) })
}

// endsWithRows reports whether a sum stands under the condition that the list of the steps goes so far: it is perhaps a list of one
// episode, behind which nothing follows.
func endsWithRows(b query.Bellman) bool {
	return b.At.Guarded(func(g *infer.Guard) bool {
		return g.Cond != nil && g.Cond.Frame == b.At.Frame && g.Cond.IsOp("lt", "le", "gt", "ge") && !query.InLoopTest(g.Cond) &&
			slices.ContainsFunc(g.Cond.In, func(v *infer.Val) bool { return v != nil && infer.Within(v, nearSize, isLength) })
	})
}

// nearSize bounds the way from what is compared to the length in it, as in len(steps) - 1.
const nearSize = 4

func isLength(v *infer.Val) bool { return v.IsOp(query.SizeOps...) }

// flagsOf are the flags that the program keeps beside the reward.
func flagsOf(p *pass.Pass, b query.Bellman) []*infer.Val {
	var out []*infer.Val
	for _, r := range b.Rewards {
		out = append(out, p.FlagsBeside(r.Seen)...)
	}
	return out
}

// maskOfCarry is what ends the advantage that a loop carries on, where the sum is a term of its delta.
func maskOfCarry(p *pass.Pass, b query.Bellman) query.Seen {
	for _, r := range p.Recurrences() {
		if masks := r.Masks(); len(masks) > 0 && r.Sums(b) {
			return masks[0]
		}
	}
	return query.Seen{}
}

func finding(b query.Bellman, related []pass.Related) pass.Finding {
	f := pass.At(b.At.Val, valueOf(b))
	f.Evidence, f.Related = domain.Derived, related
	return f
}

// valueOf is the value of the next state that a sum counts.
func valueOf(b query.Bellman) *infer.Val {
	i := max(0, slices.IndexFunc(b.Next, func(n query.Bootstrap) bool { return !n.Carried }))
	return b.Next[i].Value.Val
}
