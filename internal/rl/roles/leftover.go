package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// HasEffect reports whether it may matter that a loss sends gradients into a part of it: an
// optimizer may step with them, or the graph of the part is gone when another backward needs it.
// Gradients that are set to zero before anybody steps do nothing.
func (m *Model) HasEffect(l Loss, part query.Seen) bool {
	networks := m.Reached(part.Val)
	if !l.Backward.Known() || len(networks) == 0 || len(m.g.Made("grad", "_grad")) > 0 { // who reads gradients may hand them on
		return true
	}
	var holders []*Optimizer
	for _, o := range m.Optimizers {
		if !o.Complete {
			return true
		}
		if m.Overlap(networks, o.Networks) {
			holders = append(holders, o)
		}
	}
	if len(holders) == 0 {
		return len(m.Optimizers) == 0
	}
	steps, zeros, again := m.moments(l, part, holders, networks)
	from, made := query.PlaceOf(l.Backward.Val), query.PlaceOf(part.Strip().Val)
	at := []query.Place{from}
	if made.Known() {
		at = append(at, made)
	}
	for _, places := range []map[query.Place]bool{steps, zeros, again} {
		for p := range places {
			at = append(at, p)
		}
	}
	seen := false
	for order := range m.Orders(at) {
		for _, e := range order.Events {
			switch {
			case steps[e.Place]:
				seen = true
				last := e.Before(func(x *Event) bool { return zeros[x.Place] || x.Place == from })
				if slices.ContainsFunc(last, func(x *Event) bool { return !zeros[x.Place] }) {
					return true
				}
			case e.Place == from && len(again) > 0:
				next := e.After(func(x *Event) bool { return again[x.Place] || x.Place == made })
				if slices.ContainsFunc(next, func(x *Event) bool { return again[x.Place] }) {
					return true
				}
			}
		}
	}
	return !seen
}

// Reached are the networks into which backward() from v sends gradients.
func (m *Model) Reached(v *infer.Val) []*Network {
	var out []*Network
	query.InGraph(v, func(x *infer.Val) bool {
		if n := m.Network(x); n != nil && !slices.Contains(out, n) {
			out = append(out, n)
		}
		return true
	})
	return out
}

// moments are the steps of optimizers, the calls that set all gradients of their networks to zero, and the
// backwards that go through the part once more, where the first does not retain its graph.
func (m *Model) moments(l Loss, part query.Seen, holders []*Optimizer, networks []*Network) (steps, zeros, again map[query.Place]bool) {
	steps, zeros, again = map[query.Place]bool{}, map[query.Place]bool{}, map[query.Place]bool{}
	for _, o := range holders {
		for _, at := range m.StepsOf(o) {
			steps[at] = true
		}
	}
	for _, v := range m.g.Made("zero_grad") {
		if len(v.In) == 0 || v.In[0] == nil || v.In[0].Ref == nil || !query.PlaceOf(v).Known() {
			continue
		}
		of := []infer.Ref{v.In[0].Ref}
		for _, o := range m.Optimizers {
			if o.Val.Ref == of[0] {
				of = nil
				for _, n := range o.Networks {
					of = append(of, n.Ref)
				}
			}
		}
		if !slices.ContainsFunc(networks, func(n *Network) bool {
			return !slices.ContainsFunc(of, func(whole infer.Ref) bool { return m.Holds(whole, n.Ref) })
		}) {
			zeros[query.PlaceOf(v)] = true
		}
	}
	if query.HasKeyword(l.Backward.Val, "retain_graph") {
		return steps, zeros, again
	}
	for _, b := range m.Backwards {
		if b.Call == l.Backward.Val || query.GraphHolds(b.Loss, part.Strip().Val) {
			again[query.PlaceOf(b.Call)] = true
		}
	}
	return steps, zeros, again
}
