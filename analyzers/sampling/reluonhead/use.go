package reluonhead

import (
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
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
func bootstraps(p *pass.Pass, v *infer.Val) bool { return bootstrapsWithin(p, v, 8) }

func bootstrapsWithin(p *pass.Pass, v *infer.Val, depth int) bool {
	for _, u := range p.UsesOf(v) {
		switch {
		case u.IsOp("add") && u.Is(domain.Return) && len(u.In) > 1:
			if infer.Strip(u.In[0]).Is(domain.Reward) || infer.Strip(u.In[1]).Is(domain.Reward) {
				return true
			}
		case depth > 0 && (infer.Through(u) == v || u.Op == infer.OpPhi || u.IsOp("mul", infer.OpItem)) && bootstrapsWithin(p, u, depth-1):
			return true
		}
	}
	return false
}
