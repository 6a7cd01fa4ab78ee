package cfg

import (
	"slices"

	"github.com/rlvet/rlvet/internal/flow"
	"github.com/rlvet/rlvet/internal/py/ast"
)

// builder lays out blocks in source order. cur is the block that takes the next
// node; it is nil after a jump, where no path arrives any more.
type builder struct {
	blocks       []*Block
	slab         []Block // blocks not handed out yet
	cur          *Block
	exit, raised *Block
	frames       []*frame
	loop         *loopFrame
	loops        []*Loop
	withs        []*ast.With
}

// frame is a try statement around the current position that catches exceptions
// (entry is the dispatch to its handlers) or runs a finally clause (entry is the
// start of the clause, which every jump out of the statement passes).
type frame struct {
	entry   *Block
	finally bool
	jumps   []jump // to be taken up again after the finally clause
}

// jump leaves the statement it is in: return, break, continue or an exception.
type jump struct {
	kind   EdgeKind
	to     *Block
	frames int // the number of frames around the target
}

// loopFrame is a loop around the current position.
type loopFrame struct {
	*Loop
	leave  *Block
	frames int
	outer  *loopFrame
}

// block makes an empty block at the current nesting.
func (b *builder) block() *Block {
	if len(b.slab) == 0 {
		b.slab = make([]Block, 4+len(b.blocks))
	}
	block := &b.slab[0]
	b.slab = b.slab[1:]
	block.Withs = b.withs
	if b.loop != nil {
		block.Loop = b.loop.Loop
	}
	if n := len(b.frames); n > 0 {
		block.raiseTo = b.frames[n-1].entry
	}
	b.blocks = append(b.blocks, block)
	return block
}

// edge draws an edge from the current block, if a path arrives here, and ends it.
func (b *builder) edge(e Edge, to *Block) {
	if b.cur != nil {
		e.to, to.entered = to, true
		b.cur.Succs = append(b.cur.Succs, e)
	}
	b.cur = nil
}

// start goes on in a block.
func (b *builder) start(block *Block) {
	if b.cur != nil {
		b.edge(Edge{Kind: Next}, block)
	}
	b.cur = block
}

// add appends a node to the current block. Inside try each node has its own
// block, since an exception may leave before it.
func (b *builder) add(n ast.Node) {
	if b.cur == nil {
		b.cur = b.block()
	}
	if b.cur.raiseTo != nil && len(b.cur.Nodes) > 0 {
		b.start(b.block())
	}
	b.cur.Nodes = append(b.cur.Nodes, n)
}

// jump leaves through every finally clause between here and the target.
func (b *builder) jump(j jump) {
	to := b.jumpTarget(j)
	if j.kind == Back && to != j.to {
		j.kind = Next // the finally clause still belongs to this pass through the loop
	}
	b.edge(Edge{Kind: j.kind}, to)
}

// jumpTarget returns the block to which a jump goes first and leaves with the
// finally clause on its way, if there is one, what remains of it.
func (b *builder) jumpTarget(j jump) *Block {
	for i := len(b.frames) - 1; i >= j.frames; i-- {
		f := b.frames[i]
		if f.finally {
			if !slices.Contains(f.jumps, j) {
				f.jumps = append(f.jumps, j)
			}
			return f.entry
		}
		if j.kind == Raise {
			return f.entry
		}
	}
	return j.to
}

// raiseTarget returns where an exception that is raised here goes.
func (b *builder) raiseTarget() *Block {
	return b.jumpTarget(jump{kind: Raise, to: b.raised})
}

// cond evaluates a condition and goes to one of two blocks.
func (b *builder) cond(e ast.Expr, yes, no *Block) {
	switch e := e.(type) {
	case *ast.BoolOp:
		for i, v := range e.Values {
			next := no
			if !e.Or {
				next = yes
			}
			if i < len(e.Values)-1 {
				next = b.block()
			}
			if e.Or {
				b.cond(v, yes, next)
			} else {
				b.cond(v, next, no)
			}
			if i < len(e.Values)-1 {
				b.cur = next
			}
		}
		return
	case *ast.UnaryOp:
		if e.Op == ast.Not {
			b.cond(e.X, no, yes)
			return
		}
	}
	b.add(e)
	from := b.cur
	truth, constant := truthOf(e)
	if !constant || truth {
		b.edge(Edge{Kind: Branch, Cond: e, Sense: true}, yes)
		b.cur = from
	}
	if !constant || !truth {
		b.edge(Edge{Kind: Branch, Cond: e, Sense: false}, no)
	}
	b.cur = nil
}

