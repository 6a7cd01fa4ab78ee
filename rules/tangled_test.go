package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlvet/rlvet/internal/finding"
)

// tangle writes programs whose classes, methods, properties, decorators and factories all
// refer to each other: what calls what has no end, and no beginning either.
type tangle struct {
	*rapid.T
	strings.Builder
	classes int
}

const methodsOfEach = 3

func (g *tangle) upTo(n int, what string) int { return rapid.IntRange(0, n-1).Draw(g.T, what) }

func (g *tangle) line(indent int, format string, args ...any) {
	fmt.Fprintf(g, strings.Repeat("    ", indent)+format+"\n", args...)
}

// object is an expression that is one of the classes' objects, or nobody knows which.
func (g *tangle) object() string {
	c := g.upTo(g.classes, "class")
	return []string{
		"self", "self.other", fmt.Sprintf("C%d()", c), fmt.Sprintf("make(%d)", c), "x", "self.made", fmt.Sprintf("REGISTRY['C%d']()", c),
		fmt.Sprintf("(self if x is None else C%d())", c), fmt.Sprintf("getattr(self, 'm%d')(x)", g.upTo(methodsOfEach, "method")),
	}[g.upTo(9, "object")]
}

// value is a tensor, as far as anybody can tell.
func (g *tangle) value(depth int) string {
	if depth <= 0 {
		return []string{"x", "self.net(x)", "torch.randn(2, 3)", "self.t", "None", "1.0"}[g.upTo(6, "leaf")]
	}
	switch g.upTo(7, "value") {
	case 0:
		return fmt.Sprintf("%s.m%d(%s)", g.object(), g.upTo(methodsOfEach, "method"), g.value(depth-1))
	case 1:
		return fmt.Sprintf("%s.made", g.object())
	case 2:
		return fmt.Sprintf("torch.exp(%s)", g.value(depth-1))
	case 3:
		return fmt.Sprintf("(%s - %s)", g.value(depth-1), g.value(depth-1))
	case 4:
		return fmt.Sprintf("[%s for x in %s]", g.value(depth-1), g.value(depth-1))
	case 5:
		return fmt.Sprintf("{'a': %s}['a']", g.value(depth-1))
	}
	return fmt.Sprintf("torch.softmax(%s, -1)", g.value(depth-1))
}

func (g *tangle) statement(indent int) {
	switch g.upTo(8, "statement") {
	case 0:
		g.line(indent, "self.other = %s", g.object())
	case 1:
		g.line(indent, "x = %s", g.value(2))
	case 2:
		g.line(indent, "self.t = %s", g.value(2))
	case 3:
		g.line(indent, "for _ in range(3):")
		g.line(indent+1, "x = %s", g.value(2))
	case 4:
		g.line(indent, "if x is not None:")
		g.line(indent+1, "self.m%d = %s.m%d", g.upTo(methodsOfEach, "to"), g.object(), g.upTo(methodsOfEach, "from"))
	case 5:
		g.line(indent, "loss = torch.as_tensor(%s).mean()", g.value(2))
		g.line(indent, "self.opt.zero_grad()")
		g.line(indent, "loss.backward()")
		g.line(indent, "self.opt.step()")
	case 6:
		g.line(indent, "x, r, done, truncated, _ = %s.step(%s)", g.object(), g.value(1))
	case 7:
		g.line(indent, "self.other.net.load_state_dict(%s.net.state_dict())", g.object())
	}
}

func (g *tangle) class(n int) {
	base := "nn.Module"
	if n > 0 && rapid.Bool().Draw(g.T, "derived") {
		base = fmt.Sprintf("C%d", g.upTo(n, "base"))
	}
	g.line(0, "@register")
	g.line(0, "class C%d(%s):", n, base)
	g.line(1, "def __init__(self, x=None):")
	g.line(2, "super().__init__()")
	g.line(2, "self.net, self.t, self.other = nn.Linear(3, 3), x, make(%d) if x else self", g.upTo(g.classes, "made"))
	g.line(2, "self.opt = torch.optim.Adam(self.parameters())")
	g.line(1, "@property")
	g.line(1, "def made(self, x=None):")
	g.line(2, "return %s", g.value(2))
	for m := range methodsOfEach {
		if rapid.Bool().Draw(g.T, "decorated") {
			g.line(1, "@twice")
		}
		g.line(1, "def m%d(self, x=None):", m)
		for range g.upTo(4, "statements") {
			g.statement(2)
		}
		g.line(2, "return %s", g.value(3))
	}
	g.line(1, "step = forward = m%d", g.upTo(methodsOfEach, "step"))
}

const tangleHead = `import torch
from torch import nn

REGISTRY = {}


def register(cls):
    REGISTRY[cls.__name__] = cls
    return cls


def twice(f):
    def wrapped(self, x=None):
        return f(self, f(self, x))
    return wrapped


def make(n, x=None):
    return [c for c in REGISTRY.values()][n](x)
`

// last is a bug that has to be found, whatever stands above it.
const last = `
def advantages(rewards):
    r = torch.tensor(rewards)
    return (r - r.mean()) / r.std()
`

// Programs that refer to themselves in every way end, break no rule, and hide nothing.
func TestTangledPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &tangle{T: t, classes: rapid.IntRange(1, 5).Draw(t, "classes")}
		g.WriteString(tangleHead)
		for n := range g.classes {
			g.class(n)
		}
		for n := range g.classes {
			g.line(0, "C%d().m0(torch.randn(2, 3))", n)
		}
		g.WriteString(last)
		res := checkText(t, []byte(g.String()))
		for _, p := range res.Problems {
			t.Errorf("%s: %s", p.File, p.Message)
		}
		if !slices.ContainsFunc(res.Findings, func(f finding.Finding) bool { return f.Code == "ADV009" }) {
			t.Errorf("the bug at the end is not found in\n%s", g.String())
		}
	})
}
