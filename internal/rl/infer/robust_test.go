package infer_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/py/parsetest"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// hostile are programs that refer to themselves where evaluation recurses. Each
// of them would run for ever, or out of stack, in an evaluation that follows
// references without remembering where it came from.
var hostile = map[string]string{
	"a class that is its own base": `
while True:
    class A(A):
        pass
    a = A()
    b = a.missing(1)
    c = A.nothing
`,
	"layers wrapped in a loop": `
import torch
net = torch.nn.Linear(2, 2)
for i in range(3):
    net = torch.nn.Sequential(net, torch.nn.ReLU())
    net = torch.nn.DataParallel(net)
y = net(torch.randn(2, 2))
z = net.missing(y)
w = net[0]
for layer in net:
    y = layer(y)
`,
	"a wrapper that wraps itself": `
import torch
while True:
    m = torch.nn.DataParallel(m)
    m = torch.nn.ModuleList(m)
    y = m(1)
    z = m[0].weight
    for k in m:
        k(1)
    m.missing(2)
`,
	"partials of partials": `
import functools
f = print
while f(1):
    f = functools.partial(f, 1)
    g = functools.partial(g, f)
    g(f)
f(2)
`,
	"iterators that iterate each other": `
class A:
    def __iter__(self):
        return b
class B:
    def __iter__(self):
        return a
a = A()
b = B()
for x in a:
    print(x)
`,
	"items and attributes that are computed by each other": `
class A:
    def __getitem__(self, i):
        return self[i + 1][i]
    def __call__(self, x):
        return self(x)
    @property
    def p(self):
        return self.q
    @property
    def q(self):
        return self.p
    def __enter__(self):
        with self as x:
            return x
a = A()
x = a[1], a(2), a.p, a.q
with a as y:
    z = y
`,
	"a list that holds itself": `
x = []
while True:
    x.append(x)
    x = [x, x, [x]]
    y = x[0][0][0]
    a, b, *c = x
    for k in x:
        x = k + x
    z = sum(x, [])
    x.extend(x)
    x += x
`,
	"a dict that holds itself": `
import copy
d = {}
while True:
    d["a"] = d
    d.update(d)
    d["b"] = dict(d, c=d)
    e = copy.deepcopy(d)
    d = {**d, **e, "k": {**d}}
    for k, v in d.items():
        d = v
        d[k] = e
f = d["a"]["b"]["c"]
`,
	"an object that holds itself": `
import copy
import torch
class N(torch.nn.Module):
    def __init__(self, child):
        self.child = child
        self.me = self
        self.kids = [self, child, {"a": self}]
    def forward(self, x):
        return self.child(self.me(x))
n = N(N(N(None)))
n.child = n
m = copy.deepcopy(n)
m.kids.append(m)
y = m(torch.randn(2))
m.child.child.me.child.child = m
`,
	"decorators that decorate themselves": `
def deco(f):
    @deco
    def g(*a, **k):
        return f(*a, **k)
    return g
@deco
def h(x):
    return h(deco(h)(x))
@h
@deco(deco)
class C:
    @deco
    def m(self):
        return self.m()
C().m()
y = lambda f: f(f)
y(y)
(lambda f: f(lambda x: f(f)(x)))(lambda f: y(f))
`,
	"super of a class that changes": `
class A:
    def f(self):
        return super().f()
while True:
    class A(A, B):
        def f(self):
            return super().f() + super().g(1)
    class B(A):
        pass
    A().f()
    B().f()
`,
	"a bound method of itself": `
class A:
    def f(self):
        self.f = self.f
        self.g = self.f.g
        return self.f()
a = A()
a.f = a.f
a.f()
x = [].append
while x:
    x = x.append
    x(x)
x()
`,
	"patterns": `
match x:
    case [a, [b, *c], {"k": d, **e}] | a.b(c=f) | -1 | "x" | None:
        x = [x]
    case str() as s if (s := x):
        pass
`,
	"deletion and scopes": `
def f():
    global g
    nonlocal h
    del g, f, h, h.x, h["k"]
    g = h = f
    return g
del f
f()
del undefined[0], undefined.x
`,
}

// TestHostilePrograms evaluates programs that bend the evaluation back on itself.
func TestHostilePrograms(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) { robust(t, parsetest.Broken(t, text)) })
	}
}

// TestWideAndDeepPrograms evaluates programs whose values grow by a factor at
// every line: the work has to follow the length of the text.
func TestWideAndDeepPrograms(t *testing.T) {
	for name, text := range growing(40) {
		t.Run(name, func(t *testing.T) { robust(t, parsetest.Broken(t, text)) })
	}
}

