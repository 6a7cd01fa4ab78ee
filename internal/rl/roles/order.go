package roles

import (
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # The order of steps
//
// "The gradients are clipped after the step" is a claim about order: which of some
// places a run comes to one after the other. Python has no goto, so the statements
// tell: a body is taken apart into pieces (a sequence, a choice, a loop, a try), a
// call that was evaluated is the pieces of its callee, and everything that is none
// of the places asked about falls away. The pieces are then run once on a frontier,
// the set of events that may have been the last: an event is linked to each of the
// frontier, and is the frontier from there on; a choice joins, a loop goes round
// until nothing is added, and break, continue, return and raise hand the frontier
// to whom they jump to.
//
// The result has a link wherever one event may directly follow another, so what holds
// on all links holds on every path. A path that no run takes adds links at most:
// conditions are not compared, a loop may run no round unless its range says so, and
// a try may stop anywhere. A call that inference did not follow is taken to do
// nothing, unless the rule makes it one of its places.

// Order is how some places of a program follow each other.
type Order struct {
	// Events are the places as the run comes to them: a place in a function that is
	// called twice is two events.
	Events []*Event
}

// Event is a place on the way of a run; one without a place is the start or the end.
type Event struct {
	query.Place
	next, prev []*Event
}

// Before returns the nearest events that satisfy want on each way back from e, among
// them one without a place where a run may come to e without any.
func (e *Event) Before(want func(*Event) bool) []*Event {
	return nearest(e.prev, func(x *Event) []*Event { return x.prev }, want)
}

// After returns the nearest events that satisfy want on each way on from e, among them
// one without a place where a run may end without any.
func (e *Event) After(want func(*Event) bool) []*Event {
	return nearest(e.next, func(x *Event) []*Event { return x.next }, want)
}

func nearest(from []*Event, step func(*Event) []*Event, want func(*Event) bool) []*Event {
	var out []*Event
	seen := map[*Event]bool{}
	for work := slices.Clone(from); len(work) > 0; {
		x := work[0]
		work = work[1:]
		switch {
		case seen[x]:
		case !x.Known(), want(x):
			out = append(out, x)
		default:
			work = append(work, step(x)...)
		}
		seen[x] = true
	}
	return out
}

// Roots returns the evaluations at which runs begin that come to one of some places:
// modules, and functions that nobody calls.
func (m *Model) Roots(at []query.Place) []*infer.Frame {
	var out []*infer.Frame
	callers := callersOf(at)
	for _, f := range m.g.Values.Frames {
		if callers[f] && !isCalled(f) {
			out = append(out, f)
		}
	}
	return out
}

func isCalled(f *infer.Frame) bool {
	for range f.Sites {
		return true
	}
	return false
}

// callersOf are the evaluations in which some places stand, and those that lead there.
func callersOf(at []query.Place) map[*infer.Frame]bool {
	out := map[*infer.Frame]bool{}
	var work []*infer.Frame
	for _, p := range at {
		work = append(work, p.Frame)
	}
	for ; len(work) > 0; work = work[1:] {
		f := work[0]
		if f == nil || out[f] || f.Stale() {
			continue
		}
		out[f] = true
		for site := range f.Sites {
			work = append(work, site.Caller)
		}
	}
	return out
}

// maxInlined bounds the calls that one order goes into.
const maxInlined = 2000

// Order returns how some places follow each other in runs that begin at root, one of
// their Roots. A function that nobody calls may be called again, and then begins anew. It
// returns no events where the calls are too many.
func (m *Model) Order(root *infer.Frame, at []query.Place) Order {
	b := &orderBuilder{at: map[query.Place]bool{}, calls: map[query.Place][]*infer.Frame{}}
	for _, p := range at {
		b.at[p] = true
	}
	callers := callersOf(at)
	for _, f := range m.g.Values.Frames {
		if !callers[f] {
			continue
		}
		for site := range f.Sites {
			p := query.Place{Frame: site.Caller, Node: site.Node}
			b.calls[p] = append(b.calls[p], f)
		}
	}
	body := b.body(root)
	if root.Entry {
		body = loop(nil, body, nil, false, true)
	}
	if b.inlined > maxInlined || body == nil {
		return Order{}
	}
	start, end := &Event{}, &Event{}
	for last := range body(&orderRun{}, frontier{start: true}) {
		link(last, end)
	}
	return Order{b.events}
}

// frontier are the events that may have been the last; none where no run comes.
type frontier map[*Event]bool

func (f frontier) and(g frontier) frontier {
	out := maps.Clone(f)
	if out == nil {
		out = frontier{}
	}
	maps.Copy(out, g)
	return out
}

func link(from, to *Event) {
	if !slices.Contains(from.next, to) {
		from.next = append(from.next, to)
		to.prev = append(to.prev, from)
	}
}

// orderRun holds where jumps have gone so far: out of the innermost loop, on in it, out
// of the function, and, in a try, every frontier at which it may stop.
type orderRun struct {
	breaks, continues, returns, thrown frontier
	inTry                              bool
}

// piece is a part of a program: it takes the frontier before to that behind. A nil
// piece does nothing.
type piece func(x *orderRun, in frontier) frontier

func run(p piece, x *orderRun, in frontier) frontier {
	if p == nil || len(in) == 0 {
		return in
	}
	return p(x, in)
}

func sequence(parts ...piece) piece {
	parts = slices.DeleteFunc(parts, func(p piece) bool { return p == nil })
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return func(x *orderRun, in frontier) frontier {
		for _, p := range parts {
			in = run(p, x, in)
		}
		return in
	}
}

// choice runs one of its pieces; nil is the choice to do nothing.
func choice(parts ...piece) piece {
	if !slices.ContainsFunc(parts, func(p piece) bool { return p != nil }) {
		return nil
	}
	return func(x *orderRun, in frontier) frontier {
		var out frontier
		for _, p := range parts {
			out = out.and(run(p, x, in))
		}
		return out
	}
}

// loop runs head and body until head ends it: at least once, where once says so; an
// endless loop is left by break only.
func loop(head, body, orElse piece, endless, once bool) piece {
	if head == nil && body == nil && orElse == nil {
		return nil
	}
	return func(x *orderRun, in frontier) frontier {
		breaks, continues := x.breaks, x.continues
		x.breaks = nil
		entry := in
		var rounds frontier // what a round leaves
		for size := -1; size != len(entry); {
			size = len(entry)
			x.continues = nil
			rounds = run(body, x, run(head, x, entry)).and(x.continues)
			entry = entry.and(rounds)
		}
		var out frontier
		switch {
		case endless:
		case once:
			out = run(head, x, rounds)
		default:
			out = run(head, x, entry)
		}
		out = run(orElse, x, out).and(x.breaks)
		x.breaks, x.continues = breaks, continues
		return out
	}
}

// attempt runs a body that may stop anywhere, and then a handler and what is done
// finally.
func attempt(body, orElse, finally piece, handlers []piece) piece {
	return func(x *orderRun, in frontier) frontier {
		outer := *x
		*x = orderRun{thrown: in, inTry: true}
		out := run(body, x, in)
		thrown := x.thrown
		x.inTry, x.thrown = outer.inTry, outer.thrown
		out = run(orElse, x, out)
		for _, h := range handlers {
			out = out.and(run(h, x, thrown))
		}
		jumps := *x
		*x = outer
		if x.inTry {
			x.thrown = x.thrown.and(jumps.thrown).and(thrown)
		}
		x.breaks = x.breaks.and(run(finally, x, jumps.breaks))
		x.continues = x.continues.and(run(finally, x, jumps.continues))
		x.returns = x.returns.and(run(finally, x, jumps.returns))
		return run(finally, x, out)
	}
}

// orderBuilder takes bodies apart.
type orderBuilder struct {
	at      map[query.Place]bool
	calls   map[query.Place][]*infer.Frame
	stack   []*infer.Frame
	inlined int
	events  []*Event
}

// body is what an evaluation runs.
func (b *orderBuilder) body(f *infer.Frame) piece {
	if b.inlined++; b.inlined > maxInlined || slices.Contains(b.stack, f) {
		return nil
	}
	b.stack = append(b.stack, f)
	defer func() { b.stack = b.stack[:len(b.stack)-1] }()
	var inner piece
	if f.Func != nil && f.Func.Lambda != nil {
		inner = b.node(f, f.Func.Lambda.Body)
	} else {
		inner = b.block(f, f.Body())
	}
	if inner == nil {
		return nil
	}
	return func(x *orderRun, in frontier) frontier {
		outer := *x
		x.breaks, x.continues, x.returns = nil, nil, nil
		out := run(inner, x, in).and(x.returns)
		x.breaks, x.continues, x.returns = outer.breaks, outer.continues, outer.returns
		return out
	}
}

func (b *orderBuilder) block(f *infer.Frame, body []ast.Stmt) piece {
	var parts []piece
	for _, st := range body {
		parts = append(parts, b.node(f, st))
	}
	return sequence(parts...)
}

// node is what computing an expression or running a statement does.
func (b *orderBuilder) node(f *infer.Frame, n ast.Node) piece {
	switch n := n.(type) {
	case nil, *ast.FunctionDef, *ast.ClassDef, *ast.Lambda:
		return nil
	case *ast.IfExp:
		return sequence(b.node(f, n.Cond), b.branches(f, n.Cond, b.node(f, n.Then), b.node(f, n.Else)))
	case *ast.BoolOp:
		rest := b.node(f, n.Values[len(n.Values)-1])
		for i := len(n.Values) - 2; i >= 0; i-- {
			rest = sequence(b.node(f, n.Values[i]), choice(rest, nil))
		}
		return rest
	case *ast.Comp:
		inner := sequence(b.expr(f, n.Key), b.expr(f, n.Elt))
		for _, c := range slices.Backward(n.Clauses) {
			var tests []piece
			for _, e := range c.Ifs {
				tests = append(tests, b.node(f, e))
			}
			inner = sequence(b.node(f, c.Iter), loop(nil, sequence(append(tests, choice(inner, nil))...), nil, false, false))
		}
		return inner
	case *ast.Assign:
		parts := []piece{b.node(f, n.Value)}
		for _, t := range n.Targets {
			parts = append(parts, b.node(f, t))
		}
		return sequence(parts...)
	case *ast.AugAssign:
		return sequence(b.node(f, n.Value), b.node(f, n.Target))
	case *ast.Return:
		return sequence(b.expr(f, n.X), func(x *orderRun, in frontier) frontier { x.returns = x.returns.and(in); return nil })
	case *ast.Raise:
		return sequence(b.expr(f, n.X), func(*orderRun, frontier) frontier { return nil }) // a try knows all frontiers in it
	case *ast.Break:
		return func(x *orderRun, in frontier) frontier { x.breaks = x.breaks.and(in); return nil }
	case *ast.Continue:
		return func(x *orderRun, in frontier) frontier { x.continues = x.continues.and(in); return nil }
	case *ast.If:
		return sequence(b.node(f, n.Cond), b.branches(f, n.Cond, b.block(f, n.Then), b.block(f, n.Else)))
	case *ast.For:
		count, _, known := query.Loop{Frame: f, Stmt: n}.Rounds()
		return sequence(b.node(f, n.Iter), loop(nil, sequence(b.node(f, n.Target), b.block(f, n.Body)), b.block(f, n.Else), false, known && count > 0))
	case *ast.While:
		truth, known := infer.Truth(f.Val(n.Cond))
		return loop(b.node(f, n.Cond), b.block(f, n.Body), b.block(f, n.Else), known && truth, known && truth)
	case *ast.With:
		var parts []piece
		for _, item := range n.Items {
			parts = append(parts, b.node(f, item.Context), b.expr(f, item.Target))
		}
		return sequence(append(parts, b.block(f, n.Body))...)
	case *ast.Match:
		cases := []piece{nil}
		for _, c := range n.Cases {
			cases = append(cases, sequence(b.expr(f, c.Guard), b.block(f, c.Body)))
		}
		return sequence(b.node(f, n.Subject), choice(cases...))
	case *ast.Try:
		var handlers []piece
		for _, h := range n.Handlers {
			handlers = append(handlers, b.block(f, h.Body))
		}
		return attempt(b.block(f, n.Body), b.block(f, n.Else), b.block(f, n.Finally), handlers)
	}
	var parts []piece
	ast.Children(n, func(c ast.Node) { parts = append(parts, b.node(f, c)) })
	return sequence(append(parts, b.call(f, n), b.event(f, n))...)
}

func (b *orderBuilder) expr(f *infer.Frame, e ast.Expr) piece {
	if e == nil {
		return nil
	}
	return b.node(f, e)
}

// branches is the choice of a condition, of which one is left where its value is known.
func (b *orderBuilder) branches(f *infer.Frame, cond ast.Expr, then, orElse piece) piece {
	v := f.Val(cond)
	truth, known := infer.Truth(v)
	switch {
	case !known || v.Op == infer.OpConfig:
		return choice(then, orElse)
	case truth:
		return then
	}
	return orElse
}

// call goes into the evaluations that answered a call: one that was evaluated in several
// contexts is one of them, several functions are any of them in any order.
func (b *orderBuilder) call(f *infer.Frame, n ast.Node) piece {
	callees := b.calls[query.Place{Frame: f, Node: n}]
	var bodies []piece
	one := true
	for _, g := range callees {
		bodies = append(bodies, b.body(g))
		one = one && query.SameBody(g, callees[0])
	}
	if one {
		return choice(bodies...)
	}
	return loop(nil, choice(bodies...), nil, false, false)
}

func (b *orderBuilder) event(f *infer.Frame, n ast.Node) piece {
	at := query.Place{Frame: f, Node: n}
	if !b.at[at] {
		return nil
	}
	e := &Event{Place: at}
	b.events = append(b.events, e)
	return func(x *orderRun, in frontier) frontier {
		for last := range in {
			link(last, e)
		}
		if x.inTry {
			x.thrown = x.thrown.and(frontier{e: true})
		}
		return frontier{e: true}
	}
}
