package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Losses of an actor
//
// An actor is trained through its critic where the action that it chooses goes into the critic with its gradient, and the
// optimizer that steps holds the actor alone (Lillicrap et al. 2016, equation 6):
//
//	loss = -critic(s, actor(s)).mean()

// Judged is a term of a loss that is a critic's value of what an actor chooses.
type Judged struct {
	Term
	Critic, Actor *Network
	// At is that value where the loss is added up: a helper may call the critic for other losses too.
	At *infer.Val
}

// handsOn are the operations through which the value of a critic gets into the loss of an actor.
var handsOn = []string{"min", "minimum", "amin", "mean", "sum", "cat", "stack", "squeeze", "view", infer.OpItem, infer.OpCall, infer.OpPhi}

// Judged returns the terms of a loss that are critics' values, each where the next optimizer that steps holds the actor whose action
// is judged, and not the critic.
func (m *Model) Judged(l Loss) []Judged {
	stepped := m.SteppedNext(l)
	if len(stepped) == 0 {
		return nil
	}
	return m.judgedFor(l, stepped)
}

// judgedFor returns the terms of a loss that are critics' values of what some networks choose, which the critics are no part of.
func (m *Model) judgedFor(l Loss, actors []*Network) (out []Judged) {
	for _, t := range l.Terms {
		if t.Q.Grad == domain.Detached || t.Surrogate != nil {
			continue
		}
		w := judge{m: m, frame: l.Backward.Frame, stepped: actors, asked: map[*infer.Val]int{}}
		if j, ok := w.of(t.Val, maxHands); ok {
			j.Term = t
			out = append(out, j)
		}
	}
	return out
}

// maxHands bounds the operations between a critic and the loss of an actor.
const maxHands = 12

// judge follows a value back to the call of a critic of which an actor that is stepped chose the action.
type judge struct {
	m       *Model
	frame   *infer.Frame // of the backward pass
	stepped []*Network
	asked   map[*infer.Val]int // how far it was looked behind a value, in vain: many ways lead back to one
}

func (w *judge) of(v *infer.Val, depth int) (Judged, bool) {
	if v == nil || depth <= w.asked[v] {
		return Judged{}, false
	}
	w.asked[v] = depth
	if c := w.calledWhole(v); c != nil {
		a := w.m.actorBehind(v, w.stepped)
		return Judged{Critic: c, Actor: a, At: v}, a != nil
	}
	if !v.IsOp(handsOn...) && infer.Through(v) == nil {
		return Judged{}, false
	}
	for _, x := range v.In {
		if j, ok := w.of(x, depth-1); ok {
			if v.Frame == w.frame && j.At.Frame != w.frame {
				j.At = v
			}
			return j, true
		}
	}
	return Judged{}, false
}

// SteppedNext are the networks of the optimizer that steps after each backward of a loss; none where that is not sure.
func (m *Model) SteppedNext(l Loss) (out []*Network) {
	r := m.Rounds()
	at := query.PlaceOf(l.Backward.Val)
	for _, i := range r.in[at] {
		for _, e := range r.Orders[i].Events {
			if e.Place != at || !r.Is(e, Computes) {
				continue
			}
			next := r.Next(e, nil, Computes, Steps)
			for _, s := range next {
				if !r.Is(s, Steps) {
					continue // the loop's next round
				}
				o := r.Of(s).Of.Only()
				if o == nil || !o.Complete || out != nil && !slices.Equal(out, o.Networks) {
					return nil
				}
				out = o.Networks
			}
		}
	}
	return out
}

// calledWhole is the largest network that yields v, of those that are not stepped: a head of two critics speaks for both. It is nil where
// v is nothing that a network yields.
func (w *judge) calledWhole(v *infer.Val) (out *Network) {
	for _, n := range w.m.Networks {
		if !slices.ContainsFunc(w.m.Calls(n), func(c *infer.Val) bool { return c == v || infer.SameSource(c, v) }) {
			continue
		}
		for _, whole := range w.m.Networks {
			if (whole == n || w.m.LayersOf(whole)[n.Ref]) && !w.m.OverlapsAny(whole, w.stepped) && (out == nil || w.m.LayersOf(whole)[out.Ref]) {
				out = whole
			}
		}
	}
	return out
}

// actorBehind is the network among those stepped whose output goes into a call of a critic with its gradient.
func (m *Model) actorBehind(call *infer.Val, stepped []*Network) *Network {
	for _, n := range m.Reached(call) {
		if m.OverlapsAny(n, stepped) {
			return n
		}
	}
	return nil
}
