// Package cfg builds control-flow graphs and answers questions about them.
//
// Purpose: says in which order the statements of a function (or of a module's
// top level) may run, under which conditions, in which loops, and which
// assignments of a place (x, self.x, batch["logp"]) a use may see.
//
// Input: a list of statements. Output: a Graph, read-only and safe for
// concurrent use. Nested functions and classes are one node each; their bodies
// have graphs of their own.
//
// Limits: exceptions that a statement may raise are followed only inside try,
// where they matter; sys.exit and the like end a path by their usual names; a
// finally clause is one piece of graph that all its ways in share.
package cfg

import (
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// BlockID numbers the blocks of a graph in reverse postorder from 0, the entry;
// blocks that nothing reaches come last.
type BlockID int32

// EdgeKind says why control takes an edge. Return, break and raise may lead to a
// finally clause first, and on from its end.
type EdgeKind uint8

// The kinds of edges.
const (
	Next      EdgeKind = iota // straight on
	Branch                    // Cond was true (Sense) or false
	Iterate                   // the loop's iterator gave an item
	Exhausted                 // the loop's iterator is at its end
	Matched                   // the case's pattern fits
	Unmatched                 // the case's pattern does not fit
	Back                      // to the header of a loop, from the end of its body or by continue
	Leave                     // break
	Finish                    // return, or the end of the body
	Raise                     // raise, an uncaught exception, sys.exit
	Except                    // an exception of the statement that comes next
)

var edgeNames = [...]string{
	"next", "branch", "iterate", "exhausted", "matched", "unmatched", "back", "break", "return", "raise", "except",
}

// String returns the kind in words.
func (k EdgeKind) String() string { return edgeNames[k] }

// Edge leads from the end of one block to the start of another.
type Edge struct {
	To   BlockID
	Kind EdgeKind
	// Cond is the condition of a Branch (never a chain of and, or, not: those are
	// edges of their own) and Sense what it turned out to be.
	Cond  ast.Expr
	Sense bool

	to *Block // the target, before blocks have numbers
}

// Block is a sequence of nodes that run one after the other.
//
// A node is a simple statement; a condition; the iterable of a for loop or the
// subject of a match; or a compound statement's head, which stands for what it
// does itself: *ast.For, first in the loop's body, binds the next item to the
// target; *ast.With enters its items; *ast.Handler binds the exception; *ast.Case,
// after the pattern fitted, binds its names; *ast.FunctionDef and *ast.ClassDef
// define theirs.
type Block struct {
	ID    BlockID
	Nodes []ast.Node
	Succs []Edge
	Preds []BlockID
	// Loop is the innermost loop whose header or body the block belongs to, or nil.
	Loop *Loop
	// Withs are the with statements around the block, outermost first.
	Withs []*ast.With

	raiseTo *Block // where exceptions of the block's nodes go inside try
	entered bool   // some edge leads here
}

// Loop is a for or while loop.
type Loop struct {
	Node   ast.Stmt // *ast.For or *ast.While
	Header BlockID
	// Blocks are the header and the blocks of the body, nested loops included,
	// in ascending order; the else clause is no part of the loop.
	Blocks []BlockID
	// Depth is 1 for an outermost loop.
	Depth    int
	Parent   *Loop
	Children []*Loop

	header *Block
}

// Encloses reports whether inner is l or nested in it.
func (l *Loop) Encloses(inner *Loop) bool {
	for inner != nil && inner != l {
		inner = inner.Parent
	}
	return inner != nil
}

// Graph is the control flow of one function body or module.
type Graph struct {
	Blocks []*Block
	// Exit is where return and the end of the body lead; it holds no nodes.
	Exit BlockID
	// Raised is where uncaught exceptions lead; it holds no nodes.
	Raised BlockID
	// Loops lists all loops in source order; nested ones come after their parents.
	Loops []*Loop

	reachable int // blocks below are reached from the entry
	starts    func() []located
	idom      func() []BlockID
	comps     func() []*ast.Comp
}

// Loc is the position of a node in a graph.
type Loc struct {
	Block BlockID
	Index int // in Block.Nodes
}

// Len returns the number of blocks; with Degree and Succ it makes Graph a
// flow.Graph.
func (g *Graph) Len() int { return len(g.Blocks) }

// Degree returns the number of edges out of a block.
func (g *Graph) Degree(b BlockID) int { return len(g.Blocks[b].Succs) }

// Succ returns the block to which the i-th edge out of a block leads.
func (g *Graph) Succ(b BlockID, i int) BlockID { return g.Blocks[b].Succs[i].To }

// Block returns a block by its number.
func (g *Graph) Block(id BlockID) *Block { return g.Blocks[id] }

// Reachable reports whether some path leads from the entry to a block.
func (g *Graph) Reachable(id BlockID) bool { return int(id) < g.reachable }

// New returns the graph of a body: a function's, a class's or a module's.
func New(body []ast.Stmt) *Graph {
	b := &builder{}
	b.exit, b.raised = b.block(), b.block()
	entry := b.block()
	b.cur = entry
	b.stmts(body)
	b.edge(Edge{Kind: Finish}, b.exit)
	b.exceptionEdges()
	g := b.number(entry)
	g.starts = sync.OnceValue(g.locate)
	g.idom = sync.OnceValue(g.dominators)
	g.comps = sync.OnceValue(func() []*ast.Comp { return findComps(g) })
	return g
}
