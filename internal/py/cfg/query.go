package cfg

import (
	"cmp"
	"slices"
	"sort"

	"github.com/rlvet/rlvet/internal/flow"
	"github.com/rlvet/rlvet/internal/py/ast"
)

// located is a node with its place in the graph.
type located struct {
	ast.Span
	Loc
	outer int // index of the innermost node around it, or -1
}

// locate lists the nodes of all blocks by their start.
func (g *Graph) locate() []located {
	var starts []located
	for _, block := range g.Blocks {
		for i, n := range block.Nodes {
			starts = append(starts, located{n.Span(), Loc{block.ID, i}, -1})
		}
	}
	slices.SortStableFunc(starts, func(a, b located) int { return cmp.Compare(a.Start, b.Start) })
	for i := range starts {
		starts[i].outer = around(starts, i-1, starts[i].Span)
	}
	return starts
}

// around returns the innermost of the nodes up to the i-th that covers a span.
// Spans nest properly: so a node that covers it covers the i-th node as well.
func around(starts []located, i int, span ast.Span) int {
	for i >= 0 && !starts[i].Covers(span) {
		i = starts[i].outer
	}
	return i
}

// At returns where a node runs. The node may be one of a block's own, lie inside
// one (an expression of a statement) or be an if, while, try or assert statement
// or a whole condition: these run where their first part does. It is false for
// nodes outside the graph. What lies in a nested function or class is found at
// the definition.
func (g *Graph) At(n ast.Node) (Loc, bool) {
	starts, span := g.starts(), n.Span()
	after := sort.Search(len(starts), func(i int) bool { return starts[i].Start > span.Start })
	if i := around(starts, after-1, span); i >= 0 {
		return starts[i].Loc, true
	}
	first := sort.Search(len(starts), func(i int) bool { return starts[i].Start >= span.Start })
	if first < len(starts) && span.Covers(starts[first].Span) {
		return starts[first].Loc, true
	}
	return Loc{}, false
}

// LoopOf returns the innermost loop in which a node runs, or nil. The iterable of
// a for loop runs outside the loop, its target inside.
func (g *Graph) LoopOf(n ast.Node) *Loop {
	if loc, ok := g.At(n); ok {
		return g.Blocks[loc.Block].Loop
	}
	return nil
}

// LoopFor returns the loop that a For or While makes, or nil.
func (g *Graph) LoopFor(s ast.Stmt) *Loop {
	for _, l := range g.Loops {
		if l.Node == s {
			return l
		}
	}
	return nil
}

// Repeats lists what repeats a node, innermost first: the comprehensions around
// it inside its statement, then the For and While statements around that.
func (g *Graph) Repeats(n ast.Node) []ast.Node {
	var out []ast.Node
	span := n.Span()
	comps := g.comps()
	for i := len(comps) - 1; i >= 0; i-- {
		c := comps[i]
		if c.Span() != span && c.Span().Covers(span) && !inFirstIter(c, span) {
			out = append(out, c)
		}
	}
	for l := g.LoopOf(n); l != nil; l = l.Parent {
		out = append(out, l.Node)
	}
	return out
}

// inFirstIter reports whether a span lies in what a comprehension evaluates once.
func inFirstIter(c *ast.Comp, span ast.Span) bool {
	return len(c.Clauses) > 0 && c.Clauses[0].Iter.Span().Covers(span)
}

// findComps lists the comprehensions of the graph, outer ones before inner ones.
func findComps(g *Graph) []*ast.Comp {
	s := scanners.Get().(*scanner)
	defer s.release()
	for _, b := range g.Blocks {
		for _, n := range b.Nodes {
			s.node(n)
		}
	}
	return s.comps
}

// dominators computes immediate dominators of the reachable blocks by the
// algorithm of Cooper, Harvey and Kennedy; block numbers are reverse postorder.
func (g *Graph) dominators() []BlockID {
	idom := make([]BlockID, len(g.Blocks))
	for i := range idom {
		idom[i] = -1
	}
	idom[0] = 0
	for changed := true; changed; {
		changed = false
		for b := 1; b < g.reachable; b++ {
			if d := g.meetPreds(idom, g.Blocks[b]); d != idom[b] {
				idom[b], changed = d, true
			}
		}
	}
	return idom
}

