// Package clipafterstep is rule LOOP004, clip-after-step; rule.md says what it finds.
package clipafterstep

import (
	_ "embed"
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports gradients that are clipped when their step has been taken.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	clips := map[query.Place][]*roles.Network{}
	var calls []*infer.Val
	for _, c := range p.Roles.GradClips() {
		clips[query.PlaceOf(c.Call)] = c.Networks
		if !math.IsInf(c.Max, 1) {
			calls = append(calls, c.Call)
		}
	}
	if len(calls) == 0 {
		return
	}
	moments := momentsOf(p, clips)
	for order := range p.Roles.Orders(moments.places) {
		at := map[query.Place][]*roles.Event{}
		for _, e := range order.Events {
			at[e.Place] = append(at[e.Place], e)
		}
		for _, v := range calls {
			if step := moments.tooLate(at[query.PlaceOf(v)]); step.Known() {
				f := pass.At(v)
				f.Evidence = domain.Derived
				f.Related = []pass.Related{{Source: p.In(step.Frame), Node: step.Node, Message: "the step is taken here"}}
				p.Report(f)
			}
		}
	}
}

// moments are the places that decide whether a gradient is clipped in time.
type moments struct {
	p      *pass.Pass
	places []query.Place
	clips  map[query.Place][]*roles.Network
	// zeroed are the calls of zero_grad by what they are called on, others the calls
	// that may do anything to their arguments.
	zeroed, others map[query.Place]*infer.Val
	stepped        map[query.Place]*infer.Val
	backwards      map[query.Place]bool
	steps          map[*roles.Optimizer]map[query.Place]bool // as far as somebody asked
}

func momentsOf(p *pass.Pass, clips map[query.Place][]*roles.Network) *moments {
	m := &moments{
		p: p, clips: clips, zeroed: map[query.Place]*infer.Val{}, others: map[query.Place]*infer.Val{}, stepped: map[query.Place]*infer.Val{},
		backwards: map[query.Place]bool{}, steps: map[*roles.Optimizer]map[query.Place]bool{},
	}
	listed := map[query.Place]bool{}
	add := func(v *infer.Val) query.Place {
		at := query.PlaceOf(v)
		if at.Known() && !listed[at] {
			listed[at] = true
			m.places = append(m.places, at)
		}
		return at
	}
	for _, v := range p.Made("clip_grad_norm", "clip_grad_value") {
		add(v)
	}
	for _, v := range p.Roles.Steps {
		if at := add(v); !isSchedule(v) {
			m.stepped[at] = v
		}
	}
	for _, b := range p.Roles.Backwards {
		m.backwards[add(b.Call)] = true
	}
	for _, v := range p.Made("zero_grad") {
		m.zeroed[add(v)] = v
	}
	for v := range p.Each {
		if p.IsOpaque(v) && !v.IsOp("zero_grad", "step", "clip_grad_norm", "clip_grad_value", "backward") && isHanded(v) {
			m.others[add(v)] = v
		}
	}
	return m
}

// isSchedule reports whether what steps is a schedule of learning rates.
func isSchedule(step *infer.Val) bool {
	o, ok := step.In[0].Ref.(*infer.LibObject)
	return ok && strings.HasPrefix(o.Name, "torch.optim.lr_scheduler.")
}

// looks are functions that change nothing of what they are handed.
var looks = query.Words("callable getattr hasattr id isinstance issubclass len print repr str type")

// isHanded reports whether a call has a network or an optimizer for an argument, or is a
// method of an optimizer. What is called on a network leaves its gradients as they are.
func isHanded(v *infer.Val) bool {
	call, ok := v.Node.(*ast.Call)
	if !ok || looks[query.CalleeName(call)] {
		return false
	}
	is := func(e ast.Expr, k domain.Kind) bool { return v.Frame.Val(e).Is(k) }
	method, ok := call.Fun.(*ast.Attribute)
	return ok && is(method.X, domain.Optimizer) ||
		slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return is(e, domain.Optimizer|domain.Module) }) ||
		slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return is(k.Value, domain.Optimizer|domain.Module) })
}

