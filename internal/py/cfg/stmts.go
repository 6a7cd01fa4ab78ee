package cfg

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
)

func (b *builder) stmts(list []ast.Stmt) {
	for _, s := range list {
		b.stmt(s)
	}
}

func (b *builder) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.If:
		b.ifStmt(s)
	case *ast.For:
		b.forStmt(s)
	case *ast.While:
		b.whileStmt(s)
	case *ast.With:
		b.withStmt(s)
	case *ast.Try:
		b.tryStmt(s)
	case *ast.Match:
		b.matchStmt(s)
	case *ast.Assert:
		b.assertStmt(s)
	case *ast.Return:
		b.add(s)
		b.jump(jump{kind: Finish, to: b.exit})
	case *ast.Raise:
		b.add(s)
		b.jump(jump{kind: Raise, to: b.raised})
	case *ast.Break:
		b.add(s)
		if l := b.loop; l != nil {
			b.jump(jump{Leave, l.leave, l.frames})
		}
	case *ast.Continue:
		b.add(s)
		if l := b.loop; l != nil {
			b.jump(jump{Back, l.header, l.frames})
		}
	case *ast.ExprStmt:
		b.add(s)
		if endsProcess(s.X) {
			b.jump(jump{kind: Raise, to: b.raised})
		}
	default:
		b.add(s)
	}
}

// endsProcess reports whether an expression is a call that does not return.
func endsProcess(e ast.Expr) bool {
	call, ok := e.(*ast.Call)
	if !ok {
		return false
	}
	switch fun := call.Fun.(type) {
	case *ast.Name:
		return fun.Ident == "exit" || fun.Ident == "quit"
	case *ast.Attribute:
		x, ok := fun.X.(*ast.Name)
		return ok && (x.Ident == "sys" && fun.Attr == "exit" || x.Ident == "os" && (fun.Attr == "_exit" || fun.Attr == "abort"))
	}
	return false
}

// arrive goes on in a block where two paths meet, if any leads there.
func (b *builder) arrive(block *Block) {
	if b.cur != nil {
		b.edge(Edge{Kind: Next}, block)
	}
	if block.entered {
		b.cur = block
	}
}

func (b *builder) ifStmt(s *ast.If) {
	then, after := b.block(), b.block()
	other := after
	if len(s.Else) > 0 {
		other = b.block()
	}
	b.cond(s.Cond, then, other)
	b.branch(then, s.Then)
	b.finishBranch(after)
	if other != after {
		b.branch(other, s.Else)
		b.finishBranch(after)
	}
	b.arrive(after)
}

// branch lays out the statements of a branch that starts in the given block.
func (b *builder) branch(start *Block, body []ast.Stmt) {
	b.cur = nil
	if start.entered {
		b.cur = start
	}
	b.stmts(body)
}

func (b *builder) finishBranch(after *Block) {
	b.edge(Edge{Kind: Next}, after)
}

// enterLoop opens a loop; blocks made from now on belong to it. leave is where
// break goes.
func (b *builder) enterLoop(s ast.Stmt, leave *Block) *loopFrame {
	l := &Loop{Node: s, Depth: 1}
	if b.loop != nil {
		l.Parent, l.Depth = b.loop.Loop, b.loop.Depth+1
	}
	b.loops = append(b.loops, l)
	b.loop = &loopFrame{Loop: l, leave: leave, frames: len(b.frames), outer: b.loop}
	l.header = b.block()
	return b.loop
}

func (b *builder) forStmt(s *ast.For) {
	b.add(s.Iter)
	after := b.block()
	other := after
	if len(s.Else) > 0 {
		other = b.block()
	}
	l := b.enterLoop(s, after)
	b.start(l.header)
	body := b.block()
	body.Nodes = append(body.Nodes, s)
	b.edge(Edge{Kind: Iterate}, body)
	b.cur = l.header
	b.edge(Edge{Kind: Exhausted}, other)
	b.loopBody(l, body, s.Body)
	b.loopElse(other, after, s.Else)
}

func (b *builder) whileStmt(s *ast.While) {
	after := b.block()
	other := after
	if len(s.Else) > 0 {
		other = b.block()
	}
	l := b.enterLoop(s, after)
	b.start(l.header)
	body := b.block()
	b.cond(s.Cond, body, other)
	b.loopBody(l, body, s.Body)
	b.loopElse(other, after, s.Else)
}

// loopBody lays out a loop's body and closes the loop.
func (b *builder) loopBody(l *loopFrame, body *Block, stmts []ast.Stmt) {
	b.branch(body, stmts)
	b.edge(Edge{Kind: Back}, l.header)
	b.loop = l.outer
}

// loopElse lays out what runs when a loop ends without break.
func (b *builder) loopElse(other, after *Block, stmts []ast.Stmt) {
	if other != after {
		b.branch(other, stmts)
		b.finishBranch(after)
	}
	b.arrive(after)
}

// withStmt lays out with; a body that suppresses exceptions may end anywhere.
func (b *builder) withStmt(s *ast.With) {
	b.add(s)
	outer := b.withs
	var suppressed *frame
	if slices.ContainsFunc(s.Items, suppresses) {
		suppressed = &frame{entry: b.block()}
		b.frames = append(b.frames, suppressed)
	}
	b.withs = append(slices.Clip(outer), s)
	b.start(b.block())
	b.stmts(s.Body)
	b.withs = outer
	if suppressed == nil {
		if b.cur != nil {
			b.start(b.block())
		}
		return
	}
	b.frames = b.frames[:len(b.frames)-1]
	b.start(suppressed.entry)
}

