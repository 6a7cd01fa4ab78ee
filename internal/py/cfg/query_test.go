package cfg_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/cfg"
	"github.com/rlvet/rlvet/internal/py/parsetest"
)

const trainSource = `
env = make()
for epoch in range(3):
    optimizer.zero_grad()
    for batch in loader:
        loss = f(batch)
        if skip(batch):
            continue
        loss.backward()
        losses = [g(x) for row in batch for x in row]
    optimizer.step()
    if bad:
        break
else:
    finish()
save()
`

// call returns the expression statement that starts with the given text.
func stmtAt(t *testing.T, m *ast.Module, text string) ast.Node {
	t.Helper()
	var found ast.Node
	ast.WalkModule(m, func(n ast.Node) bool {
		if s, ok := n.(ast.Stmt); ok && found == nil && strings.HasPrefix(m.Source(s), text) {
			found = s
		}
		return found == nil
	})
	if found == nil {
		t.Fatalf("no statement %q", text)
	}
	return found
}

func TestLoops(t *testing.T) {
	m := parsetest.Parse(t, trainSource)
	g := cfg.New(m.Body)
	outer, inner := g.LoopFor(m.Body[1]), g.Loops[1]
	if len(g.Loops) != 2 || outer.Depth != 1 || inner.Depth != 2 || inner.Parent != outer || outer.Children[0] != inner {
		t.Fatalf("loops do not nest: %+v", g.Loops)
	}
	for text, want := range map[string]*cfg.Loop{
		"env": nil, "optimizer.zero": outer, "loss = f": inner, "continue": inner, "loss.b": inner,
		"optimizer.step": outer, "break": outer, "finish": nil, "save": nil,
	} {
		if got := g.LoopOf(stmtAt(t, m, text)); got != want {
			t.Errorf("%s is in loop %v, want %v", text, got, want)
		}
	}
	for _, l := range g.Loops {
		if !slices.Contains(l.Blocks, l.Header) || !slices.IsSorted(l.Blocks) {
			t.Errorf("blocks %v of the loop with header %d", l.Blocks, l.Header)
		}
		for _, b := range l.Blocks {
			if !g.Dominates(l.Header, b) {
				t.Errorf("the header %d does not dominate block %d of its loop", l.Header, b)
			}
		}
	}
	if !outer.Encloses(inner) || inner.Encloses(outer) || outer.Encloses(nil) {
		t.Error("Encloses is wrong")
	}
}

func TestRepeats(t *testing.T) {
	m := parsetest.Parse(t, trainSource)
	g := cfg.New(m.Body)
	var x, batch ast.Node
	ast.WalkModule(m, func(n ast.Node) bool {
		if c, ok := n.(*ast.Comp); ok {
			x, batch = c.Elt.(*ast.Call).Args[0], c.Clauses[0].Iter
		}
		return true
	})
	if got := g.Repeats(x); len(got) != 3 {
		t.Errorf("the element is repeated by %d constructs, want comprehension and two loops", len(got))
	}
	if got := g.Repeats(batch); len(got) != 2 {
		t.Errorf("the first iterable is repeated by %d constructs, want two loops", len(got))
	}
}

func TestPaths(t *testing.T) {
	m := parsetest.Parse(t, trainSource)
	g := cfg.New(m.Body)
	at := func(text string) ast.Node { return stmtAt(t, m, text) }
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"optimizer.zero", "loss.b", true},
		{"loss.b", "optimizer.zero", false},
		{"loss.b", "optimizer.step", false}, // only by way of the inner loop's header
		{"loss = f", "loss.b", true},
		{"loss.b", "loss = f", false},
		{"env", "save", true},
		{"break", "finish", false},
		{"continue", "loss.b", false},
	} {
		if got := g.Precedes(at(c.a), at(c.b)); got != c.want {
			t.Errorf("Precedes(%s, %s) = %v", c.a, c.b, got)
		}
	}
	for _, c := range []struct {
		from, to, avoid string
		want            bool
	}{
		{"loss.b", "loss.b", "optimizer.zero", true},
		{"loss.b", "loss.b", "loss = f", false},
		{"optimizer.step", "optimizer.step", "optimizer.zero", false},
		{"optimizer.step", "optimizer.step", "loss.b", true},
		{"env", "save", "finish", true},
		{"env", "", "save", false},
		{"env", "", "optimizer.step", true},
		{"loss = f", "loss.b", "optimizer.step", true},
		{"loss.b", "losses", "loss = f", true},
		{"losses", "loss.b", "continue", true},
	} {
		var to ast.Node
		if c.to != "" {
			to = at(c.to)
		}
		if got := g.PathAvoiding(at(c.from), to, at(c.avoid)); got != c.want {
			t.Errorf("PathAvoiding(%s, %s, %s) = %v", c.from, c.to, c.avoid, got)
		}
	}
}

