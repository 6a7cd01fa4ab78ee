package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Next returns the nearest events behind one that are of some acts and may concern an optimizer's gradients; every
// backward pass may.
func (r *Rounds) Next(e *Event, h *Holder, acts ...Act) []*Event { return e.After(r.among(h, acts)) }

// Last is Next on the ways back.
func (r *Rounds) Last(e *Event, h *Holder, acts ...Act) []*Event { return e.Before(r.among(h, acts)) }

func (r *Rounds) among(h *Holder, acts []Act) func(*Event) bool {
	return func(e *Event) bool {
		x := r.at[e.Place]
		return x != nil && slices.Contains(acts, x.Act) && (x.Act == Computes || r.MayConcern(x, h))
	}
}

// Surely reports whether an event is of an act and surely concerns an optimizer.
func (r *Rounds) Surely(e *Event, h *Holder, a Act) bool {
	return r.Is(e, a) && r.Concerns(r.at[e.Place], h)
}

// Every reports whether there are events and all satisfy the predicate.
func Every(list []*Event, hold func(*Event) bool) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(e *Event) bool { return !hold(e) })
}

// Has reports whether a program holds moments of some acts that may concern an optimizer.
func (r *Rounds) Has(h *Holder, acts ...Act) bool {
	return slices.ContainsFunc(r.Moments, func(x *Moment) bool { return slices.Contains(acts, x.Act) && r.MayConcern(x, h) })
}

// Thrown is a backward pass whose gradients no step uses.
type Thrown struct {
	// Zero sets the gradients of Of to zero before Backward computes them.
	Zero, Backward *Event
	Of             *Holder
	// Never says that the optimizer steps nowhere, and nothing out of sight is handed it.
	Never bool
	// Round says that a loop sets to zero, computes and does nothing else, round after round: what happens elsewhere does not matter.
	Round bool
}

// ThrownAway returns the backward passes of an order for which an optimizer is prepared that does not step with
// their gradients: they are set to zero on every way on. None is of an optimizer that may step in another order.
func (r *Rounds) ThrownAway(order int) []Thrown {
	var out []Thrown
	for _, z := range r.Orders[order].Events {
		h := r.at[z.Place].Of
		if !r.Is(z, Zeroes) || h == nil || !h.Sure || r.isRead(z) {
			continue
		}
		read := r.hooked || slices.ContainsFunc(r.Moments, func(x *Moment) bool { return r.MayConcern(x, h) && r.mayReplaceStep(x) })
		never := !r.Has(h, Steps) && !slices.ContainsFunc(r.Moments, func(x *Moment) bool { return x.Act == Touches && r.isHanded(x, h) })
		for _, b := range r.Next(z, h, Computes, Zeroes, Steps, Touches) {
			if !r.Is(b, Computes) || r.isOfAnother(b, h) {
				continue
			}
			if r.everyRound(z, b, h) {
				out = append(out, Thrown{Zero: z, Backward: b, Of: h, Never: never, Round: true})
				continue
			}
			next := b.After(func(e *Event) bool {
				return r.among(h, []Act{Zeroes, Steps, Touches})(e) && !r.at[e.Place].stores
			})
			lost := Every(next, func(e *Event) bool { return !e.Known() || r.Surely(e, h, Zeroes) })
			if lost && !read && (never || slices.ContainsFunc(next, (*Event).Known) && !r.isUsed(order, b)) && !r.stepsElsewhere(order, h) {
				out = append(out, Thrown{Zero: z, Backward: b, Of: h, Never: never})
			}
		}
	}
	return out
}

// isOfAnother reports whether a backward pass is followed at once by the step of another optimizer, and nothing shows that its loss is made
// with a network of this one: it is then the loss of the other.
func (r *Rounds) isOfAnother(b *Event, h *Holder) bool {
	next := b.After(func(e *Event) bool { return r.Is(e, Steps) || r.Is(e, Computes) || r.Is(e, Zeroes) })
	if !Every(next, func(e *Event) bool { return r.Is(e, Steps) && !r.MayConcern(r.at[e.Place], h) }) {
		return false
	}
	o, loss := h.Only(), r.at[b.Place].Loss
	return o == nil || loss == nil || !slices.ContainsFunc(o.Networks, func(n *Network) bool { return r.m.Uses(loss, n) })
}

