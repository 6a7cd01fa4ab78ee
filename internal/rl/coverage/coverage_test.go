package coverage_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parsetest"
	"github.com/rlvet/rlvet/internal/rl/coverage"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

func evaluate(t *testing.T, text string) *infer.Result {
	t.Helper()
	m := parsetest.Parse(t, "import torch\nfrom torch import nn\n"+text)
	return infer.Evaluate(context.Background(), infer.Config{Module: &infer.Module{Name: "m", Path: "m.py", AST: m}})
}

func of(t *testing.T, text string) *coverage.Coverage {
	c := coverage.New()
	c.Add(evaluate(t, text))
	return c
}

// TestWhatCounts: expressions count that hold tensors, or may; numbers, texts, settings and
// what a logger returns do not.
func TestWhatCounts(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"x = 3 * 4 + len('a')\ny = 'a' + 'b'\n", 0},
		{"x = torch.zeros(4).to('cpu')\nx[0] = torch.randn(3).exp()[0]\ny = x + 1\n", 5}, // an empty buffer holds nothing yet
		{"p = torch.softmax(torch.randn(4, 3), -1)\n", 2},                                // randn, softmax
		{"from somewhere import load\nname = load('a')\nprint(name)\n", 0},               // nothing says that it is a tensor
		{"from somewhere import load\nx = load('a')\ny = torch.exp(x)\n", 2},             // torch takes it for one
		{"from somewhere import f\ny = f(torch.randn(3))\nz = y + 1\n", 3},               // computed from one
		{"from somewhere import log\nlog(torch.randn(3))\nlog.flush('now')\n", 1},        // nothing is computed from what it returns
		{"from somewhere import path\nx = torch.load(path.name)\n", 0},                   // a path is no tensor
	} {
		if got := of(t, c.text).Counts(); got.Expressions != c.want {
			t.Errorf("%s%d expressions, want %d", c.text, got.Expressions, c.want)
		}
	}
}

// TestAspects: what is known of one expression, by what it was derived from.
func TestAspects(t *testing.T) {
	c := of(t, "net = nn.Linear(4, 2)\ndef f(logits, thing):\n    return torch.exp(thing), logits + 0, net(thing)\n").Counts()
	if c.Derived == 0 || c.Named == 0 || c.Attached == 0 || c.Attached > c.Grad || c.Derived+c.Named > c.Expressions {
		t.Errorf("%+v", c)
	}
	all := of(t, "p = torch.softmax(torch.randn(4, 3), -1)\n").Counts()
	if all.Derived == 0 || all.Shape != all.Expressions || all.Attached != 0 || all.Grad != all.Expressions || all.Nothing != 0 {
		t.Errorf("%+v", all)
	}
}

// TestCausesAndEntries: the first unknown value on the way is the cause of all behind it.
func TestCausesAndEntries(t *testing.T) {
	c := of(t, `from somewhere import model
class Trainer:
    def loss(self, batch):
        out = model(batch["ids"])
        a = torch.exp(out)
        return (a * out).mean()
`)
	causes := c.Causes()
	if len(causes) == 0 || causes[0].Why != "parameter batch of Trainer.loss, which nothing calls" {
		t.Fatalf("%+v", causes)
	}
	if causes[0].Expressions < 3 || len(causes[0].Places) == 0 || causes[0].Places[0].Path != "m.py" {
		t.Errorf("%+v", causes[0])
	}
	var names []string
	for _, e := range c.Entries() {
		names = append(names, e.Name)
	}
	if !slices.Equal(names, []string{"Trainer.loss"}) {
		t.Errorf("entries %v", names)
	}
}

// only is the one module that a program can import.
type only struct{ module *infer.Module }

func (o only) Import(_ *infer.Module, _ int, dotted string) *infer.Module {
	if dotted == o.module.Name {
		return o.module
	}
	return nil
}

