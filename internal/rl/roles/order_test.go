package roles_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// TestOrder asks which of the calls A(), B() ... may follow each other directly. The
// start is ^, the end $; a name twice stands for two ways to one place.
func TestOrder(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a sequence", "A()\nB()\n", "^A AB B$"},
		{"arguments come before the call", "A(B(C()))\n", "^C CB BA A$"},
		{"a choice", "if x: A()\nelse: B()\nC()\n", "^A ^B AC BC C$"},
		{"a choice without else", "A()\nif x: B()\nC()\n", "^A AB AC BC C$"},
		{"elif", "if x: A()\nelif y: B()\nC()\n", "^A ^B ^C AC BC C$"},
		{"a known condition", "if True: A()\nelse: B()\n", "^A A$"},
		{"a loop", "for i in x: A(); B()\nC()\n", "^A ^C AB BA BC C$"},
		{"a loop that surely runs", "for i in range(3): A()\nB()\n", "^A AA AB B$"},
		{"a condition of a loop", "while A(): B()\nC()\n", "^A AB BA AC C$"},
		{"an endless loop", "while True:\n    A()\n    if x: break\nB()\n", "^A AA AB B$"},
		{"break passes else by", "for i in x:\n    if A(): break\nelse: B()\nC()\n", "^A ^B AA AB AC BC C$"},
		{"continue", "for i in x:\n    A()\n    if y: continue\n    B()\n", "^A ^$ AA AB BA A$ B$"},
		{"the last round of a loop", "for i in range(n):\n    A()\n    if i == n - 1: B()\n    C()\n", "^A ^$ AB AC BC CA C$"},
		{"the last of a known number", "for i in range(4):\n    A()\n    if 3 == i: B()\nC()\n", "^A AA AB AC BC C$"},
		{"the last round by the next", "for i in range(self.n):\n    A()\n    if i + 1 == self.n: B()\n", "^A ^$ AA AB A$ B$"},
		{"another round", "for i in range(n):\n    A()\n    if i == n - 2: B()\n", "^A ^$ AA AB A$ BA B$"},
		{"return", "def f():\n    A()\n    if x: return\n    B()\nf()\nC()\n", "^A AB AC BC C$"},
		{"nothing behind a return", "def f():\n    A()\n    return 1\n    B()\nf()\n", "^A A$"},
		{"an exception", "try:\n    A()\n    B()\nexcept ValueError:\n    C()\nD()\n", "^A AB ^C AC BC CD BD D$"},
		{"raise", "try:\n    if x: raise ValueError\n    A()\nexcept ValueError:\n    B()\n", "^A ^B AB A$ B$"},
		{"finally", "def f():\n    try:\n        A()\n        return\n    finally:\n        B()\n    C()\nf()\nD()\n", "^A AB BD D$"},
		{"with", "with A() as x:\n    B()\nC()\n", "^A AB BC C$"},
		{"a generator as a context", "@contextmanager\ndef f():\n    A()\n    yield\n    B()\nwith f():\n    C()\nD()\n", "^A AC CB BD D$"},
		{"two of them", "@contextmanager\ndef f():\n    A()\n    yield\n    B()\n@contextmanager\ndef g():\n    C()\n    yield\n    D()\nwith f(), g():\n    E()\n", "^A AC CE ED DB B$"},
		{"a context that is left by return", "@contextmanager\ndef f():\n    try:\n        A()\n        yield\n    finally:\n        B()\ndef g():\n    with f():\n        C()\n        return\n    D()\ng()\nE()\n", "^A AC CB BE E$"},
		{"a context that is left by break", "@contextmanager\ndef f():\n    A()\n    yield\n    B()\nwhile True:\n    with f():\n        C()\n        break\nD()\n", "^A AC CB BD D$"},
		{"a loop over a generator", "def f():\n    for i in x:\n        A()\n        yield i\n        B()\nfor y in f():\n    C()\nD()\n", "^A ^D AC CB BA BD D$"},
		{"break in a loop over a generator", "def f():\n    A()\n    yield 1\n    B()\nfor y in f():\n    if C(): break\nD()\n", "^A AC CB CD BD D$"},
		{"yield from", "def g():\n    A()\n    yield 1\n    B()\ndef f():\n    yield from g()\nfor y in f():\n    C()\n", "^A AC CB B$"},
		{"a generator that is handed on", "def f():\n    A()\n    yield 1\nfor i, y in enumerate(f()):\n    B()\n", ""},
		{"a generator that holds all", "def f():\n    A()\n    yield 1\n    B()\nfor i, y in enumerate(f()):\n    pass\n", "^A AB B$"},
		{"match", "match x:\n    case 1: A()\n    case _: B()\nC()\n", "^A ^B ^C AC BC C$"},
		{"short circuits", "A() and B() or C()\n", "^A AB AC A$ BC B$ C$"},
		{"a conditional expression", "A() if B() else C()\n", "^B BA BC A$ C$"},
		{"a comprehension", "[A(x) for x in B()]\n", "^B BA AA B$ A$"},
		{"assignments", "self.x = A()\ny = B()\n", "^A AB B$"},
		{"a helper", "def f(): A()\nB()\nf()\nC()\n", "^B BA AC C$"},
		{"a helper that is called twice", "def f(): A()\nf()\nB()\nf()\n", "^A AB BA A$"},
		{"a method", "class K:\n    def a(self): A()\n    def b(self):\n        self.a()\n        B()\nK().b()\n", "^A AB B$"},
		{"a constructor", "class K:\n    def __init__(self): A()\nB(K())\n", "^A AB B$"},
		{"one helper in two contexts", "def f(x): A()\nf(1)\nf('a')\n", "^A AA A$"},
		{"a function that nobody calls may be called again", "def f():\n    A()\n    B()\n", "^A AB BA B$"},
		{"a function that is defined only", "def f():\n    A()\ndef g(): B()\ng()\n", "^A AA A$ | ^B B$"},
		{"recursion", "def f(n):\n    A()\n    if n: f(n - 1)\n    B()\nf(x)\n", "^A AB B$"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := derive(t, test.text)
			places := p.letters()
			var got []string
			for order := range p.model.Orders(places) {
				got = append(got, links(order))
			}
			slices.Sort(got)
			want := strings.Split(test.want, " | ")
			for i := range want {
				want[i] = sorted(want[i])
			}
			if strings.Join(got, " | ") != strings.Join(want, " | ") {
				t.Errorf("%s, want %s", strings.Join(got, " | "), strings.Join(want, " | "))
			}
		})
	}
}

