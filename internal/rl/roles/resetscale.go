package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # The first observation of an episode and the others
//
// An episode begins with what reset returns, and goes on with what step returns. A program that changes the numbers of the one and not of the
// other shows its network two kinds of observations. It may do so in a loop, where both meet in one input of a network, or in a wrapper, of
// which both are returned.

// OtherFirst is an environment of which the observations of reset and step go different ways to one place.
type OtherFirst struct {
	// Kept is the call whose observation stays as it is, Changed the one whose observation is changed, by By.
	Kept, Changed EnvCall
	By            query.Seen
	// Reset says that it is the observation of reset that stays as it is.
	Reset bool
	// At is the call of a network that is given both; no place in a wrapper.
	At query.Place
}

// answered is an observation that came of an environment.
type answered struct {
	query.Origin
	call  EnvCall
	scale query.Scaling
}

// OtherFirsts returns the environments of which the program changes the observations of either reset or step.
func (m *Model) OtherFirsts() []OtherFirst { return m.firsts.get(m.findOtherFirsts) }

func (m *Model) findOtherFirsts() (out []OtherFirst) {
	for _, e := range m.g.Asked() {
		if m.scalesItself(e.Net) {
			continue
		}
		for _, in := range e.Inputs {
			steps, resets := m.answers(in.Origins())
			if x, ok := compare(steps, resets); ok {
				x.At = e.At
				out = append(out, x)
			}
		}
	}
	return append(out, m.wrappersApart()...)
}

// answers are those of some origins that environments returned as observations.
func (m *Model) answers(list []query.Origin) (steps, resets []answered) {
	stepCalls, resetCalls := m.EnvCalls()
	for _, o := range list {
		at := o.Node
		if first, ok := at.(*ast.Subscript); ok { // env.reset()[0]
			if i, known := o.Seen.Frame.Val(first.Index).Int(); known && i == 0 {
				at = first.X
			}
		}
		isOf := func(c EnvCall) bool { return at != nil && at == c.Node && o.Seen.Frame == c.Frame }
		if i := slices.IndexFunc(stepCalls, isOf); i >= 0 && (o.Is(domain.Observation) || o.Part == "[0]" || isFirst(stepCalls[i], o.Val)) {
			steps = append(steps, answered{o, stepCalls[i], o.Scaling()})
		}
		if i := slices.IndexFunc(resetCalls, isOf); i >= 0 && (o.Part == "" || o.Part == "[0]") {
			resets = append(resets, answered{o, resetCalls[i], o.Scaling()})
		}
	}
	return steps, resets
}

// isFirst reports whether v is what the first of several targets of a call gets.
func isFirst(c EnvCall, v *infer.Val) bool {
	return c.Unpacked && len(c.Into) > 1 && c.Frame.Val(c.Into[0]) == v
}

// compare finds the observations of one of two calls changed, and of the other as they were.
func compare(steps, resets []answered) (out OtherFirst, ok bool) {
	step, oneStep := allAlike(steps)
	reset, oneReset := allAlike(resets)
	if !oneStep || !oneReset || step.call.Env != reset.call.Env {
		return out, false
	}
	switch {
	case step.scale == query.ScaleKept && reset.scale == query.ScaleChanged:
		return OtherFirst{Kept: step.call, Changed: reset.call, By: reset.Scales[0]}, true
	case step.scale == query.ScaleChanged && reset.scale == query.ScaleKept:
		return OtherFirst{Kept: reset.call, Changed: step.call, By: step.Scales[0], Reset: true}, true
	}
	return out, false
}

// allAlike returns one of several observations, if the same became of all.
func allAlike(list []answered) (one answered, ok bool) {
	for _, x := range list {
		if x.scale != list[0].scale || x.call.Env != list[0].call.Env {
			return one, false
		}
		one = x
	}
	return one, len(list) > 0
}

// wrappersApart are the wrappers that change the observation of either reset or step.
func (m *Model) wrappersApart() (out []OtherFirst) {
	ofStep, ofReset := map[infer.Ref][]answered{}, map[infer.Ref][]answered{}
	var order []infer.Ref
	for f := range m.g.EachFrame {
		if f.Func == nil || f.Func.Self == nil || f.Func.Self.Ref == nil || f.Result == nil {
			continue
		}
		self := f.Func.Self.Ref
		switch f.Func.Name() { // the protocol of environments goes by these names
		case "step":
			steps, _ := m.answers(returned(m.g, f.Result))
			ofStep[self] = append(ofStep[self], steps...)
			order = append(order, self)
		case "reset":
			_, resets := m.answers(returned(m.g, f.Result))
			ofReset[self] = append(ofReset[self], resets...)
		}
	}
	for _, self := range order {
		if x, ok := compare(ofStep[self], ofReset[self]); ok {
			out = append(out, x)
		}
	}
	return out
}

// returned are the origins of the observation that a method of an environment returns: of all, or of the first of several values.
func returned(g *query.Graph, v *infer.Val) []query.Origin {
	s := g.See(v)
	if seq, ok := v.Ref.(*infer.SeqRef); ok {
		if len(seq.Elems) == 0 || seq.List {
			return nil
		}
		s = s.Of(seq.Elems[0])
	}
	return s.Origins()
}
