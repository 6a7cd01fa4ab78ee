package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// near bounds the way from a parameter back to the call that listed it.
const near = 50

// listed returns the network whose parameters v lists; ok is false
// for a value that lists none, and n nil for a network that is not known.
func (m *Model) listed(v *infer.Val) (n *Network, ok bool) {
	if !v.IsOp("parameters", "named_parameters") || len(v.In) == 0 {
		return nil, false
	}
	return m.Network(v.In[0]), true
}

// maxNetworks bounds the networks whose parameters are in one list.
const maxNetworks = 64

// ParametersOf returns the networks whose parameters a value lists; all says that it
// holds no others.
func (m *Model) ParametersOf(list *infer.Val) (networks []*Network, all bool) {
	networks, all, within := m.parametersOf(list)
	return networks, all && within && len(networks) > 0
}

// parametersOf is ParametersOf, also of a list that holds no network's; within says that no bound was hit.
func (m *Model) parametersOf(list *infer.Val) (networks []*Network, all, within bool) {
	all = list != nil
	within = m.walk(list, func(v *infer.Val) bool {
		n, lists := m.listed(v)
		switch {
		case len(networks) == maxNetworks:
			return false
		case n != nil:
			if !slices.Contains(networks, n) {
				networks = append(networks, n)
			}
		case lists, v.IsOp(infer.OpParam, infer.OpUnknown) && v.Ref == nil:
			all = false
		}
		return !lists
	})
	return networks, all, within && len(networks) < maxNetworks
}

// linkOptimizer finds the networks whose parameters went into an optimizer. Its
// parameters are its first argument; what the others are does not matter. Where they are
// too many, any network may be among them.
func (m *Model) linkOptimizer(o *Optimizer) {
	for i, in := range o.Val.In {
		networks, all, within := m.parametersOf(in)
		for _, n := range networks {
			n.Trained = true
			if !slices.Contains(o.Networks, n) {
				o.Networks = append(o.Networks, n)
			}
		}
		if i == 0 {
			o.Complete = all && within && len(networks) > 0
			o.Open = !all || !within
		}
		if !within && !m.allTrained {
			m.allTrained = true
			for _, n := range m.Networks {
				n.Trained = true
			}
		}
	}
}

// OnlyOptimizer returns the one optimizer that steps some networks, all of them; nil
// where another may hold one of them too.
func (m *Model) OnlyOptimizer(networks []*Network) *Optimizer {
	var only *Optimizer
	for _, o := range m.Optimizers {
		held := 0
		for _, n := range networks {
			if slices.ContainsFunc(o.Networks, func(whole *Network) bool { return m.Holds(whole.Ref, n.Ref) }) {
				held++
			}
		}
		switch {
		case held == len(networks) && only == nil:
			only = o
		case held > 0 || !o.Complete:
			return nil
		}
	}
	return only
}

// GradClip is a call that clips gradients, by their norm or each by its value.
type GradClip struct {
	Call *infer.Val
	// Networks are those whose gradients it clips; none where not all are known.
	Networks []*Network
	// Max is the bound: infinite where the call only measures, 0 where it is not known.
	Max float64
}

// GradClips returns the calls that clip gradients.
func (m *Model) GradClips() []GradClip {
	var out []GradClip
	for _, v := range m.g.Made("clip_grad_norm", "clip_grad_value") {
		call, ok := v.Node.(*ast.Call)
		if !ok || v.Frame == nil || v.Frame.Val(v.Node) != v {
			continue
		}
		args := slices.Clone(call.Args)
		for _, k := range call.Keywords {
			if k.Name == "parameters" || k.Name == "max_norm" || k.Name == "clip_value" {
				args = append(args, k.Value)
			}
		}
		if len(args) < 2 {
			continue
		}
		c := GradClip{Call: v}
		c.Max, _ = v.Frame.Val(args[1]).Float()
		if networks, all := m.ParametersOf(v.Frame.Val(args[0])); all {
			c.Networks = networks
		}
		out = append(out, c)
	}
	return out
}

// Overlap reports whether networks share parameters: one is, or is a layer of, another.
func (m *Model) Overlap(a, b []*Network) bool {
	return slices.ContainsFunc(a, func(x *Network) bool { return m.OverlapsAny(x, b) })
}

// IsHeld reports whether an optimizer holds a network, or a part of it.
func (m *Model) IsHeld(n *Network) bool {
	return slices.ContainsFunc(m.Optimizers, func(o *Optimizer) bool { return m.OverlapsAny(n, o.Networks) })
}

// OverlapsAny is Overlap for one network.
func (m *Model) OverlapsAny(x *Network, list []*Network) bool {
	for _, y := range list {
		if m.Holds(x.Ref, y.Ref) || m.Holds(y.Ref, x.Ref) {
			return true
		}
	}
	return false
}

// noteFrozen recognises net.requires_grad_(False), and the same of each of its
// parameters. A condition between the two freezes a part only.
func (m *Model) noteFrozen(v *infer.Val) {
	if !v.IsOp("requires_grad") || len(v.In) == 0 || v.In[0] == nil {
		return
	}
	off := len(v.In) > 1 && v.In[1] != nil && v.In[1].Const == false
	if n := m.Network(v.In[0]); n != nil {
		n.Frozen = n.Frozen || off
		n.Switched = true
		return
	}
	infer.Walk(v.In[0], near, func(x *infer.Val) bool {
		n, lists := m.listed(x)
		if n != nil {
			n.Frozen = n.Frozen || off && x.Guard == v.Guard
			n.Switched = true
		}
		return !lists
	})
}

// noteDetached recognises p.detach_() of parameters, which take no gradients from then on.
func (m *Model) noteDetached(v *infer.Val) {
	if query.CalleeName(v.Node) != "detach_" || len(v.In) == 0 || v.In[0] == nil {
		return
	}
	infer.Walk(v.In[0], near, func(x *infer.Val) bool {
		n, lists := m.listed(x)
		if n != nil {
			n.Switched = true
		}
		return !lists
	})
}