// growing returns programs of n lines that double something at every line.
func growing(n int) map[string]string {
	lines := func(format string) string {
		var b strings.Builder
		for i := 1; i <= n; i++ {
			b.WriteString(strings.NewReplacer("NEW", fmt.Sprint(i), "OLD", fmt.Sprint(i-1)).Replace(format))
		}
		return b.String()
	}
	return map[string]string{
		"functions that may be one of two": "def p0(x): return x\ndef q0(x): return [x]\n" + lines(`
def pNEW(x): return pOLD(qOLD(x))
def qNEW(x): return qOLD(pOLD(x))
rNEW = pNEW if c else qNEW
pNEW = rNEW if c else qOLD
qNEW = pOLD if c else rNEW
`) + fmt.Sprintf("y = p%d(1)\n", n),
		"objects that may be one of two": "import torch\nx = torch.nn.Linear(2, 2)\ny = torch.nn.Conv2d(2, 2, 2)\n" + lines(`
x, y = (x if c else y), (y if c else x)
z = x.weight.data.grad
w = x(y(z))
`),
		"layers of layers": "import torch\na0 = torch.nn.Linear(2, 2)\n" +
			lines("aNEW = torch.nn.Sequential(aOLD, aOLD)\n") + fmt.Sprintf("y = a%d(torch.randn(2, 2))\n", n),
		"lists of lists": "a0 = []\nb0 = {}\n" +
			lines("aNEW = [aOLD, bOLD]\nbNEW = {'a': aOLD, 'b': bOLD}\nd = aNEW if c else [aNEW, bNEW]\ne = aNEW + [d] * 3\nx = e if c else d\n"),
		"copies of copies": "import copy, torch\na0 = torch.nn.Linear(2, 2)\n" +
			lines("aNEW = copy.deepcopy(torch.nn.ModuleList([aOLD, aOLD]))\n"),
		"diamonds of classes": "class A0: pass\nclass B0: pass\n" +
			lines("class ANEW(AOLD, BOLD): pass\nclass BNEW(AOLD, BOLD): pass\n") + fmt.Sprintf("x = A%d().missing(1)\ny = A%d.missing\nz = A%d()(1)\n", n, n, n),
		"loops in loops": func() string {
			var b strings.Builder
			for i := range n {
				b.WriteString(strings.Repeat(" ", i) + fmt.Sprintf("for a%d in b%d:\n", i, i+1))
			}
			return b.String() + strings.Repeat(" ", n) + "a0 = [a0, b0]; b1 = a3; b2 = a0\n"
		}(),
		"branches": "import torch\nx = torch.randn(2)\n" +
			lines("if cNEW: x = x.exp()\nelif dNEW: x = torch.log(x)\nelse: y = x\n"),
		"calls in calls": "def f0(x): return x\n" +
			lines("def fNEW(x): return fOLD(x.exp()), fOLD(x.log())\n") + fmt.Sprintf("f%d(y)\n", n),
		"generic arguments": "class C0:\n  def __init__(self, a: 'C1', b: C1): self.a = a; self.b = b\n" +
			lines("class CNEW:\n  def __init__(self, a: COLD, b: COLD): self.a = a; self.b = b; self.c = a.a\n"),
	}
}

// TestBentPrograms evaluates the programs of testdata/hostile, in which everything that
// calls (joins of methods, properties, decorators, factories, generators, super) leads
// back to where it came from.
func TestBentPrograms(t *testing.T) {
	for _, text := range bent(t) {
		robust(t, parsetest.Broken(t, text))
	}
}

// bent returns the modules of testdata/hostile.
func bent(t testing.TB) []string {
	var out []string
	for _, pattern := range []string{"*.py", "*.txtar"} {
		files, err := filepath.Glob("../../../testdata/hostile/" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no programs match %s: %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(file) == ".py" {
				out = append(out, string(data))
				continue
			}
			for _, f := range txtar.Parse(data).Files {
				out = append(out, string(f.Data))
			}
		}
	}
	return out
}

// limit is how long an evaluation of a few kilobytes may take before the test
// says that it does not end. It is no measure of speed.
const limit = time.Minute

// robust evaluates a module twice and fails where the two differ or a bound was
// not kept.
func robust(t testing.TB, m *ast.Module) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	first, second := dump(ctx, m), dump(ctx, m)
	if ctx.Err() != nil {
		t.Fatalf("evaluation of %d nodes did not end", m.NumNodes)
	}
	if first != second {
		t.Errorf("two evaluations of one module differ:\n%s", firstDifference(first, second))
	}
}

