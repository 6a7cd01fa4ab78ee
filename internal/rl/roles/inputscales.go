package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Inputs of a network at two scales
//
// An observation goes two ways to a network: at once, where the action is chosen, and through a buffer, where the update reads it. Both ways
// begin at one value. What is done to the numbers on the way, in helpers, before they are stored or after they were read, has to be the
// same on both.

// TwoScales is a network that is given one value as it is, and changed in all its numbers.
type TwoScales struct {
	Kept, Changed query.Evaluation
	// Origin is the value; By changes it.
	Origin, By query.Seen
}

// fed is one origin of what a call of a network is given.
type fed struct {
	query.Origin
	at    query.Evaluation
	scale query.Scaling
}

// TwoScales returns the networks that are given one value at two scales.
func (m *Model) TwoScales() []TwoScales { return m.scales.get(m.findTwoScales) }

func (m *Model) findTwoScales() (out []TwoScales) {
	of := map[infer.Ref][]fed{}
	var nets []infer.Ref
	for _, e := range m.g.Asked() {
		if of[e.Net] == nil {
			nets = append(nets, e.Net)
		}
		of[e.Net] = append(of[e.Net], feeds(e)...)
	}
	for _, net := range nets {
		if m.scalesItself(net) {
			continue
		}
		for i, a := range of[net] {
			if a.scale != query.ScaleKept {
				continue
			}
			for _, b := range of[net] {
				if b.scale == query.ScaleChanged && b.at.At != a.at.At && sameOrigin(a, b) && m.agree(of[net], i, b) {
					out = append(out, TwoScales{Kept: a.at, Changed: b.at, Origin: a.Seen, By: b.Scales[0]})
					break
				}
			}
		}
	}
	return out
}

// feeds are the origins of what a call of a network is given.
func feeds(e query.Evaluation) (out []fed) {
	for _, in := range e.Inputs {
		for _, o := range in.Origins() {
			if (!o.Q.Kind.Known() || o.Is(domain.Observation)) && !slices.ContainsFunc(o.Scales, inEnv) {
				out = append(out, fed{o, e, o.Scaling()})
			}
		}
	}
	return out
}

// inEnv reports whether an environment of the program computes s: that is how the world moves, and no scale.
func inEnv(s query.Seen) bool {
	if s.Frame == nil || s.Frame.Func == nil || s.Frame.Func.Self == nil {
		return false
	}
	o, ok := s.Frame.Func.Self.Ref.(*infer.Instance)
	return ok && IsEnvClass(o.Class)
}

// sameOrigin reports whether two inputs are surely made of one value.
func sameOrigin(a, b fed) bool {
	return a.Part == b.Part && a.Node != nil && infer.MadeAlike(a.Val, b.Val)
}

// agree reports whether the two calls get nothing of the origin in another way as well: what is sometimes scaled is scaled under a condition.
func (m *Model) agree(all []fed, i int, b fed) bool {
	a := all[i]
	for _, x := range all {
		if sameOrigin(x, a) && (x.at.At == a.at.At && x.scale != a.scale || x.at.At == b.at.At && x.scale != b.scale) {
			return false
		}
	}
	return true
}

// scalesItself reports whether a network changes the numbers that it is given by itself, perhaps only those of some type.
func (m *Model) scalesItself(net infer.Ref) bool {
	for f := range m.g.EachFrame {
		if f.Func == nil || f.Func.Self == nil || f.Func.Self.Ref != net || f.Func.Name() != "forward" { // torch goes by this name
			continue
		}
		for v := range f.Each {
			if v.Frame != f {
				continue
			}
			if of, ok := m.g.See(v).ScaledOf(); ok {
				for _, q := range f.Params[min(1, len(f.Params)):] {
					if infer.SameSource(of.Val, q) {
						return true
					}
				}
			}
		}
	}
	return false
}
