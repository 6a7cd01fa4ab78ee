// Package flow solves forward dataflow problems.
//
// Purpose: given a graph of program points, a semilattice of facts and how facts
// change along nodes and edges, finds the smallest facts that hold at the entry
// of every node. Input: any graph whose nodes are numbered from 0. Output: a
// Result with the fact before each node. Limits: facts must be treated as
// immutable; a lattice of infinite height ends at the bound on visits, which the
// Result reports.
package flow

import "slices"

// # How it works
//
// A fact describes all executions that reach a point: "ratio is an exponential
// here", "these three assignments may have set x". Where two paths meet, the
// facts of both are merged; a loop makes the fact at its head depend on itself.
// The solution wanted is the least one: the strongest statement that is
// consistent with every edge.
//
// Forward starts from the entry node's fact with everything else unreached, and
// pushes facts along edges until nothing changes. Two properties make that
// right. Merging only ever adds possibilities (Semilattice's laws), so facts grow
// and, in a lattice of finite height, stop growing. And because merging does not
// care for order or repetition, every order of visits ends in the same solution;
// the order decides only how long it takes.
//
// Visiting in reverse postorder, a node after all of its predecessors except
// those that loop back to it, solves a program without loops in one pass and one
// with loops in about two passes more than its loops nest. The worklist is thus an array of
// flags by reverse postorder position and a cursor that moves forward, and
// jumps back only when a fact at a loop's head has changed.
//
// May and must are a matter of the lattice, not of the solver: union of sets
// tells what may have happened, intersection what must have. A transfer function
// should be monotone (more possibilities in, no fewer out); where it is not, the
// bound on visits keeps Forward from running for ever.
//
// Facts change in two steps. Node is what executing a node's statements does and
// runs once a visit. Edge is what taking one particular edge adds: on the true
// edge of "if x.numel() > 1" the fact knows that x has two elements. Edge may
// also cut an edge, by saying that the fact makes it impossible.

// Graph is a finite directed graph with nodes 0 to Len()-1.
type Graph[N ~int | ~int32] interface {
	// Len is the number of nodes.
	Len() int
	// Degree is the number of edges out of a node. There may be several between
	// two nodes.
	Degree(n N) int
	// Succ is the node to which the i-th edge out of a node leads, from 0.
	Succ(n N, i int) N
}

// Transfer says how facts change.
type Transfer[Fact any, N ~int | ~int32] struct {
	// Node returns the fact after n from the fact before it.
	Node func(n N, in Fact) Fact
	// Edge returns the fact that arrives over the i-th edge out of n, and whether
	// the edge can be taken at all. A nil Edge changes nothing.
	Edge func(n N, i int, out Fact) (Fact, bool)
}

// Result is the solution of a dataflow problem.
type Result[Fact any] struct {
	// In holds the fact before each node; the identity where none arrives.
	In []Fact
	// Reached tells which nodes some path reaches.
	Reached []bool
	// Visits counts the evaluations of nodes.
	Visits int
	// Converged is false where the bound on visits was hit: the facts are then
	// those at that moment and must not be relied on.
	Converged bool
}

// MaxVisits bounds how often Forward evaluates one node on average.
const MaxVisits = 200

// Forward solves the problem with fact init before the node entry.
func Forward[L Semilattice[Fact], Fact any, N ~int | ~int32](
	lattice L, g Graph[N], entry N, init Fact, t Transfer[Fact, N],
) *Result[Fact] {
	order, position := ReversePostorder(g, entry)
	r := &Result[Fact]{In: make([]Fact, g.Len()), Reached: make([]bool, g.Len()), Converged: true}
	for i := range r.In {
		r.In[i] = lattice.Ident()
	}
	r.In[entry], r.Reached[entry] = lattice.Merge(r.In[entry], init), true
	dirty := make([]bool, len(order))
	dirty[0] = true
	for cursor := 0; cursor < len(order); {
		if !dirty[cursor] {
			cursor++
			continue
		}
		if r.Visits >= MaxVisits*len(order) {
			r.Converged = false
			break
		}
		dirty[cursor] = false
		next := cursor + 1
		visit(lattice, g, order[cursor], t, r, func(changed N) {
			dirty[position[changed]] = true
			next = min(next, int(position[changed]))
		})
		cursor = next
	}
	return r
}

// visit evaluates one node and calls push for the successors whose facts changed.
func visit[L Semilattice[Fact], Fact any, N ~int | ~int32](
	lattice L, g Graph[N], n N, t Transfer[Fact, N], r *Result[Fact], push func(N),
) {
	r.Visits++
	out := t.Node(n, r.In[n])
	for i := range g.Degree(n) {
		to, fact, possible := g.Succ(n, i), out, true
		if t.Edge != nil {
			fact, possible = t.Edge(n, i, out)
		}
		if !possible {
			continue
		}
		merged := lattice.Merge(r.In[to], fact)
		if r.Reached[to] && lattice.Equals(merged, r.In[to]) {
			continue
		}
		r.In[to], r.Reached[to] = merged, true
		push(to)
	}
}

// ReversePostorder lists the nodes that entry reaches, each before its
// successors except along edges that close a cycle. position is the inverse: the
// place of a node in the list, or -1 for nodes that are not reached.
func ReversePostorder[N ~int | ~int32](g Graph[N], entry N) (order []N, position []int32) {
	n := g.Len()
	position = make([]int32, n)
	left := make([]int32, n) // by node: how many of its edges are still to be followed
	for i := range n {
		position[i] = -1
		left[i] = int32(g.Degree(N(i)))
	}
	order = make([]N, 0, n)
	stack := append(make([]N, 0, 16), entry)
	position[entry] = 0
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		if left[top] == 0 {
			order = append(order, top)
			stack = stack[:len(stack)-1]
			continue
		}
		// From the last to the first, so that the first comes first in the result.
		left[top]--
		if to := g.Succ(top, int(left[top])); position[to] < 0 {
			position[to] = 0
			stack = append(stack, to)
		}
	}
	slices.Reverse(order)
	for i, n := range order {
		position[n] = int32(i)
	}
	return order, position
}