// TestEveryNodeIsFound looks up every expression and statement of a program: each
// must be found, inside the block node that covers it where one does.
func TestEveryNodeIsFound(t *testing.T) {
	for seed := range 30 {
		m := parsetest.Parse(t, generate(rand.New(rand.NewPCG(1, uint64(seed)))))
		for _, s := range m.Body {
			fn := s.(*ast.FunctionDef)
			g := cfg.New(fn.Body)
			for _, s := range fn.Body {
				ast.Walk(s, func(n ast.Node) bool {
					if _, ok := n.(*ast.Handler); ok {
						return true
					}
					loc, ok := g.At(n)
					if !ok {
						if _, isTry := n.(*ast.Try); !isTry || len(g.Blocks) > 3 {
							t.Fatalf("not found: %s", m.Source(n))
						}
						return true
					}
					node := g.Blocks[loc.Block].Nodes[loc.Index]
					if !node.Span().Covers(n.Span()) && !n.Span().Covers(node.Span()) {
						t.Fatalf("%s is found at %s", m.Source(n), m.Source(node))
					}
					return true
				})
			}
		}
	}
}

// TestDominators compares with the definition: a dominates b if b cannot be
// reached from the entry without a.
func TestDominators(t *testing.T) {
	for seed := range 60 {
		m := parsetest.Parse(t, generate(rand.New(rand.NewPCG(2, uint64(seed)))))
		g := cfg.New(m.Body[0].(*ast.FunctionDef).Body)
		for a := range g.Blocks {
			for b := range g.Blocks {
				want := g.Reachable(cfg.BlockID(b)) && !reachesWithout(g, cfg.BlockID(b), cfg.BlockID(a))
				if got := g.Dominates(cfg.BlockID(a), cfg.BlockID(b)); got != want {
					t.Fatalf("Dominates(%d, %d) = %v in\n%s", a, b, got, g.Text(m))
				}
			}
		}
	}
}

func reachesWithout(g *cfg.Graph, goal, without cfg.BlockID) bool {
	seen := make([]bool, g.Len())
	var visit func(b cfg.BlockID) bool
	visit = func(b cfg.BlockID) bool {
		if b == without || seen[b] {
			return false
		}
		seen[b] = true
		if b == goal {
			return true
		}
		for _, e := range g.Blocks[b].Succs {
			if visit(e.To) {
				return true
			}
		}
		return false
	}
	return visit(0)
}

// TestHugeGraphIsGivenUp feeds a program whose reaching definitions would fill
// gigabytes.
func TestHugeGraphIsGivenUp(t *testing.T) {
	m := parsetest.Parse(t, strings.Repeat("if c:\n x = 1\n", 10000))
	r := cfg.Reaching(cfg.New(m.Body), nil)
	if !r.GaveUp() {
		t.Error("10,000 branches were not given up")
	}
	if len(r.All()) != 10000 {
		t.Errorf("%d definitions are listed", len(r.All()))
	}
}

// TestManyComputedKeys feeds stores under computed keys and constant keys, each
// of the first kind a possible definition of each of the second.
func TestManyComputedKeys(t *testing.T) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "x[i] = 1\nx[\"%d\"] = 2\n", i)
	}
	m := parsetest.Parse(t, text.String())
	if !cfg.Reaching(cfg.New(m.Body), nil).GaveUp() {
		t.Error("four million possible definitions were not given up")
	}
}

// FuzzGraph looks for sources on which graphs panic or break their own laws.
func FuzzGraph(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(generate(rand.New(rand.NewPCG(9, seed))))
	}
	f.Add(trainSource)
	f.Add("break\ncontinue\nreturn\nx[y:=1] = *z")
	f.Add("try:\n x\nfinally:\n return\nwhile 0: pass\nelse: assert 0, f(x)")
	f.Fuzz(func(t *testing.T, text string) {
		m := parsetest.Broken(t, text)
		g := cfg.New(m.Body)
		for i, b := range g.Blocks {
			for _, e := range b.Succs {
				if !slices.Contains(g.Blocks[e.To].Preds, cfg.BlockID(i)) {
					t.Errorf("the edge from %d to %d has no way back", i, e.To)
				}
			}
		}
		r := cfg.Reaching(g, nil)
		for _, s := range m.Body {
			ast.Walk(s, func(n ast.Node) bool {
				g.At(n)
				g.Repeats(n)
				if e, ok := n.(ast.Expr); ok {
					r.Defs(e)
				}
				return true
			})
		}
		_ = g.Text(m)
	})
}
