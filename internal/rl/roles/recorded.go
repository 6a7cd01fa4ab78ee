package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Recorded is an evaluation of a network that nothing trains, through which the gradients of a loss flow all the same.
type Recorded struct {
	Network *Network
	At      *infer.Val
	Loss    Loss
}

// Recorded returns the evaluations of idle networks on that side of an error which another network is trained towards: a
// gradient is of no use there. Where the network is asked about what a network in training yields, as a critic is about an
// actor's actions, it may be of use, unless what it yields is scaled and added to something, as a target network's is.
func (m *Model) Recorded() (out []Recorded) {
	idle := m.idle()
	if len(idle) == 0 {
		return nil
	}
	for _, l := range m.Losses() {
		if !l.Backward.Known() {
			continue
		}
		errors := attachedTo(l.Value.Val)
		infer.Walk(l.Value.Val, nearLoss, func(v *infer.Val) bool {
			if pair := errorSides(l.Value.Of(v)); len(pair) == 2 && errors[v] {
				out = append(out, m.recordedIn(l, pair[0], pair[1], idle)...)
				out = append(out, m.recordedIn(l, pair[1], pair[0], idle)...)
			}
			return true
		})
	}
	return out
}

// recordedIn are the evaluations of idle networks in a target, where the prediction is that of a network in training
// that the target does not go back into.
func (m *Model) recordedIn(l Loss, target, prediction query.Seen, idle []*Network) (out []Recorded) {
	if !target.Known() || !prediction.Known() {
		return nil
	}
	learning := m.learningIn(prediction.Val, idle)
	if len(learning) == 0 || m.Overlap(learning, m.learningIn(target.Val, idle)) {
		return nil
	}
	graph := attachedTo(target.Val)
	shares := sharesOf(target)
	note := func(n *Network, v *infer.Val) {
		if slices.ContainsFunc(shares, func(s share) bool { return slices.Contains(s.parts, v) }) || len(m.learningIn(v, idle)) == 0 {
			out = append(out, Recorded{n, v, l})
		}
	}
	for _, n := range idle {
		for _, v := range m.Calls(n) {
			if flowsIn(v, graph) {
				note(n, v)
			}
		}
	}
	infer.Walk(target.Val, nearLoss, func(v *infer.Val) bool {
		if n := m.oneOf(v, idle); graph[v] && n != nil {
			note(n, v)
		}
		return true
	})
	return out
}

// oneOf returns the network of a list that v is a call of. Where the method that loads a checkpoint makes networks anew, it may
// be any of several: then all have to be of the list, and the first stands for them.
func (m *Model) oneOf(v *infer.Val, networks []*Network) *Network {
	call, ok := v.Node.(*ast.Call)
	if !ok || v.Frame == nil {
		return nil
	}
	called := v.Frame.Val(call.Fun)
	if called == nil || called.Op != infer.OpPhi || called.Ref != nil {
		if n := m.Network(called); slices.Contains(networks, n) {
			return n
		}
		return nil
	}
	for _, in := range called.In {
		if !slices.Contains(networks, m.Network(in)) {
			return nil
		}
	}
	return m.Network(called.In[0])
}

// idle are the networks that surely no optimizer holds and that nothing may have frozen.
func (m *Model) idle() (out []*Network) {
	if len(m.Optimizers) == 0 || slices.ContainsFunc(m.Optimizers, func(o *Optimizer) bool { return o.Open }) {
		return nil
	}
	for _, n := range m.Networks {
		_, all := m.evaluations(n)
		if all && !m.IsLayer(n) && m.HasWeights(n.Ref) && !slices.ContainsFunc(m.Networks, func(x *Network) bool {
			return (x.Trained || x.Frozen || x.Switched) && (m.Holds(x.Ref, n.Ref) || m.Holds(n.Ref, x.Ref))
		}) {
			out = append(out, n)
		}
	}
	return out
}

// learningIn are the networks in training that gradients from v go back into. What an idle network does is left out: it may
// be the copy of one in training, and inference knows one set of layers for both.
func (m *Model) learningIn(v *infer.Val, idle []*Network) (out []*Network) {
	query.InGraph(v, func(x *infer.Val) bool {
		if x.Is(domain.Module) || slices.ContainsFunc(idle, func(n *Network) bool { return methodOf(x.Frame, map[infer.Ref]bool{n.Ref: true}) }) {
			return true
		}
		for in := range x.Sources {
			if n := m.Network(in); n != nil && m.Learns(n) && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
		return true
	})
	return out
}

// attachedTo are the values through which gradients surely flow from v.
func attachedTo(v *infer.Val) map[*infer.Val]bool {
	out := map[*infer.Val]bool{}
	infer.Walk(v, nearLoss, func(x *infer.Val) bool {
		out[x] = x.Q.Grad == domain.Attached && !x.NoGrad
		return query.IsContainer(x) || out[x] && (x.Op == infer.OpPhi || !x.Is(domain.Module))
	})
	return out
}

// flowsIn reports whether what a network yields, a tensor or one of several, is in a graph.
func flowsIn(v *infer.Val, graph map[*infer.Val]bool) bool {
	return slices.ContainsFunc(nested(v), func(part *infer.Val) bool { return graph[part] })
}