// suppresses reports whether a with item swallows exceptions, by its usual names.
func suppresses(item *ast.WithItem) bool {
	call, ok := item.Context.(*ast.Call)
	if !ok {
		return false
	}
	switch fun := call.Fun.(type) {
	case *ast.Name:
		return fun.Ident == "suppress"
	case *ast.Attribute:
		return fun.Attr == "suppress" || fun.Attr == "raises" || fun.Attr == "assertRaises"
	}
	return false
}

// tryStmt lays out try: the body and the else clause, the handlers, and around
// all of them the finally clause. An empty block before it is where exceptions
// of the first statement leave.
func (b *builder) tryStmt(s *ast.Try) {
	b.start(b.block())
	if len(s.Finally) == 0 {
		after := b.block()
		b.handled(s, after)
		b.arrive(after)
		return
	}
	finally := &frame{entry: b.block(), finally: true}
	// Anything inside may raise, and goes on outward after the clause.
	finally.jumps = append(finally.jumps, jump{kind: Raise, to: b.raised})
	b.frames = append(b.frames, finally)
	after := b.block()
	b.handled(s, after)
	b.cur = nil
	if after.entered {
		b.cur = after
	}
	b.frames = b.frames[:len(b.frames)-1]
	b.start(finally.entry)
	b.start(b.block()) // exceptions of the clause's first statement leave from an empty block too
	b.stmts(s.Finally)
	b.resume(finally, after.entered)
}

// resume draws what follows a finally clause: the statements after it, and the
// jumps that passed through it.
func (b *builder) resume(finally *frame, normal bool) {
	end := b.cur
	if end == nil {
		return
	}
	for _, j := range finally.jumps {
		b.cur = end
		b.jump(j)
	}
	b.cur = nil
	if normal {
		b.cur = end
		b.start(b.block())
	}
}

// handled lays out body, else and handlers; all that end normally go to after.
func (b *builder) handled(s *ast.Try, after *Block) {
	if len(s.Handlers) == 0 {
		b.start(b.block())
		b.stmts(s.Body)
		b.finishBranch(after)
		return
	}
	dispatch := b.block()
	b.frames = append(b.frames, &frame{entry: dispatch})
	b.start(b.block())
	b.stmts(s.Body)
	b.frames = b.frames[:len(b.frames)-1]
	if b.cur != nil {
		b.start(b.block())
	}
	b.stmts(s.Else)
	b.finishBranch(after)
	b.handlers(s.Handlers, dispatch, after)
}

// handlers lays out the except clauses. dispatch chooses among them; unless one
// catches everything, it may choose none.
func (b *builder) handlers(list []*ast.Handler, dispatch, after *Block) {
	catchAll := false
	for _, h := range list {
		b.cur = dispatch
		clause := b.block()
		b.edge(Edge{Kind: Except}, clause)
		b.cur = clause
		b.add(h)
		b.stmts(h.Body)
		b.finishBranch(after)
		catchAll = catchAll || catchesAll(h)
	}
	if !catchAll {
		b.cur = dispatch
		b.jump(jump{kind: Raise, to: b.raised})
	}
}

func catchesAll(h *ast.Handler) bool {
	if h.Type == nil {
		return true
	}
	n, ok := h.Type.(*ast.Name)
	return ok && (n.Ident == "Exception" || n.Ident == "BaseException")
}

func (b *builder) matchStmt(s *ast.Match) {
	b.add(s.Subject)
	after := b.block()
	for i, c := range s.Cases {
		b.start(b.block())
		body, next := b.block(), after
		if i < len(s.Cases)-1 {
			next = b.block()
		}
		b.matchCase(c, body, next)
		b.branch(body, c.Body)
		b.finishBranch(after)
		if b.cur = nil; next != after && next.entered {
			b.cur = next
		}
	}
	b.arrive(after)
}

// matchCase draws the edges of one case, from the current block: its pattern,
// then its guard.
func (b *builder) matchCase(c *ast.Case, body, next *Block) {
	test, matched := b.cur, body
	if c.Guard != nil {
		matched = b.block()
	}
	matched.Nodes = append(matched.Nodes, c)
	b.edge(Edge{Kind: Matched}, matched)
	if !irrefutable(c.Pattern) {
		b.cur = test
		b.edge(Edge{Kind: Unmatched}, next)
	}
	if c.Guard != nil {
		b.cur = matched
		b.cond(c.Guard, body, next)
	}
}

// irrefutable reports whether a pattern fits everything.
func irrefutable(p ast.Pattern) bool {
	switch p := p.(type) {
	case *ast.MatchAs:
		return p.Pattern == nil || irrefutable(p.Pattern)
	case *ast.MatchOr:
		return len(p.Patterns) > 0 && irrefutable(p.Patterns[len(p.Patterns)-1])
	}
	return false
}

// assertStmt branches on the condition; failing evaluates the message and raises.
func (b *builder) assertStmt(s *ast.Assert) {
	ok := b.block()
	if s.Msg == nil || isPlain(s.Msg) {
		b.cond(s.Cond, ok, b.raiseTarget())
	} else {
		fail := b.block()
		b.cond(s.Cond, ok, fail)
		b.cur = fail
		b.add(s.Msg)
		b.jump(jump{kind: Raise, to: b.raised})
	}
	b.cur = nil
	b.arrive(ok)
}
