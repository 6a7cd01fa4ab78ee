package roles

import (
	"slices"
	"sync"

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
// of the places asked about falls away. The pieces are then run once, each from the
// event that was the last: an event is linked to it, and is the last from there on; a
// choice ends in a join, which stands for all that it is linked to, a loop begins with
// one, and break, continue, return and raise lead to those of whom they jump to.
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
	joins      bool // it is no place, and stands for those before and behind it
	visited    int  // the last walk that came here
	order      *orderBuilder
}

// Before and After must not be asked within want.

// Before returns the nearest events that satisfy want on each way back from e, among
// them one without a place where a run may come to e without any.
func (e *Event) Before(want func(*Event) bool) []*Event {
	return e.order.nearest(e.prev, func(x *Event) []*Event { return x.prev }, want)
}

// After returns the nearest events that satisfy want on each way on from e, among them
// one without a place where a run may end without any.
func (e *Event) After(want func(*Event) bool) []*Event {
	return e.order.nearest(e.next, func(x *Event) []*Event { return x.next }, want)
}

func (b *orderBuilder) nearest(from []*Event, step func(*Event) []*Event, want func(*Event) bool) []*Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.walks++
	var out []*Event
	work := append(b.work[:0], from...)
	for i := 0; i < len(work); i++ {
		x := work[i]
		switch {
		case x.visited == b.walks:
			continue
		case !x.joins && (!x.Known() || want(x)):
			out = append(out, x)
		default:
			work = append(work, step(x)...)
		}
		x.visited = b.walks
	}
	b.work = work
	return out
}

// Bounds of the orders: the calls that one goes into, the events of one and of all that a
// question needs, and the pieces that are run for one.
const (
	maxInlined   = 2000
	maxEvents    = 1000
	maxAllEvents = 10000
	maxPieces    = 100000
)