// tooLate returns the step behind which a call clips, where nothing is left of the
// gradients to use: on each way to the call a step was the last that concerned them, and
// on each way on they are set to zero next, or never used. The events are those of the call.
func (m *moments) tooLate(events []*roles.Event) query.Place {
	if len(events) == 0 {
		return query.Place{}
	}
	clips := m.clips[events[0].Place]
	var o *roles.Optimizer
	if len(clips) > 0 {
		o = m.p.Roles.OnlyOptimizer(clips)
	}
	if o == nil {
		return m.tooLateForAny(events)
	}
	steps := m.steps[o]
	if steps == nil {
		steps = map[query.Place]bool{}
		for _, at := range m.p.Roles.StepsOf(o) {
			steps[at] = true
		}
		m.steps[o] = steps
	}
	isStep := func(e *roles.Event) bool { return steps[e.Place] }
	isZero := func(e *roles.Event) bool { return m.zeroed[e.Place] != nil }
	isClip := func(e *roles.Event) bool { return m.p.Roles.Overlap(m.clips[e.Place], clips) }
	uses := func(e *roles.Event) bool {
		return isStep(e) || isZero(e) && m.touches(m.zeroed[e.Place], o) || isClip(e) || m.touches(m.others[e.Place], o)
	}
	concerns := func(e *roles.Event) bool { return uses(e) || m.backwards[e.Place] }
	for _, e := range events {
		before := e.Before(concerns)
		// A backward only adds to what is left, and what is clipped again before its step was clipped in vain.
		after := e.After(uses)
		over := func(x *roles.Event) bool {
			return !x.Known() || isZero(x) || x.Place != e.Place && slices.ContainsFunc(after, isZero) && isClip(x)
		}
		if !all(before, isStep) || !all(after, over) {
			continue
		}
		if !slices.ContainsFunc(before, func(s *roles.Event) bool { return slices.ContainsFunc(s.Before(concerns), isClip) }) {
			return before[0].Place
		}
	}
	return query.Place{}
}

// tooLateForAny is tooLate for a clip of which it is not known whose gradients it changes. Whichever network has them: they
// were computed, an optimizer stepped at once, and no optimizer steps again before they are set to zero, or
// before others are added to them.
func (m *moments) tooLateForAny(events []*roles.Event) query.Place {
	isClip := func(e *roles.Event) bool { _, ok := m.clips[e.Place]; return ok }
	isZero := func(e *roles.Event) bool { return m.zeroed[e.Place] != nil }
	isBackward := func(e *roles.Event) bool { return m.backwards[e.Place] }
	uses := func(e *roles.Event) bool { return m.stepped[e.Place] != nil || isClip(e) || isBackward(e) }
	concerns := func(e *roles.Event) bool { return uses(e) || isZero(e) || m.others[e.Place] != nil }
	for _, e := range events {
		before, after := e.Before(concerns), e.After(concerns)
		late := all(before, func(s *roles.Event) bool {
			step := m.stepped[s.Place]
			return step != nil && m.zeroes(step) && !m.isApart(step, m.clips[e.Place]) &&
				all(s.Before(func(x *roles.Event) bool { return uses(x) || isZero(x) }), isBackward)
		})
		over := all(after, func(x *roles.Event) bool {
			return !x.Known() || isBackward(x) || isZero(x) && all(x.After(uses), func(y *roles.Event) bool { return !y.Known() || isBackward(y) })
		})
		if late && over && slices.ContainsFunc(after, isZero) {
			return before[0].Place
		}
	}
	return query.Place{}
}

// zeroes reports whether what steps also sets gradients to zero: it is an optimizer, whatever made it.
func (m *moments) zeroes(step *infer.Val) bool {
	stepper := receiver(step)
	for _, zero := range m.zeroed {
		if x := receiver(zero); x != nil && stepper != nil && (x == stepper || zero.Frame == step.Frame && m.p.Text(x) != "" && m.p.Text(x) == m.p.Text(stepper)) {
			return true
		}
	}
	return false
}

// receiver is the optimizer of opt.step(), scaler.step(opt) or opt.zero_grad().
func receiver(v *infer.Val) *infer.Val {
	i := slices.IndexFunc(v.In, func(x *infer.Val) bool { return x.Is(domain.Optimizer) })
	if i < 0 {
		i = 0
	}
	return v.In[i]
}

// isApart reports whether an optimizer that steps surely holds none of the networks.
func (m *moments) isApart(step *infer.Val, networks []*roles.Network) bool {
	i := slices.IndexFunc(m.p.Roles.Optimizers, func(o *roles.Optimizer) bool { return receiver(step) != nil && o.Val.Ref == receiver(step).Ref })
	if i < 0 || len(networks) == 0 {
		return false
	}
	o := m.p.Roles.Optimizers[i]
	return o.Complete && !m.p.Roles.Overlap(o.Networks, networks)
}

func all(list []*roles.Event, hold func(*roles.Event) bool) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(e *roles.Event) bool { return !hold(e) })
}

// touches reports whether a call takes an optimizer or one of its networks, or something
// of which that is not known.
func (m *moments) touches(v *infer.Val, o *roles.Optimizer) bool {
	if v == nil {
		return false
	}
	return slices.ContainsFunc(v.In, func(x *infer.Val) bool {
		n := m.p.Roles.Network(x)
		return x != nil && (x.Ref == o.Val.Ref || x.Ref == nil && (x == v.In[0] || x.Is(domain.Optimizer|domain.Module)) || n != nil && m.p.Roles.OverlapsAny(n, o.Networks))
	})
}
