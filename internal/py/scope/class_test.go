package scope_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parsetest"
	"github.com/rlvet/rlvet/internal/py/scope"
)

const agentSource = `
import torch.nn as nn
from base import Base

class Agent(Base, nn.Module, metaclass=Meta):
    gamma: float = 0.99
    lam: float
    lr = eps = 1e-5

    def __init__(self, net):
        super().__init__()
        self.net = net
        self.actor, self.critic = make(net)
        self.log_std: nn.Parameter = nn.Parameter(0)
        with open(net) as self.file:
            for self.i in range(3):
                self.steps += 1
        other = self
        other.hidden = 1
        def later():
            self.late = 2
        [lambda self: self.no for _ in net]

    @property
    def mode(self):
        return self._mode

    @mode.setter
    def mode(self, value):
        self._mode = value

    @classmethod
    def build(cls, self):
        cls.registry = {}
        self.wrong = 1

    @staticmethod
    def helper(x):
        x.attr = 1

    def shadow(self, y):
        y.attr = 2

    class Config:
        size = 3
        def f(this):
            this.z = 1
`

func describeClass(m *ast.Module, c *scope.ClassInfo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "class %s", c.Name())
	for _, base := range c.Bases() {
		fmt.Fprintf(&b, " %s", m.Source(base))
	}
	for _, f := range c.Methods {
		fmt.Fprintf(&b, "\ndef %s line %d", f.Name, lineOf(m, f))
	}
	for _, v := range c.Attrs {
		fmt.Fprintf(&b, "\nattr %s %s", v.Name, v.Bindings[0].Kind)
	}
	for _, s := range c.SelfAttrs {
		value := "-"
		if s.Value != nil {
			value = m.Source(s.Value)
		}
		fmt.Fprintf(&b, "\nself.%s %s %s in %s", s.Name, s.Kind, value, s.Method.Name)
	}
	return b.String() + "\n"
}

