package reluonhead

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// drawn reports whether actions are drawn from probabilities, or whether the
// log-probability of one is taken.
func drawn(p *pass.Pass, v *infer.Val) bool { return drawnWithin(p, v, 6) }

func drawnWithin(p *pass.Pass, v *infer.Val, depth int) bool {
	for _, u := range p.UsesOf(v) {
		switch {
		case u.Is(domain.Distribution), u.IsOp("multinomial", "choice"):
			return true
		case u.IsOp("gather") && len(u.In) > 0 && u.In[0] == v && u.Is(domain.LogProb|domain.Prob):
			return true
		case depth > 0 && (infer.Through(u) == v || u.Op == infer.OpPhi || u.IsOp("log")) && drawnWithin(p, u, depth-1):
			return true
		}
	}
	return false
}

// bootstraps reports whether v is discounted and added to a reward.
func bootstraps(p *pass.Pass, v *infer.Val) bool { return bootstrapsWithin(p, v, false, 8) }

// bootstrapsWithin is bootstraps, where v is discounted already or not. What a discounted
// value is added to is a reward, if it is nothing else.
func bootstrapsWithin(p *pass.Pass, v *infer.Val, discounted bool, depth int) bool {
	for _, u := range p.UsesOf(v) {
		switch {
		case u.IsOp("add") && len(u.In) > 1:
			other := u.In[0]
			if infer.Strip(other) == infer.Strip(v) {
				other = u.In[1]
			}
			isReward := other.Is(domain.Reward) || infer.Strip(other).Is(domain.Reward)
			if isReward && u.Is(domain.Return) || discounted && mayBeReward(other) {
				return true
			}
		case depth > 0 && (infer.Through(u) == v || u.Op == infer.OpPhi || u.IsOp("mul", infer.OpItem) || isStored(u, v)) && bootstrapsWithin(p, u, discounted || isDiscounted(p, u), depth-1):
			return true
		}
	}
	return false
}

// isStored reports whether u is v with something stored in it, or what v was stored in, as for the states that have a next one.
func isStored(u, v *infer.Val) bool { return u.Op == infer.OpStore && (u.In[0] == v || u.In[1] == v) }

// isDiscounted reports whether one of the factors of u is a number below 1.
func isDiscounted(p *pass.Pass, u *infer.Val) bool {
	return u.IsOp("mul") && slices.ContainsFunc(query.FactorsOf(p.See(u)).List, func(x query.Seen) bool {
		c, ok := x.Float()
		return ok && 0 < c && c < 1
	})
}

// mayBeReward reports whether v may be a reward: a tensor of which nothing is known but what a simulated
// environment makes its rewards of, numbers and comparisons.
func mayBeReward(v *infer.Val) bool {
	return v != nil && v.Const == nil && v.Q.Grad != domain.Attached && (!v.Q.Kind.Known() || v.May(domain.Reward|domain.Return|domain.Number|domain.Mask))
}