// dump evaluates a module, derives its roles, and writes down what was found.
func dump(ctx context.Context, m *ast.Module) string {
	res := infer.Evaluate(ctx, infer.Config{Module: &infer.Module{Name: "m", Path: "m.py", AST: m}})
	model := roles.Derive(query.New(res))
	var b strings.Builder
	for i, f := range res.Frames {
		fmt.Fprintf(&b, "frame %d stale=%v entry=%v\n", i, f.Stale(), f.Entry)
		for v := range f.Each {
			fmt.Fprintf(&b, "%v %s %v %v %T %d", v.Node.Span(), v.Op, v.Q, v.Const, v.Ref, v.Seq)
			for _, x := range v.In {
				if x != nil {
					fmt.Fprintf(&b, " (%s %v)", x.Op, x.Q)
				}
			}
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "%+v\n", res.Stats)
	for _, n := range model.Networks {
		fmt.Fprintf(&b, "network %v trained=%v frozen=%v copy=%v\n", n.Val.Q, n.Trained, n.Frozen, n.CopyOf != nil)
	}
	fmt.Fprintf(&b, "%d optimizers, %d losses, %d steps, %d environment steps\n", len(model.Optimizers), len(model.Backwards), len(model.Steps), len(model.EnvSteps))
	return b.String()
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d:\n%s\n%s", i, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

// FuzzEvaluate evaluates whatever parses.
func FuzzEvaluate(f *testing.F) {
	for _, text := range hostile {
		f.Add([]byte(text))
	}
	for _, text := range append(documented(f), bent(f)...) {
		f.Add([]byte(text))
	}
	p := parse.New()
	f.Fuzz(func(t *testing.T, text []byte) {
		if m := parsetest.ParseFile(p, parsetest.File{Path: "m.py", Text: text}); m != nil {
			robust(t, m)
		}
	})
}

// FuzzBent puts the statements of the programs that lead back to themselves together anew,
// under few names, so that they call, inherit and hold each other. Every two bytes are a
// statement and a renaming.
func FuzzBent(f *testing.F) {
	pieces := []string{"import torch, functools, copy, gymnasium\n"}
	for _, text := range append(bent(f), slices.Sorted(maps.Values(hostile))...) {
		var whole []byte
		for _, st := range parsetest.Broken(f, text).Body {
			whole = append(whole, byte(len(pieces)), 0)
			pieces = append(pieces, text[st.Span().Start:st.Span().End]+"\n")
		}
		f.Add(whole)
	}
	if len(pieces) > 256 {
		f.Fatalf("%d statements, and a byte for each", len(pieces))
	}
	p := parse.New()
	f.Fuzz(func(t *testing.T, recipe []byte) {
		var b strings.Builder
		b.WriteString(pieces[0])
		for i := 0; i+1 < min(len(recipe), 48); i += 2 {
			b.WriteString(renamed(pieces[int(recipe[i])%len(pieces)], recipe[i+1]))
		}
		if m := parsetest.ParseFile(p, parsetest.File{Path: "m.py", Text: []byte(b.String())}); m != nil {
			robust(t, m)
		}
	})
}

// names are the words that renamed leaves: what Python and libraries call so.
var names = regexp.MustCompile(`^(_.*|self|cls|torch|nn|optim|functools|copy|gymnasium|gym|partial|Normal|Module|Function|autograd|apply|forward|backward|step|reset|` +
	`sample|rsample|expand|append|extend|update|get|deepcopy|dataclass|field|property|staticmethod|classmethod|super|getattr|next|iter|zip|map|list|dict|` +
	`Sequential|ModuleList|DataParallel|Linear|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|False|finally|for|from|global|if|import|in|` +
	`is|lambda|None|nonlocal|not|or|pass|raise|return|True|try|while|with|yield|match|case)$`)

// renamed gives the names of a text a few new ones; a shift of 0 leaves them.
func renamed(text string, shift byte) string {
	if shift == 0 {
		return text
	}
	return regexp.MustCompile(`[A-Za-z_]\w*`).ReplaceAllStringFunc(text, func(word string) string {
		if names.MatchString(word) {
			return word
		}
		h := fnv.New32a()
		h.Write([]byte(word))
		return string(rune('a' + (h.Sum32()+uint32(shift))%5))
	})
}

// documented returns the programs of this package's stories and of all rules.
func documented(t testing.TB) []string {
	var out []string
	for _, pattern := range []string{"testdata/*.md", "../../../analyzers/*/*/rule.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no programs in %s: %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range stories(string(data)) {
				out = append(out, s.code)
			}
		}
	}
	return out
}

// TestEvaluateStops ends an evaluation whose context is done, whatever is left.
func TestEvaluateStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := parsetest.Parse(t, strings.Repeat("x = 1\n", 1000))
	res := infer.Evaluate(ctx, infer.Config{Module: &infer.Module{Name: "m", Path: "m.py", AST: m}})
	if res.Stats.Evaluated >= 1000 {
		t.Errorf("%d expressions were evaluated after the context was done", res.Stats.Evaluated)
	}
}