func TestClassTable(t *testing.T) {
	m := parsetest.Parse(t, agentSource)
	info := scope.Analyze(m, "rl.agent", false)
	got := ""
	for _, c := range info.Classes {
		got += describeClass(m, c)
	}
	want := `class rl.agent.Agent Base nn.Module
def __init__ line 10
def mode line 25
def mode line 29
def build line 33
def helper line 38
def shadow line 41
attr gamma assignment
attr lam annotation
attr lr assignment
attr eps assignment
attr Config class
self.net assignment net in __init__
self.actor unpacking - in __init__
self.critic unpacking - in __init__
self.log_std assignment nn.Parameter(0) in __init__
self.file with - in __init__
self.i for - in __init__
self.steps augmented - in __init__
self.late assignment 2 in __init__
self._mode assignment value in mode
self.registry assignment {} in build
class rl.agent.Agent.Config
def f line 46
attr size assignment
self.z assignment 1 in f
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("class tables (-want +got):\n%s", diff)
	}
}

func TestClassLookups(t *testing.T) {
	m := parsetest.Parse(t, agentSource)
	info := scope.Analyze(m, "rl.agent", false)
	agent := info.ClassByName("rl.agent.Agent")
	if agent == nil || info.ClassOf(agent.Node) != agent {
		t.Fatal("the class is not found by name and node")
	}
	if got := agent.Method("mode"); got == nil || lineOf(m, got) != 25 {
		t.Errorf("Method(mode) = %v, want the getter, not the setter", got)
	}
	if agent.Method("missing") != nil || agent.Attr("net") != nil {
		t.Error("members that the body lacks are found")
	}
	if v := agent.Attr("gamma"); v == nil || m.Source(v.Bindings[0].Value) != "0.99" {
		t.Errorf("Attr(gamma) = %v, want the variable bound to 0.99", v)
	}
	if info.MethodClass(agent.Method("shadow")) != agent {
		t.Error("a method does not know its class")
	}
	if got := info.Qualified(agent.Bases()[0]); !cmp.Equal(got, []string{"base.Base"}) {
		t.Errorf("the base resolves to %v", got)
	}
}

func TestSelfClass(t *testing.T) {
	m := parsetest.Parse(t, agentSource)
	info := scope.Analyze(m, "rl.agent", false)
	got := map[string]bool{}
	ast.WalkModule(m, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok && info.SelfClass(name) != nil {
			got[fmt.Sprintf("%s:%d %s", name.Ident, lineOf(m, name), info.SelfClass(name).Node.Name)] = true
		}
		return true
	})
	for _, want := range []string{"self:12 Agent", "self:21 Agent", "cls:34 Agent", "this:47 Config"} {
		if !got[want] {
			t.Errorf("%s is not known as the instance", want)
		}
	}
	for _, unwanted := range []string{"self:22 Agent", "self:35 Agent", "x:39 Agent", "y:42 Agent"} {
		if got[unwanted] {
			t.Errorf("%s is taken for the instance", unwanted)
		}
	}
}

func TestFunctionTables(t *testing.T) {
	m := parsetest.Parse(t, `
a = 1
def outer(p, *args, q=2, **kw):
    global g
    g = x = p
    def inner(r):
        nonlocal x
        x = r + p + a
        return [q for q in kw]
    return inner
`)
	info := scope.Analyze(m, "m", false)
	outer := info.ScopeFor(m.Body[1])
	inner := info.ScopeFor(m.Body[1].(*ast.FunctionDef).Body[2])
	for _, c := range []struct {
		what string
		got  []string
		want string
	}{
		{"locals of outer", list(outer.Locals()), "p args q kw x inner"},
		{"globals of outer", outer.Globals, "g"},
		{"free in outer", list(outer.Free()), ""},
		{"locals of inner", list(inner.Locals()), "r"},
		{"nonlocals of inner", inner.Nonlocals, "x"},
		{"free in inner", list(inner.Free()), "x p kw"},
		{"locals of the module", list(info.Module.Locals()), "a outer g"},
	} {
		if got := strings.Join(c.got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
	if v := outer.Lookup("q"); v == nil || !v.IsParameter() || len(v.Uses) != 0 {
		t.Error("q of outer is a parameter that the comprehension's q hides")
	}
	if v := outer.Lookup("p"); len(v.Uses) != 2 {
		t.Errorf("p has %d uses, want 2", len(v.Uses))
	}
	if info.ScopeOf(m.Body[1]) != info.Module || inner.Parent != outer || inner.QualName() != "m.outer.<locals>.inner" {
		t.Error("scopes do not nest as the source does")
	}
}

func list(vars []*scope.Var) []string {
	var out []string
	for _, v := range vars {
		out = append(out, v.Name)
	}
	return out
}

// FuzzAnalyze looks for sources on which resolution panics or leaves a binding
// without its variable.
func FuzzAnalyze(f *testing.F) {
	for _, seed := range []string{
		agentSource, "global x\nx = 1", "def f():\n nonlocal y\n y = 1", "[x := 1 for x in y]",
		"class A:\n global A\n [A := 2 for B in C]", "lambda: (yield)", "from ... import *\nprint(z)",
		"def f(f, f): del f, g[f], h.f", "for x.y, *z[0] in w: pass", "x = x.y = x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := parsetest.Broken(t, text)
		info := scope.Analyze(m, "pkg.mod", len(text)%2 == 0)
		for v := range info.Vars {
			for _, b := range v.Bindings {
				if info.VarOf(b.Node) == nil {
					t.Errorf("a %s binding of %q has no variable", b.Kind, v.Name)
				}
			}
			info.QualifiedVar(v)
		}
		ast.WalkModule(m, func(n ast.Node) bool {
			info.ScopeOf(n)
			if e, ok := n.(ast.Expr); ok {
				info.Qualified(e)
			}
			return true
		})
	})
}