// Orders calls yield for how some places of a program follow each other in its runs: one
// that begins at each evaluation that comes to one of them and that nobody calls, of a
// module or a function. Such a function may be called again, and then begins anew. An
// order that takes too many calls or events is left out.
func (m *Model) Orders(at []query.Place) func(yield func(Order) bool) {
	return func(yield func(Order) bool) {
		b := &orderBuilder{at: map[query.Place]bool{}, calls: map[query.Place][]*infer.Frame{}, atYield: map[*infer.Frame]piece{}}
		for _, p := range at {
			b.at[p] = true
		}
		callers := callersOf(at)
		var roots []*infer.Frame
		for _, f := range m.g.Values.Frames {
			if !callers[f] {
				continue
			}
			if !isCalled(f) {
				roots = append(roots, f)
			}
			for site := range f.Sites {
				p := query.Place{Frame: site.Caller, Node: site.Node}
				b.calls[p] = append(b.calls[p], f)
			}
		}
		room := maxAllEvents
		for _, root := range roots {
			order := b.from(root)
			if room -= len(order.Events); room < 0 {
				return
			}
			if len(order.Events) > 0 && !yield(order) {
				return
			}
		}
	}
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

// from returns the order of a run that begins at root; no events where it takes too many, or where it is not
// known when a generator runs that holds some of them.
func (b *orderBuilder) from(root *infer.Frame) Order {
	b.events, b.inlined, b.astray = nil, 0, 0
	body := b.body(root)
	if root.Entry {
		body = loop(nil, body, nil, false, true)
	}
	if b.inlined > maxInlined || body == nil || len(b.events) > maxEvents || b.astray > 0 && b.astray < len(b.events) {
		return Order{}
	}
	x := &orderRun{room: maxPieces}
	if last := body(x, &Event{order: b}); last != nil {
		link(last, &Event{order: b})
	}
	if x.room < 0 {
		return Order{}
	}
	return Order{b.events}
}

func link(from, to *Event) {
	from.next = append(from.next, to)
	to.prev = append(to.prev, from)
}

// join is the event that stands for some others, of which those that no run comes to are
// nil.
func join(list ...*Event) *Event {
	var out *Event
	for _, e := range list {
		switch {
		case e == nil || e == out:
		case out == nil:
			out = e
		default:
			both := &Event{joins: true}
			link(out, both)
			link(e, both)
			out = both
		}
	}
	return out
}

// orderRun holds where jumps have gone so far: out of the innermost loop, on in it, out
// of it behind its last round, out of the function, and, in a try, what leads to its handlers.
type orderRun struct {
	breaks, continues, ends, returns, thrown *Event
	room                                     int // pieces that may still be run
}

// piece is a part of a program: it takes the last event before it to the last one behind,
// nil where no run comes. A nil piece does nothing.
type piece func(x *orderRun, in *Event) *Event

func run(p piece, x *orderRun, in *Event) *Event {
	if p == nil || in == nil {
		return in
	}
	if x.room--; x.room < 0 {
		return nil
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
	return func(x *orderRun, in *Event) *Event {
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
	return func(x *orderRun, in *Event) *Event {
		var out *Event
		for _, p := range parts {
			out = join(out, run(p, x, in))
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
	return func(x *orderRun, in *Event) *Event {
		breaks, continues, ends := x.breaks, x.continues, x.ends
		x.breaks, x.continues, x.ends = nil, nil, nil
		entry := &Event{joins: true}
		link(in, entry)
		out := run(head, x, entry)
		rounds := join(run(body, x, out), x.continues) // what a round leaves
		if rounds != nil {
			link(rounds, entry)
		}
		switch {
		case endless:
			out = nil
		case once:
			out = run(head, x, rounds)
		}
		out = join(run(orElse, x, join(out, x.ends)), x.breaks)
		x.breaks, x.continues, x.ends = breaks, continues, ends
		return out
	}
}

// attempt runs a body that may stop anywhere, and then a handler and what is done
// finally.
func attempt(body, orElse, finally piece, handlers []piece) piece {
	return func(x *orderRun, in *Event) *Event {
		outer := *x
		thrown := &Event{joins: true}
		link(in, thrown)
		*x = orderRun{thrown: thrown, room: x.room}
		out := run(body, x, in)
		x.thrown = outer.thrown
		out = run(orElse, x, out)
		for _, h := range handlers {
			out = join(out, run(h, x, thrown))
		}
		jumps := *x
		*x = outer
		x.room = jumps.room
		if x.thrown != nil {
			link(thrown, x.thrown)
		}
		x.breaks = join(x.breaks, run(finally, x, jumps.breaks))
		x.continues = join(x.continues, run(finally, x, jumps.continues))
		x.returns = join(x.returns, run(finally, x, jumps.returns))
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
	atYield map[*infer.Frame]piece // what runs where a generator yields
	astray  int                    // the events in generators of which it is not known when they run
	mu      sync.Mutex             // an analyzer that was given up may still walk
	walks   int
	work    []*Event // room for a walk
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
	return func(x *orderRun, in *Event) *Event {
		outer := *x
		x.breaks, x.continues, x.returns = nil, nil, nil
		out := join(run(inner, x, in), x.returns)
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
		return sequence(b.expr(f, n.X), func(x *orderRun, in *Event) *Event { x.returns = join(x.returns, in); return nil })
	case *ast.Raise:
		return sequence(b.expr(f, n.X), func(*orderRun, *Event) *Event { return nil }) // a try knows all events in it
	case *ast.Break:
		return func(x *orderRun, in *Event) *Event { x.breaks = join(x.breaks, in); return nil }
	case *ast.Continue:
		return func(x *orderRun, in *Event) *Event { x.continues = join(x.continues, in); return nil }
	case *ast.If:
		return sequence(b.node(f, n.Cond), b.branches(f, n.Cond, b.block(f, n.Then), b.block(f, n.Else)))
	case *ast.For:
		body := sequence(b.node(f, n.Target), b.round(f, n, n.Body))
		if p, ok := b.driven(f, n.Iter, body, b.block(f, n.Else), true); ok {
			return p
		}
		count, _, known := query.Loop{Frame: f, Stmt: n}.Rounds()
		return sequence(b.node(f, n.Iter), loop(nil, body, b.block(f, n.Else), false, known && count > 0))
	case *ast.While:
		truth, known := infer.Truth(f.Val(n.Cond))
		return loop(b.node(f, n.Cond), b.block(f, n.Body), b.block(f, n.Else), known && truth, known && truth)
	case *ast.With:
		inner := b.block(f, n.Body)
		for _, item := range slices.Backward(n.Items) {
			inner = sequence(b.expr(f, item.Target), inner)
			if p, ok := b.driven(f, item.Context, inner, nil, false); ok {
				inner = p
			} else {
				inner = sequence(b.node(f, item.Context), inner)
			}
		}
		return inner
	case *ast.Yield:
		return b.yield(f, n)
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
	return sequence(b.children(f, n), b.call(f, n), b.event(f, n))
}

func (b *orderBuilder) children(f *infer.Frame, n ast.Node) piece {
	var parts []piece
	ast.Children(n, func(c ast.Node) { parts = append(parts, b.node(f, c)) })
	return sequence(parts...)
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
		before := len(b.events)
		bodies = append(bodies, b.body(g))
		if g.Generates() {
			b.astray += len(b.events) - before
		}
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
	e := &Event{Place: at, order: b}
	b.events = append(b.events, e)
	return func(x *orderRun, in *Event) *Event {
		link(in, e)
		if x.thrown != nil {
			link(e, x.thrown)
		}
		return e
	}
}