// TestCalledElsewhere: a function that another module calls is no entry, and what that call tells
// is not unknown; why the rest is unknown is not that nothing calls it. One that calls only itself
// is an entry.
func TestCalledElsewhere(t *testing.T) {
	parse := func(text string) *ast.Module { return parsetest.Parse(t, "import torch\n"+text) }
	losses := &infer.Module{Name: "losses", Path: "losses.py", AST: parse("def score(x, y):\n    return torch.exp(x) + y\ndef again(x):\n    return again(torch.exp(x))\n")}
	train := &infer.Module{Name: "train", Path: "train.py", AST: parse("import losses\nfrom somewhere import made\nlosses.score(torch.randn(3), made)\n")}
	c := coverage.New()
	c.Add(infer.Evaluate(t.Context(), infer.Config{Module: losses}))
	c.Add(infer.Evaluate(t.Context(), infer.Config{Module: train, Importer: only{losses}}))
	if entries := c.Entries(); len(entries) != 1 || entries[0].Name != "again" {
		t.Errorf("entries %v, want again", entries)
	}
	for _, cause := range slices.Concat(c.Causes(), c.GradCauses()) {
		if strings.Contains(cause.Why, "of score, which nothing calls") {
			t.Errorf("%d expressions: %s", cause.Expressions, cause.Why)
		}
	}
}

// TestHandedOn: a parameter that a function hands to a helper is the function's, and stands in its file.
func TestHandedOn(t *testing.T) {
	parse := func(text string) *ast.Module { return parsetest.Parse(t, "import torch\n"+text) }
	losses := &infer.Module{Name: "losses", Path: "losses.py", AST: parse("def ratio(new, old):\n    return torch.exp(new - old)\n")}
	train := &infer.Module{Name: "train", Path: "train.py", AST: parse("from losses import ratio\ndef update(data):\n    return ratio(data, data).mean()\n")}
	c := coverage.New()
	c.Add(infer.Evaluate(t.Context(), infer.Config{Module: losses}))
	c.Add(infer.Evaluate(t.Context(), infer.Config{Module: train, Importer: only{losses}}))
	causes := c.Causes()
	if len(causes) != 1 || causes[0].Why != "parameter data of update, which nothing calls" {
		t.Fatalf("%+v", causes)
	}
	for _, at := range causes[0].Places {
		if at.Path != "train.py" {
			t.Errorf("the parameter stands in %s", at.Path)
		}
	}
}

// TestModulesAddUp: an expression counts once however often it is evaluated, and is known
// where one call of the function around it knows it.
func TestModulesAddUp(t *testing.T) {
	text := "def f(x):\n    return x.exp()\n"
	alone := of(t, text).Counts()
	called := of(t, text+"f(torch.randn(3).softmax(-1))\nf(torch.randn(3))\n")
	again := called.Counts()
	if alone.Shape != 0 || again.Shape < 4 {
		t.Errorf("alone %+v, called %+v", alone, again)
	}
	called.Add(evaluate(t, text+"f(torch.randn(3).softmax(-1))\nf(torch.randn(3))\n"))
	if twice := called.Counts(); twice != again {
		t.Errorf("added twice %+v, once %+v", twice, again)
	}
}

// TestLoss: a loss whose parts are followed is understood; one out of a framework is not, and
// the reason is what is not resolved.
func TestLoss(t *testing.T) {
	for _, c := range []struct {
		text string
		deaf bool
		why  string
	}{
		{"net = nn.Linear(4, 2)\nx = torch.randn(8, 4)\nlp = torch.log_softmax(net(x), -1)\nloss = -lp.mean()\nloss.backward()\n", false, ""},
		{"from somewhere import make\nmodel = make()\nout = model(make(1))\nloss = (out[0] * out[1]).mean()\nloss.backward()\n", true, "call of make"},
	} {
		res := evaluate(t, c.text)
		m := roles.Derive(query.New(res))
		if len(m.Backwards) != 1 {
			t.Fatalf("%d losses", len(m.Backwards))
		}
		l := coverage.OfLoss(m.Backwards[0].Loss)
		if l.Deaf() != c.deaf || !strings.Contains(l.Why, c.why) || l.Of == 0 {
			t.Errorf("%s%+v", c.text, l)
		}
	}
}

// TestLongChains holds the work to the length of a program in which each value is unknown because
// of one a little earlier: the origins of all are found in one walk.
func TestLongChains(t *testing.T) {
	work := func(parts int) float64 {
		res := evaluate(t, "def f(x):\n"+strings.Repeat("    x = x.exp() + x[0]\n", parts))
		return testing.AllocsPerRun(1, func() { coverage.New().Add(res) })
	}
	if one, two := work(300), work(600); two > 2.3*one+200 {
		t.Errorf("%.0f values are allocated for 300 lines, and %.0f for twice as many", one, two)
	}
}
