package flow

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// graph is an adjacency list.
type graph [][]int

func (g graph) Len() int { return len(g) }

func (g graph) Degree(n int) int  { return len(g[n]) }
func (g graph) Succ(n, i int) int { return g[n][i] }

// problem is a generated gen/kill problem, whose transfer is distributive: so its
// least solution is the union over all paths, which brute force can find.
type problem struct {
	graph     graph
	gen, kill []Bits
	cut       [][]bool // edges that cannot be taken
}

func (p problem) transfer() Transfer[Bits, int] {
	return Transfer[Bits, int]{
		Node: func(n int, in Bits) Bits {
			out := slices.Clone(in)
			for i := range 6 {
				if p.kill[n].Has(i) {
					out.Clear(i)
				}
				if p.gen[n].Has(i) {
					out = out.Set(i)
				}
			}
			return out
		},
		Edge: func(n, i int, out Bits) (Bits, bool) { return out, !p.cut[n][i] },
	}
}

func drawProblem(t *rapid.T) problem {
	n := rapid.IntRange(1, 9).Draw(t, "n")
	p := problem{graph: make(graph, n)}
	for i := range n {
		p.graph[i] = rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3).Draw(t, "succs")
		cut := make([]bool, len(p.graph[i]))
		for j := range cut {
			cut[j] = rapid.IntRange(0, 4).Draw(t, "cut") == 0
		}
		p.cut = append(p.cut, cut)
		p.gen = append(p.gen, Bits{rapid.Uint64Range(0, 63).Draw(t, "gen")})
		p.kill = append(p.kill, Bits{rapid.Uint64Range(0, 63).Draw(t, "kill")})
	}
	return p
}

// bruteForce follows every element along every path: the reference solution.
func bruteForce(p problem, init Bits) (in []Bits, reached []bool) {
	in, reached = make([]Bits, len(p.graph)), make([]bool, len(p.graph))
	reached[0] = true
	in[0] = slices.Clone(init)
	for changed := true; changed; {
		changed = false
		for n := range p.graph {
			if !reached[n] {
				continue
			}
			out := p.transfer().Node(n, in[n])
			for i, to := range p.graph[n] {
				if p.cut[n][i] {
					continue
				}
				for e := range 6 {
					if out.Has(e) && !in[to].Has(e) {
						in[to], changed = in[to].Set(e), true
					}
				}
				changed = changed || !reached[to]
				reached[to] = true
			}
		}
	}
	return in, reached
}

func TestForwardFindsLeastSolution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		init := Bits{rapid.Uint64Range(0, 63).Draw(t, "init")}
		want, reached := bruteForce(p, init)
		r := Forward(BitLattice{}, p.graph, 0, init, p.transfer())
		if !r.Converged {
			t.Fatal("did not converge")
		}
		for n := range p.graph {
			if r.Reached[n] != reached[n] || !(BitLattice{}).Equals(r.In[n], want[n]) {
				t.Errorf("node %d: %v reached %v, want %v reached %v", n, r.In[n], r.Reached[n], want[n], reached[n])
			}
		}
	})
}

func TestForwardVisitsAcyclicGraphOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		g := make(graph, n)
		for i := range n - 1 {
			g[i] = rapid.SliceOfN(rapid.IntRange(i+1, n-1), 1, 3).Draw(t, "succs")
		}
		order, _ := ReversePostorder(g, 0)
		node := func(i int, in Bits) Bits { return slices.Clone(in).Set(i) }
		r := Forward(BitLattice{}, g, 0, nil, Transfer[Bits, int]{Node: node})
		if r.Visits != len(order) {
			t.Errorf("%d visits of %d nodes", r.Visits, len(order))
		}
	})
}

func TestReversePostorder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		order, position := ReversePostorder(p.graph, 0)
		for i, n := range order {
			if position[n] != int32(i) {
				t.Fatalf("position[%d] = %d, want %d", n, position[n], i)
			}
		}
		if order[0] != 0 {
			t.Errorf("starts with %d", order[0])
		}
		seen := slices.Clone(order)
		slices.Sort(seen)
		if len(slices.Compact(seen)) != len(order) {
			t.Error("a node comes twice")
		}
		for _, n := range order {
			for _, to := range p.graph[n] {
				if position[to] < 0 {
					t.Errorf("%d is reached from %d but not listed", to, n)
				}
				if position[to] <= position[n] && !reaches(p.graph, to, n) {
					t.Errorf("%d comes after its successor %d without a cycle", n, to)
				}
			}
		}
	})
}

// reaches reports whether a path leads from one node to another.
func reaches(g graph, from, to int) bool {
	seen := map[int]bool{from: true}
	for stack := []int{from}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == to {
			return true
		}
		for _, s := range g[n] {
			if !seen[s] {
				seen[s] = true
				stack = append(stack, s)
			}
		}
	}
	return false
}

// maxInt is a lattice without a top: a loop that counts never ends in it.
type maxInt struct{}

func (maxInt) Ident() int           { return 0 }
func (maxInt) Equals(a, b int) bool { return a == b }
func (maxInt) Merge(a, b int) int   { return max(a, b) }

func TestForwardGivesUpOnInfiniteLattice(t *testing.T) {
	r := Forward(maxInt{}, graph{{1}, {0}}, 0, 1, Transfer[int, int]{Node: func(_, in int) int { return in + 1 }})
	if r.Converged {
		t.Error("an endless problem is said to have converged")
	}
	if r.Visits != 2*MaxVisits {
		t.Errorf("gave up after %d visits, want %d", r.Visits, 2*MaxVisits)
	}
}

func BenchmarkForward(b *testing.B) {
	const n = 2000
	g := make(graph, n)
	for i := range n - 1 {
		g[i] = []int{i + 1, i - i%50}
	}
	node := func(i int, in Bits) Bits { return slices.Clone(in).Set(i % 512) }
	for b.Loop() {
		Forward(BitLattice{}, g, 0, nil, Transfer[Bits, int]{Node: node})
	}
}