// truthOf returns the value of a condition that is a literal.
func truthOf(e ast.Expr) (truth, constant bool) {
	switch e := e.(type) {
	case *ast.Constant:
		return e.Kind == ast.True || e.Kind == ast.Ellipsis, true
	case *ast.Number:
		if e.Text == "0" || e.Text == "1" {
			return e.Text == "1", true
		}
	}
	return false, false
}

// exceptionEdges draws the exceptions inside try. An exception of a statement
// leaves before the statement has taken effect: so its edge starts at the end of
// each block that leads to the statement's block.
func (b *builder) exceptionEdges() {
	for _, from := range b.blocks {
		for _, e := range from.Succs {
			if e.Kind == Except || e.to.raiseTo == nil || !mayRaise(e.to) {
				continue
			}
			except := Edge{Kind: Except, to: e.to.raiseTo}
			if !slices.Contains(from.Succs, except) {
				from.Succs = append(from.Succs, except)
			}
		}
	}
}

// mayRaise reports whether a block holds anything that can go wrong.
func mayRaise(b *Block) bool {
	for _, n := range b.Nodes {
		switch n := n.(type) {
		case *ast.Pass, *ast.Break, *ast.Continue, *ast.Global, *ast.Nonlocal,
			*ast.Constant, *ast.Handler, *ast.FunctionDef:
		case *ast.Return:
			if n.X != nil && !isPlain(n.X) {
				return true
			}
		case *ast.Assign:
			if !isPlain(n.Value) || slices.ContainsFunc(n.Targets, func(t ast.Expr) bool { return !isPlain(t) }) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// isPlain reports whether evaluating or assigning e cannot raise.
func isPlain(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Name, *ast.Constant, *ast.Number, *ast.String:
		return true
	}
	return false
}

// drafts is the unfinished graph, as the solver's traversal wants it.
type drafts []*Block

func (d drafts) Len() int { return len(d) }

func (d drafts) Degree(n int) int { return len(d[n].Succs) }

func (d drafts) Succ(n, i int) int { return int(d[n].Succs[i].to.ID) }

// number orders the blocks: reached ones in reverse postorder, then those that
// hold unreachable code, and drops what is empty and unreachable.
func (b *builder) number(entry *Block) *Graph {
	for i, block := range b.blocks {
		block.ID = BlockID(i)
		for j := range block.Succs {
			block.Succs[j].to = passThrough(block.Succs[j].to)
		}
	}
	order, position := flow.ReversePostorder(drafts(b.blocks), int(entry.ID))
	g := &Graph{reachable: len(order)}
	for _, i := range order {
		g.Blocks = append(g.Blocks, b.blocks[i])
	}
	dead := len(g.Blocks)
	for i, block := range b.blocks {
		if position[i] < 0 && (len(block.Nodes) > 0 || block == b.exit || block == b.raised) {
			g.Blocks = append(g.Blocks, block)
		}
	}
	slices.SortStableFunc(g.Blocks[dead:], func(a, b *Block) int { return a.start() - b.start() })
	for _, block := range b.blocks {
		block.ID = -1
	}
	for i, block := range g.Blocks {
		block.ID = BlockID(i)
	}
	g.Exit, g.Raised = b.exit.ID, b.raised.ID
	g.connect()
	g.finishLoops(b.loops)
	return g
}

// start returns where a block's source starts; empty blocks come first.
func (b *Block) start() int {
	if len(b.Nodes) == 0 {
		return -1
	}
	return int(b.Nodes[0].Span().Start)
}

// passThrough skips blocks that hold nothing and only lead on.
func passThrough(to *Block) *Block {
	for len(to.Nodes) == 0 && len(to.Succs) == 1 && to.Succs[0].Kind == Next && to.Succs[0].to != to {
		to = to.Succs[0].to
	}
	return to
}

// connect gives edges the numbers of their targets, and blocks their predecessors.
func (g *Graph) connect() {
	for _, block := range g.Blocks {
		block.raiseTo = nil
		block.Succs = slices.DeleteFunc(block.Succs, func(e Edge) bool { return e.to.ID < 0 })
		for i := range block.Succs {
			e := &block.Succs[i]
			if n := len(e.to.Preds); n == 0 || e.to.Preds[n-1] != block.ID {
				e.to.Preds = append(e.to.Preds, block.ID)
			}
			e.To, e.to = e.to.ID, nil
		}
	}
}

// finishLoops gives every loop its blocks and its nested loops.
func (g *Graph) finishLoops(loops []*Loop) {
	for _, l := range loops {
		if l.Header = l.header.ID; l.Header < 0 {
			continue
		}
		g.Loops = append(g.Loops, l)
		if l.Parent != nil {
			l.Parent.Children = append(l.Parent.Children, l)
		}
	}
	for _, block := range g.Blocks {
		for l := block.Loop; l != nil; l = l.Parent {
			l.Blocks = append(l.Blocks, block.ID)
		}
	}
}
