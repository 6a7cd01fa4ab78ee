package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # What a policy did, and what is kept of it
//
// At each step one action is drawn from one distribution. The environment may get the action clamped or scaled; what is kept for the update
// belongs together: the action that was drawn, and the log-probability of this action. Programs keep both in buffers of any form, or hand
// them to what keeps them. So each draw is asked what was kept of it, wherever that is.

// Acting is a draw from a normal distribution, which has no bounds, and what the program keeps of it.
type Acting struct {
	Draw query.Seen
	// Drawn says that the draw is kept as it is.
	Drawn bool
	// Clamped are clamps of the draw that are kept.
	Clamped []query.Seen
	// LogProbs are log-densities of the draw that are kept, OfClamped those of a clamp of it.
	LogProbs, OfClamped []query.Seen
}

// Actings returns the draws of which something is kept.
func (m *Model) Actings() []*Acting { return m.actings.get(m.findActings) }

func (m *Model) findActings() []*Acting {
	if len(m.g.Made("log_prob")) == 0 {
		return nil
	}
	a := &acting{of: map[*infer.Val]*Acting{}}
	for _, b := range m.Buffers() {
		for _, s := range b.Slots {
			for _, w := range s.Writes {
				a.keep(m.g.See(w.Val))
			}
		}
	}
	for f := range m.g.EachFrame {
		for _, n := range f.Nodes() {
			if call, ok := n.(*ast.Call); ok && m.mayKeep(f, call) {
				for _, e := range ast.Given(call) {
					a.keep(m.g.See(f.Val(e)))
				}
			}
		}
	}
	return a.list
}

// acting gathers what is kept, by the draw.
type acting struct {
	of   map[*infer.Val]*Acting
	list []*Acting
}

func (a *acting) at(draw query.Seen) *Acting {
	x := a.of[draw.Val]
	if x == nil {
		x = &Acting{Draw: draw}
		a.of[draw.Val] = x
		a.list = append(a.list, x)
	}
	return x
}

// keep files one value that is kept.
func (a *acting) keep(s query.Seen) {
	x := s.Unreduced()
	if !x.Known() {
		return
	}
	if x.IsOp("log_prob") && len(x.In) > 1 {
		if d := x.Input(1).Strip(); isNormalDraw(d) {
			a.at(d).LogProbs = append(a.at(d).LogProbs, x)
		} else if d, ok := clampedDraw(d); ok {
			a.at(d).OfClamped = append(a.at(d).OfClamped, x)
		}
		return
	}
	if isNormalDraw(x) {
		a.at(x).Drawn = true
	} else if d, ok := clampedDraw(x); ok {
		a.at(d).Clamped = append(a.at(d).Clamped, x)
	}
}

// isNormalDraw reports whether a value was drawn from a normal distribution.
func isNormalDraw(s query.Seen) bool {
	return s.Known() && s.IsOp("sample", "rsample") && len(s.In) > 0 && s.Input(0).IsNormal()
}

// clampedDraw is the draw of which a value is a clamp, whatever its bounds.
func clampedDraw(s query.Seen) (draw query.Seen, ok bool) {
	for range 3 {
		s = s.Strip()
		if !s.Known() || !s.IsOp(query.ClipOps...) || len(s.In) == 0 {
			break
		}
		s, ok = s.Input(0), true
	}
	s = s.Strip()
	return s, ok && isNormalDraw(s)
}

// mayKeep reports whether a call may keep several of its arguments: it is none of a library's function, nor of an environment or a network.
func (m *Model) mayKeep(f *infer.Frame, call *ast.Call) bool {
	if len(call.Args)+len(call.Keywords) < 2 {
		return false
	}
	if v := f.Val(call); v != nil && v.Fn != nil || m.Network(f.Val(call.Fun)) != nil {
		return false
	}
	steps, _ := m.EnvCalls()
	return !slices.ContainsFunc(steps, func(e EnvCall) bool { return e.Node == call })
}
