package cfg_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/cfg"
	"github.com/rlvet/rlvet/internal/py/parsetest"
)

// The oracle of this file is CPython. Programs are generated whose assignments
// set a variable to the number of their line, and whose uses report what they
// see. Run with many random decisions, every pair of use and definition that
// CPython observes must be among the reaching definitions; and most of the
// computed pairs must be observed at some time, lest everything reach everything.

// oraclePrelude gives the generated functions their random decisions. c decides a
// condition, r gives a short range, d returns its argument or raises, u reports.
const oraclePrelude = `
import random, sys
class Stop(BaseException): pass
fuel = 0
def spend():
    global fuel
    fuel -= 1
    if fuel < 0: raise Stop
def c(): spend(); return random.random() < 0.5
def r(): spend(); return range(random.randrange(3))
def d(n):
    spend()
    if random.random() < 0.2: raise random.choice([KeyError, ValueError, TypeError])
    return n
class Context:
    def __enter__(self): return self
    def __exit__(self, *_): return False
w = Context()
class P: pass
seen = set()
def u(line, *values):
    for i, v in enumerate(values): seen.add((line, i, v))
def run(f):
    global fuel
    for seed in range(1500):
        random.seed(seed); fuel = 60
        try: f(P())
        except Stop: pass
        except (KeyError, ValueError, TypeError): pass
    for pair in sorted(seen): print(f.__name__, *pair)
    seen.clear()
`

// generator writes one random function, a statement a line.
type generator struct {
	*rand.Rand
	lines []string
	first int // number of lines before
}

// places are what generated programs assign and use.
var places = []string{"x", "y", "p.a", "p.b"}

func (g *generator) line(depth int, text string) {
	text = strings.ReplaceAll(text, "LINE", fmt.Sprint(g.first+len(g.lines)+1))
	g.lines = append(g.lines, strings.Repeat(" ", depth)+text)
}

func (g *generator) body(depth, size int, loop bool) {
	for range 1 + g.IntN(3) {
		g.stmt(depth, size, loop)
	}
}

func (g *generator) stmt(depth, size int, loop bool) {
	place := places[g.IntN(len(places))]
	simple := []string{place + " = LINE", place + " = d(LINE)", place + " = LINE", "u(LINE, x, y, p.a, p.b)"}
	choice := g.IntN(16)
	if size <= 0 {
		choice = g.IntN(7)
	}
	switch choice {
	case 0, 1, 2, 3, 4:
		g.line(depth, simple[g.IntN(len(simple))])
	case 5:
		jumps := []string{"return", "raise KeyError", "return d(0)"}
		if loop {
			jumps = append(jumps, "break", "continue", "break", "continue")
		}
		g.line(depth, "if c(): "+jumps[g.IntN(len(jumps))])
	case 6:
		g.line(depth, "if c() and not c() or c() and (x := LINE): pass")
	case 7, 8:
		g.line(depth, "if c():")
		g.body(depth+1, size-1, loop)
		g.orElse(depth, size, loop)
	case 9:
		g.line(depth, "for x in [LINE for _ in r()]:")
		g.body(depth+1, size-1, true)
		g.orElse(depth, size, loop)
	case 10:
		g.line(depth, []string{"while c():", "while True:"}[g.IntN(2)])
		g.line(depth+1, "spend()")
		g.body(depth+1, size-1, true)
		g.orElse(depth, size, loop)
	case 11:
		g.line(depth, "with w:")
		g.body(depth+1, size-1, loop)
	case 12:
		g.line(depth, "match d(c()):")
		g.line(depth+1, "case True if c():")
		g.body(depth+2, size-1, loop)
		g.line(depth+1, "case False:")
		g.body(depth+2, size-1, loop)
	default:
		g.try(depth, size, loop)
	}
}

func (g *generator) orElse(depth, size int, loop bool) {
	if g.IntN(2) == 0 {
		g.line(depth, "else:")
		g.body(depth+1, size-1, loop)
	}
}

