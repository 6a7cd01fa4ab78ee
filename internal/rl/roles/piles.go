package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Gradients that pile up in a loop
//
// Who sets gradients to zero may stand in another method, file or framework. It cannot where one loop goes from the
// backward pass to the step and back: what runs between them is what stands in the loop.

// PileUp reports whether a loop comes from a step back to a backward pass, and from there to the step, and nothing on
// these ways may set the optimizer's gradients to zero. What happens outside of the loop does not matter.
func (r *Rounds) PileUp(step, b *Event, h *Holder) bool {
	l, ok := r.loopOf(step, b)
	if !ok || !r.keeps(l, step, h) {
		return false
	}
	until := func(from *Event, want func(*Event) bool) []*Event {
		next := from.After(func(x *Event) bool { return want(x) || !r.m.Inside(l, x.Place) })
		return slices.DeleteFunc(next, func(x *Event) bool { return !x.Known() || !r.m.Inside(l, x.Place) })
	}
	back := until(step, r.among(h, []Act{Computes, Zeroes, Touches, Builds}))
	on := until(b, r.among(h, []Act{Steps, Zeroes, Touches, Builds}))
	// A zero_grad() in place of the step leaves out the round: it does not stand before a step.
	skips := func(z *Event) bool {
		steps := r.among(h, []Act{Steps})
		return r.Is(z, Zeroes) && !slices.ContainsFunc(until(z, func(x *Event) bool { return x == b || steps(x) }), steps)
	}
	return slices.Contains(back, b) && Every(back, func(e *Event) bool { return r.Is(e, Computes) }) &&
		slices.Contains(on, step) && Every(on, func(e *Event) bool { return r.Is(e, Steps) || skips(e) })
}

// keeps reports whether an optimizer that steps in a loop is the same one in all of its rounds.
func (r *Rounds) keeps(l query.Loop, step *Event, h *Holder) bool {
	if v, ok := h.root.(*infer.Val); ok && r.m.Inside(l, query.PlaceOf(v)) {
		return false
	}
	call, ok := step.Node.(*ast.Call)
	if ok && r.at[step.Place].Scaled { // scaler.step(optimizer)
		return len(call.Args) > 0 && r.isFixed(l, step.Place, call.Args[0], maxCallers)
	}
	return ok && r.isFixed(l, step.Place, on(call), maxCallers)
}

// on is what a call is a method of; nil for a function.
func on(call *ast.Call) ast.Expr {
	if method, ok := call.Fun.(*ast.Attribute); ok {
		return method.X
	}
	return nil
}

// isFixed reports whether no round of a loop binds what a place in it speaks of, or what the calls that lead there are
// methods of.
func (r *Rounds) isFixed(l query.Loop, at query.Place, of ast.Expr, depth int) bool {
	path := ""
	if of != nil {
		if path = query.Path(of); path == "" {
			return false
		}
	}
	if at.Frame == l.Frame {
		return !binds(l, path)
	}
	found := false
	for site := range at.Frame.Sites {
		from := query.Place{Frame: site.Caller, Node: site.Node}
		if !r.m.Inside(l, from) {
			continue
		}
		call, ok := site.Node.(*ast.Call)
		if found = ok && depth > 0 && r.isFixed(l, from, on(call), depth-1); !found {
			return false
		}
	}
	return found
}

// binds reports whether the rounds of a loop set a path, or what it begins with.
func binds(l query.Loop, path string) bool {
	found := false
	query.Targets([]ast.Stmt{l.Stmt}, func(target ast.Expr, _ ast.Stmt) {
		t := query.Path(target)
		found = found || t != "" && strings.HasPrefix(path+".", t+".")
	})
	return found
}