// mayReplaceStep reports whether a moment reads gradients and may do with them what a step would. An optimizer reads them
// for its own step. What stands before the step of one optimizer and, called once more, before none, replaces no step. Gradients
// that become those of another network are still to be stepped with.
func (r *Rounds) mayReplaceStep(x *Moment) bool {
	switch {
	case x.Act != Looks || isOptimizers(x.At.Frame):
		return false
	case x.stores:
		return slices.ContainsFunc(r.in[x.At], func(order int) bool {
			return slices.ContainsFunc(r.of[order], func(y *Moment) bool { return y.Act == Steps })
		})
	}
	before, behind := false, false
	for _, order := range r.Orders {
		for _, e := range order.Events {
			if e.Node == x.At.Node {
				next := e.After(func(y *Event) bool { return r.Is(y, Steps) || r.Is(y, Zeroes) || r.Is(y, Computes) })
				isStep := func(y *Event) bool { return r.Is(y, Steps) }
				before = before || Every(next, isStep)
				behind = behind || !slices.ContainsFunc(next, isStep)
			}
		}
	}
	return !before || !behind
}

// mayStep reports whether a moment that may do anything to gradients may be a step of an optimizer: of one that is known, only if it is
// handed something that may hold it.
func (r *Rounds) mayStep(x *Moment, h *Holder) bool {
	switch {
	case x.stores:
		return false
	case x.handed == nil || len(h.Optimizers) == 0:
		return true
	}
	return slices.ContainsFunc(x.handed, func(v *infer.Val) bool {
		o, ok := infer.RefOf(v).(*infer.Instance)
		if !ok {
			return !v.Is(domain.Module)
		}
		held := r.m.Holdings(o)
		return slices.ContainsFunc(h.Optimizers, func(x *Optimizer) bool { return x.Val.Ref == v.Ref || held[x.Val.Ref] })
	})
}

// isHanded reports whether a moment hands an optimizer to something out of sight.
func (r *Rounds) isHanded(x *Moment, h *Holder) bool {
	return slices.ContainsFunc(x.handed, func(v *infer.Val) bool {
		return slices.ContainsFunc(h.Optimizers, func(o *Optimizer) bool { return o.Val.Ref != nil && o.Val.Ref == v.Ref || o.Val == v })
	})
}

// isRead reports whether the file in which an event stands reads gradients in the place of a step.
func (r *Rounds) isRead(e *Event) bool {
	return slices.ContainsFunc(r.Moments, func(x *Moment) bool { return x.At.Frame.Module == e.Frame.Module && r.mayReplaceStep(x) })
}

// loopOf is the innermost loop around two events that may run more than once.
func (r *Rounds) loopOf(a, b *Event) (l query.Loop, ok bool) {
	nest := r.m.Nest(a.Place)
	if len(nest) == 0 { // a method that was evaluated before anyone called it
		nest, b = r.m.Nest(b.Place), a
	}
	for _, l := range slices.Backward(nest) {
		if r.m.Inside(l, b.Place) {
			n, _, known := l.Rounds()
			return l, !known || n > 1
		}
	}
	return query.Loop{}, false
}

// everyRound reports whether a loop sets an optimizer's gradients to zero, computes them and does nothing else with any, and
// none of its rounds leads to a step.
func (r *Rounds) everyRound(z, b *Event, h *Holder) bool {
	l, ok := r.loopOf(z, b)
	return ok && !slices.ContainsFunc(r.Moments, func(x *Moment) bool {
		uses := x.Act == Steps || x.Act == Looks || (x.Act == Touches || x.Act == Builds) && r.MayConcern(x, h)
		return uses && r.m.Inside(l, x.At)
	}) && Every(r.Next(b, h, Zeroes, Steps), func(e *Event) bool { return !e.Known() || r.Surely(e, h, Zeroes) })
}

// isUsed reports whether some step of an order may use the gradients of a backward pass.
func (r *Rounds) isUsed(order int, b *Event) bool {
	return slices.ContainsFunc(r.Orders[order].Events, func(s *Event) bool {
		h := r.at[s.Place].Of
		if !r.Is(s, Steps) {
			return r.Is(s, Touches) && r.at[s.Place].handed == nil && !r.at[s.Place].stores
		}
		if h == nil {
			return true
		}
		next := b.After(func(e *Event) bool { return r.Is(e, Steps) && r.MayConcern(r.at[e.Place], h) || r.Surely(e, h, Zeroes) })
		return slices.ContainsFunc(next, func(e *Event) bool { return r.Is(e, Steps) })
	})
}