// letters are the calls of functions with a name of one letter.
func (p program) letters() []query.Place {
	var out []query.Place
	for _, f := range p.res.Frames {
		for _, n := range f.Nodes() {
			if letterOf(n) != "" {
				out = append(out, query.Place{Frame: f, Node: n})
			}
		}
	}
	return out
}

func letterOf(n ast.Node) string {
	call, ok := n.(*ast.Call)
	if !ok {
		return ""
	}
	if name, ok := call.Fun.(*ast.Name); ok && len(name.Ident) == 1 && name.Ident < "K" {
		return name.Ident
	}
	return ""
}

func links(o roles.Order) string {
	seen := map[string]bool{}
	all := func(*roles.Event) bool { return true }
	name := func(e *roles.Event, none string) string {
		if !e.Known() {
			return none
		}
		return letterOf(e.Node)
	}
	for _, e := range o.Events {
		for _, x := range e.Before(all) {
			seen[name(x, "^")+letterOf(e.Node)] = true
			if !x.Known() && slices.ContainsFunc(x.After(all), func(y *roles.Event) bool { return !y.Known() }) {
				seen["^$"] = true
			}
		}
		for _, x := range e.After(all) {
			seen[letterOf(e.Node)+name(x, "$")] = true
		}
	}
	var out []string
	for s := range seen {
		out = append(out, s)
	}
	return sorted(strings.Join(out, " "))
}

func sorted(text string) string {
	list := strings.Fields(text)
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestOrderGivesUp builds programs whose orders would be exponential, or as large as the
// square of their length: what takes too much is left out.
func TestOrderGivesUp(t *testing.T) {
	finally := "A()\n"
	for range 40 {
		finally = "try:\n    if x: return\nfinally:\n    " + strings.ReplaceAll(strings.TrimSpace(finally), "\n", "\n    ") + "\n"
	}
	for name, text := range map[string]string{
		"finally in finally": "def f():\n    " + strings.ReplaceAll(strings.TrimSpace(finally), "\n", "\n    ") + "\nf()\n",
		"conditions":         strings.Repeat("if x: A()\n", 3000),
	} {
		t.Run(name, func(t *testing.T) {
			p := derive(t, text)
			for order := range p.model.Orders(p.letters()) {
				t.Errorf("an order of %d events", len(order.Events))
			}
		})
	}
}
