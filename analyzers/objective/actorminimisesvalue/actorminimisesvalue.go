// Package actorminimisesvalue is rule OBJ080, actor-minimises-value; rule.md says what it finds.
package actorminimisesvalue

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

// Analyzer reports losses of an actor that fall as the critic's value of its action falls.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Roles.Maximises() || len(p.Bellmans()) == 0 {
		return
	}
	for _, l := range p.Roles.Losses() {
		for _, j := range p.Roles.Judged(l) {
			if j.Meant > 0 && countsRewards(p, j.Critic) && !hasRival(p, j.Actor) {
				f := pass.At(j.At, j.At)
				f.Evidence = domain.Derived
				f.Related = p.BackwardOf(l)
				p.Report(f)
			}
		}
	}
}

// hasRival reports whether another network of the actor's class is trained beside it: of two players, one is trained to lower what the
// other one raises.
func hasRival(p *pass.Pass, actor *roles.Network) bool {
	of, ok := actor.Ref.(*infer.Instance)
	return ok && slices.ContainsFunc(p.Roles.Networks, func(n *roles.Network) bool {
		o, ok := n.Ref.(*infer.Instance)
		return ok && o != of && o.Class == of.Class && n.CopyOf == nil && p.Roles.IsHeld(n) && query.PlaceOf(n.Val).Frame == query.PlaceOf(actor.Val).Frame
	})
}

// countsRewards reports whether a critic is trained on sums of rewards, so that a large value is a good one, and not of costs.
func countsRewards(p *pass.Pass, critic *roles.Network) bool {
	return slices.ContainsFunc(p.Roles.Bootstraps(), func(b roles.Bootstrap) bool {
		return b.Online == critic && slices.ContainsFunc(p.Bellmans(), func(t query.Bellman) bool {
			return infer.Reaches(b.At, t.At.Val, nearTarget) && !slices.ContainsFunc(t.Rewards, isCost)
		})
	})
}

// nearTarget bounds the way from a target back to the network that it bootstraps from.
const nearTarget = 400

func isCost(r query.Term) bool { return !r.IsReward() }