// outsiders are the moments that may concern an optimizer and stand in no whole round of it.
type outsiders struct{ zeroes, steps []*Moment }

func (r *Rounds) outsidersOf(h *Holder) outsiders {
	return r.outside.get(h, func() outsiders {
		var out outsiders
		for _, x := range r.Moments {
			if x.Act != Zeroes && x.Act != Steps && x.Act != Touches || !r.MayConcern(x, h) {
				continue
			}
			switch {
			case x.Act == Touches:
				if r.mayStep(x, h) {
					out.steps = append(out.steps, x)
				}
				if x.handed == nil {
					out.zeroes = append(out.zeroes, x)
				}
			case r.isOfRound(x, h):
			case x.Act == Zeroes:
				out.zeroes = append(out.zeroes, x)
			default:
				out.steps = append(out.steps, x)
			}
		}
		return out
	})
}

// isOfRound reports whether all orders that a moment stands in hold a whole round of an optimizer: it is zeroed and
// steps there.
func (r *Rounds) isOfRound(x *Moment, h *Holder) bool {
	for _, order := range r.in[x.At] {
		zeroes, steps := false, false
		for _, y := range r.of[order] {
			zeroes = zeroes || y.Act == Zeroes && r.Concerns(y, h)
			steps = steps || y.Act == Steps && r.Concerns(y, h)
		}
		if !zeroes || !steps {
			return false
		}
	}
	return len(r.in[x.At]) > 0
}

// stepsElsewhere reports whether an optimizer may step, or something may happen to it, outside of an order and of whole rounds.
func (r *Rounds) stepsElsewhere(order int, h *Holder) bool {
	return r.standElsewhere(order, r.outsidersOf(h).steps)
}

func (r *Rounds) standElsewhere(order int, list []*Moment) bool {
	return slices.ContainsFunc(list, func(x *Moment) bool { return !slices.Contains(r.in[x.At], order) })
}

// MayZero reports whether something may set an optimizer's gradients to zero in an order, or elsewhere but in whole
// rounds of it.
func (r *Rounds) MayZero(order int, h *Holder) bool {
	for _, x := range r.of[order] {
		if (x.Act == Zeroes || x.Act == Touches) && r.MayConcern(x, h) {
			return true
		}
	}
	return r.standElsewhere(order, r.outsidersOf(h).zeroes)
}

// counts are the operations by which a program tells every n-th round.
var counts = []string{"mod", "remainder", "fmod"}

// IsEveryNth reports whether a call runs in some rounds of a loop only, as a counter says.
func IsEveryNth(v *infer.Val) bool {
	if v == nil {
		return false
	}
	for g, room := v.Guard, 8; g != nil && room > 0; g, room = g.Parent, room-1 {
		found := false
		infer.Walk(g.Cond, 12, func(x *infer.Val) bool {
			found = found || x.IsOp(counts...)
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// MicroBatches is the loop over parts of a batch in which a place stands and steps of an optimizer do not; ok is false
// where there is none.
func (r *Rounds) MicroBatches(at query.Place, h *Holder) (loop query.Loop, ok bool) {
	nest := r.m.Nest(at)
	for _, l := range slices.Backward(nest) {
		if _, isFor := l.Stmt.(*ast.For); !isFor {
			return query.Loop{}, false
		}
		if n, _, known := l.Rounds(); known && n <= 1 {
			continue
		}
		steps := slices.ContainsFunc(r.Moments, func(x *Moment) bool {
			return x.Act == Steps && r.MayConcern(x, h) && r.m.Inside(l, x.At) && !IsEveryNth(x.Call)
		})
		return l, !steps
	}
	return query.Loop{}, false
}

// MayReach reports whether a backward pass may compute gradients of an optimizer: its loss is not known to be made with other
// networks alone.
func (r *Rounds) MayReach(e *Event, h *Holder) bool {
	o := h.Only()
	if !r.Is(e, Computes) || o == nil || !o.Complete || r.at[e.Place].Loss == nil {
		return r.Is(e, Computes)
	}
	reached := r.m.Reached(r.at[e.Place].Loss)
	return len(reached) == 0 || r.m.Overlap(reached, o.Networks)
}
