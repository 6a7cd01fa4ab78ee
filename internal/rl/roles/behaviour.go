package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Policies that act in place of the one in training
//
// Some programs keep two of a policy: one acts, and its log-probabilities are kept for the ratio; the other learns, and is copied into the
// first after each update.

// Behaviours returns the networks of which the denominators of clipped ratios were kept when they acted, each as the Target of the policy
// in training; At is what was kept.
func (m *Model) Behaviours() (out []Bootstrap) {
	for _, s := range m.Surrogates() {
		d := s.Ratio.Exponent().Difference()
		if s.Exp || !s.AroundOne() || !d.Known() || len(d.In) < 2 {
			continue
		}
		for _, n := range m.Networks {
			if m.learnsIn(n) || m.Learns(n) || m.IsLayer(n) {
				continue
			}
			policy := m.acting(n, d.In[0])
			if policy == nil {
				continue
			}
			if at := m.keptOf(d.In[1], n, policy); at != nil && !slices.ContainsFunc(out, func(b Bootstrap) bool { return b.Target == n }) {
				out = append(out, Bootstrap{n, policy, at})
			}
		}
	}
	return out
}

// acting is the network of the kind of n that is in training, as a whole or in parts, and that v was computed with; nil for none.
func (m *Model) acting(n *Network, v *infer.Val) *Network {
	i := slices.IndexFunc(m.Networks, func(x *Network) bool {
		return x != n && (x.CopyOf == n || n.CopyOf == x || sameClass(x, n) || writtenAlike(x, n)) && !m.IsLayer(x) && m.learnsIn(x) && m.Uses(v, x)
	})
	if i < 0 {
		return nil
	}
	return m.Networks[i]
}

// learnsIn reports whether an optimizer holds a network, or a part of it.
func (m *Model) learnsIn(n *Network) bool {
	own := m.LayersOf(n)
	return n.Trained || slices.ContainsFunc(m.Networks, func(x *Network) bool { return x.Trained && own[x.Ref] })
}

// keptOf is what was kept, while data was collected, of what a network yields, and v was read from; nil where another one may have a part in it.
func (m *Model) keptOf(v *infer.Val, n, other *Network) (at *infer.Val) {
	for _, slot := range m.SlotsOf(v) {
		for _, w := range slot.Writes {
			if !w.Collected || !m.Uses(w.Val, n) || m.Uses(w.Val, other) {
				return nil
			}
			at = w.Val
		}
	}
	return at
}