func (g *generator) try(depth, size int, loop bool) {
	g.line(depth, "try:")
	g.body(depth+1, size-1, loop)
	handlers := g.IntN(3)
	for i := range handlers {
		g.line(depth, []string{"except KeyError:", "except (ValueError, TypeError):", "except Exception:"}[(i+g.IntN(2))%3])
		g.body(depth+1, size-1, loop)
	}
	if handlers > 0 {
		g.orElse(depth, size, loop)
	}
	if handlers == 0 || g.IntN(2) == 0 {
		g.line(depth, "finally:")
		g.body(depth+1, size-1, loop)
	}
}

// function writes a function whose places are all set at its start.
func (g *generator) function(name string) {
	g.line(0, "def "+name+"(p):")
	for _, place := range places {
		g.line(1, place+" = LINE")
	}
	for range 3 {
		g.stmt(1, 2, false)
	}
	g.line(1, "u(LINE, x, y, p.a, p.b)")
}

// generate returns a module with one function.
func generate(r *rand.Rand) string {
	g := &generator{Rand: r}
	g.function("f")
	return strings.Join(g.lines, "\n") + "\n"
}

// pair is a use (a place read on a line) and the line of the definition it sees.
type pair struct {
	line  int
	place string
	def   int
}

func TestReachAgainstCPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: no python3 on this machine to compare with")
	}
	if exec.Command(python, "-c", "import sys; sys.exit(sys.version_info < (3, 10))").Run() != nil {
		t.Skip("SKIPPED: python3 is older than 3.10 and has no match statement")
	}
	g := &generator{Rand: rand.New(rand.NewPCG(3, 4))}
	g.lines = strings.Split(oraclePrelude, "\n")
	const functions = 200
	for i := range functions {
		g.function(fmt.Sprintf("f%d", i))
	}
	text := strings.Join(g.lines, "\n") + "\n"
	computed := computedPairs(t, text)
	run := text
	for i := range functions {
		run += fmt.Sprintf("run(f%d)\n", i)
	}
	cmd := exec.Command(python, "-")
	cmd.Stdin = strings.NewReader(run)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, out)
	}
	observed := 0
	for _, row := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var p pair
		var name string
		var place int
		if _, err := fmt.Sscan(row, &name, &p.line, &place, &p.def); err != nil {
			t.Fatalf("%q: %v", row, err)
		}
		p.place = places[place]
		observed++
		if !computed[p] {
			t.Errorf("%s: %s on line %d sees the value of line %d, which does not reach it", name, p.place, p.line, p.def)
			t.Log(function(text, name))
			return
		}
	}
	t.Logf("CPython saw %d pairs of the %d computed", observed, len(computed))
	if observed < len(computed)*6/10 || observed < 1000 {
		t.Errorf("only %d of %d computed pairs were ever observed", observed, len(computed))
	}
}

// computedPairs returns what reaches the arguments of the calls of u.
func computedPairs(t *testing.T, text string) map[pair]bool {
	m := parsetest.Parse(t, text)
	pairs := map[pair]bool{}
	for _, s := range m.Body {
		fn, ok := s.(*ast.FunctionDef)
		if !ok || !strings.HasPrefix(fn.Name, "f") {
			continue
		}
		r := cfg.Reaching(cfg.New(fn.Body), fn.Params)
		for _, s := range fn.Body {
			ast.Walk(s, func(n ast.Node) bool {
				call, ok := n.(*ast.Call)
				if name, isName := callee(call, ok); !isName || name != "u" {
					return true
				}
				for i, arg := range call.Args[1:] {
					for _, d := range r.Defs(arg) {
						if d.Node == nil {
							t.Errorf("line %d: %s may come from elsewhere, yet all places are set first", lineOf(m, arg), places[i])
							continue
						}
						pairs[pair{lineOf(m, arg), places[i], lineOf(m, d.Node)}] = true
					}
				}
				return true
			})
		}
	}
	return pairs
}

func callee(call *ast.Call, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	n, ok := call.Fun.(*ast.Name)
	if !ok {
		return "", false
	}
	return n.Ident, true
}

// function returns the numbered source of one generated function.
func function(text, name string) string {
	var out strings.Builder
	in := false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "def ") {
			in = strings.HasPrefix(line, "def "+name+"(")
		}
		if in {
			fmt.Fprintf(&out, "%4d %s\n", i+1, line)
		}
	}
	return out.String()
}
