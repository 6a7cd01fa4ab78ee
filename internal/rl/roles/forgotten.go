package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Forgotten is a KL that is computed with its gradient and dropped: a penalty that
// was meant for the loss. The reference's log-probabilities may come from anywhere, a
// batch or another process.
type Forgotten struct {
	KL query.Seen
	// LogProb is the side that the loss improves.
	LogProb query.Seen
}

// ForgottenDivergences returns the KLs between the policy of a loss and something
// that is no part of the loss, of which nothing is made: not even a metric. One that
// is logged may be there to be watched, and one to the denominator of the ratio tells
// how far the policy moved.
func (m *Model) ForgottenDivergences() []Forgotten {
	if len(m.Losses()) == 0 {
		return nil
	}
	var out []Forgotten
	var losses []map[*infer.Val]bool
	for _, v := range m.g.Made("add", "sub", "kl_div", "kl_divergence") {
		if v.Q.Grad == domain.Detached || v.Node == nil || !isWholeDivergence(m.g, v) {
			continue
		}
		if losses == nil {
			losses = m.policyLosses()
		}
		for _, loss := range losses {
			if lp, ok := m.comparesWith(m.g.See(v), loss); ok && m.FateOf(v).Idle() {
				out = append(out, Forgotten{m.g.See(v), lp})
				break
			}
		}
	}
	return out
}

// isWholeDivergence reports whether v is a KL by its form, and no part of the
// expression of one.
func isWholeDivergence(g *query.Graph, v *infer.Val) bool {
	is := func(v *infer.Val) bool {
		s := g.See(v)
		return s.IsK3() || v.IsOp("kl_div", "kl_divergence") && v.Fn != nil
	}
	return is(v) && !slices.ContainsFunc(g.UsesOf(v), func(u *infer.Val) bool { return u.IsOp("add", "sub") && is(u) })
}

// maxParts bounds the values of all losses, of which each may be made of those before.
const maxParts = 1 << 18

// policyLosses returns, for each loss that improves a policy, what it is made of.
func (m *Model) policyLosses() []map[*infer.Val]bool {
	out := []map[*infer.Val]bool{}
	room := maxParts
	for _, l := range m.Losses() {
		if room <= 0 || !l.Improves() {
			continue
		}
		parts := map[*infer.Val]bool{}
		infer.Walk(l.Value.Val, 20000, func(v *infer.Val) bool { parts[v] = true; return true })
		room -= len(parts)
		out = append(out, parts)
	}
	return out
}

// comparesWith reports whether a divergence is one of the log-probabilities of a loss
// to others that are no part of it, and returns the former.
func (m *Model) comparesWith(kl query.Seen, loss map[*infer.Val]bool) (lp query.Seen, ok bool) {
	foreign := false
	for _, s := range m.sidesOf(kl) {
		switch in := loss[s.Val] || loss[s.Strip().Val]; {
		case in && s.Is(domain.LogProb|domain.Prob|domain.Distribution) && s.Q.Grad != domain.Detached:
			lp = s
		case in: // the denominator of the ratio
			return query.Seen{}, false
		default:
			foreign = true
		}
	}
	return lp, foreign && lp.Known()
}

// sidesOf are the two that a divergence compares.
func (m *Model) sidesOf(kl query.Seen) []query.Seen {
	kl = kl.Strip()
	if kl.IsOp("kl_div", "kl_divergence") {
		return []query.Seen{kl.Input(0), kl.Input(1)}
	}
	var out []query.Seen
	for _, t := range query.TermsOf(kl, 1) {
		if x := t.Strip(); x.Known() && x.IsOp("exp", "expm1") {
			for _, side := range query.TermsOf(x.Input(0), 1) {
				out = append(out, side.Seen)
			}
		}
	}
	return out
}