// meetPreds returns the nearest block that dominates all predecessors of b that
// have been seen.
func (g *Graph) meetPreds(idom []BlockID, b *Block) BlockID {
	meet := BlockID(-1)
	for _, p := range b.Preds {
		switch {
		case idom[p] < 0:
		case meet < 0:
			meet = p
		default:
			for p != meet {
				for p > meet {
					p = idom[p]
				}
				for meet > p {
					meet = idom[meet]
				}
			}
		}
	}
	return meet
}

// Idom returns the immediate dominator of a block: the last block that every
// path from the entry passes before it. The entry's is itself; that of an
// unreachable block is -1.
func (g *Graph) Idom(b BlockID) BlockID { return g.idom()[b] }

// Dominates reports whether every path from the entry to b passes a. A block
// dominates itself; nothing dominates an unreachable block.
func (g *Graph) Dominates(a, b BlockID) bool {
	idom := g.idom()
	if idom[b] < 0 {
		return false
	}
	for b > a {
		b = idom[b]
	}
	return a == b
}

// ReachableFrom returns the blocks to which some path of at least one edge leads
// from a block; the block itself is among them only if it lies on a cycle.
func (g *Graph) ReachableFrom(from BlockID) flow.Bits {
	return g.explore(from, func(Edge) bool { return true }, func(BlockID) bool { return true })
}

// explore collects the blocks reached over wanted edges; paths go on only
// through the blocks that through admits.
func (g *Graph) explore(from BlockID, wanted func(Edge) bool, through func(BlockID) bool) flow.Bits {
	var seen flow.Bits
	stack := []BlockID{from}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range g.Blocks[b].Succs {
			if !wanted(e) || seen.Has(int(e.To)) {
				continue
			}
			seen = seen.Set(int(e.To))
			if through(e.To) {
				stack = append(stack, e.To)
			}
		}
	}
	return seen
}

// Precedes reports whether a can run before b in the same pass through the loops
// around them: some path leads from a to b without going back to a loop's header.
func (g *Graph) Precedes(a, b ast.Node) bool {
	from, ok1 := g.At(a)
	to, ok2 := g.At(b)
	if !ok1 || !ok2 {
		return false
	}
	if from.Block == to.Block {
		return from.Index < to.Index
	}
	forward := g.explore(from.Block, func(e Edge) bool { return e.Kind != Back }, func(BlockID) bool { return true })
	return forward.Has(int(to.Block))
}

// PathAvoiding reports whether some path leads from just after one node to
// another (nil: to the normal exit) that runs none of the nodes in avoid. With
// from equal to to it asks for a way around a loop. "Every path from a to the
// exit runs b" is !PathAvoiding(a, nil, b).
func (g *Graph) PathAvoiding(from, to ast.Node, avoid ...ast.Node) bool {
	start, ok := g.At(from)
	goal := Loc{Block: g.Exit}
	if to != nil && ok {
		goal, ok = g.At(to)
	}
	if !ok {
		return false
	}
	barriers := g.barriers(avoid)
	// The piece of the first block after the start.
	stop := barriers.firstFrom(start.Block, start.Index+1)
	if goal.Block == start.Block && goal.Index > start.Index && goal.Index <= stop {
		return true
	}
	if stop < len(g.Blocks[start.Block].Nodes) {
		return false
	}
	reached := g.explore(start.Block, func(Edge) bool { return true }, func(b BlockID) bool {
		return barriers.firstFrom(b, 0) >= len(g.Blocks[b].Nodes)
	})
	return reached.Has(int(goal.Block)) && barriers.firstFrom(goal.Block, 0) >= goal.Index
}

// barriers are the positions of nodes that a path must not run.
type barriers struct {
	g   *Graph
	pos map[BlockID][]int
}

func (g *Graph) barriers(nodes []ast.Node) barriers {
	b := barriers{g, map[BlockID][]int{}}
	for _, n := range nodes {
		if loc, ok := g.At(n); ok {
			b.pos[loc.Block] = append(b.pos[loc.Block], loc.Index)
		}
	}
	for _, p := range b.pos {
		slices.Sort(p)
	}
	return b
}

// firstFrom returns the position of the first barrier in a block from a
// position on, or the block's length.
func (b barriers) firstFrom(block BlockID, from int) int {
	for _, p := range b.pos[block] {
		if p >= from {
			return p
		}
	}
	return len(b.g.Blocks[block].Nodes)
}
