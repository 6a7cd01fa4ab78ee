package roles_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parsetest"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// program is a program with its roles.
type program struct {
	text  string
	res   *infer.Result
	model *roles.Model
}

func derive(t *testing.T, text string) program {
	t.Helper()
	text = "import copy, itertools\nimport torch\nimport gymnasium as gym\nfrom torch import nn\n" + text
	m := parsetest.Parse(t, text)
	res := infer.Evaluate(context.Background(), infer.Config{Module: &infer.Module{Name: "m", Path: "m.py", AST: m}})
	return program{text, res, roles.Derive(query.New(res))}
}

// source is the text of the syntax that made a value.
func (p program) source(v *infer.Val) string {
	if v == nil || v.Node == nil {
		return "?"
	}
	return p.text[v.Node.Span().Start:v.Node.Span().End]
}

// networks describes the networks, one a line: where each was made, and its roles.
func (p program) networks() []string {
	var out []string
	for _, n := range p.model.Networks {
		line := p.source(n.Val)
		if n.Trained {
			line += " trained"
		}
		if n.Frozen {
			line += " frozen"
		}
		if n.CopyOf != nil {
			line += " copy of " + p.source(n.CopyOf.Val)
		}
		out = append(out, line)
	}
	return out
}

func TestNetworks(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"two names of one object are one network", `
net = nn.Linear(1, 2)
same = net.to("cpu").train()
`, []string{"nn.Linear(1, 2)"}},
		{"two objects of one class are two networks", `
class Net(nn.Module):
    def forward(self, x): return x
a, b = Net(), Net()
`, []string{"Net()", "Net()"}},
		{"an optimizer trains what it was given", `
actor, critic, other = nn.Linear(1, 2), nn.Linear(1, 1), nn.Linear(3, 3)
opt = torch.optim.Adam(list(actor.parameters()) + list(critic.parameters()), lr=1e-3)
`, []string{"nn.Linear(1, 2) trained", "nn.Linear(1, 1) trained", "nn.Linear(3, 3)"}},
		{"parameter groups, chains and filters", `
a, b, c = nn.Linear(1, 1), nn.Linear(2, 2), nn.Linear(3, 3)
o = torch.optim.SGD([{"params": a.parameters(), "lr": 1}])
q = torch.optim.SGD(itertools.chain(b.parameters()), lr=1)
r = torch.optim.SGD(filter(lambda p: p.requires_grad, c.parameters()), lr=1)
`, []string{"nn.Linear(1, 1) trained", "nn.Linear(2, 2) trained", "nn.Linear(3, 3) trained"}},
		{"parameters by name", `
a = nn.Linear(1, 1)
o = torch.optim.SGD([p for name, p in a.named_parameters() if "bias" not in name], lr=1)
`, []string{"nn.Linear(1, 1) trained"}},
		{"a copy knows its original, and is not trained with it", `
net = nn.Linear(1, 2)
opt = torch.optim.Adam(net.parameters())
target = copy.deepcopy(net)
`, []string{"nn.Linear(1, 2) trained", "copy.deepcopy(net) copy of nn.Linear(1, 2)"}},
		{"a network that takes the weights of another where it is made", `
net, ref = nn.Linear(1, 2), nn.Linear(1, 2)
ref.load_state_dict(net.state_dict())
net.load_state_dict(ref.state_dict())
`, []string{"nn.Linear(1, 2)", "nn.Linear(1, 2) copy of nn.Linear(1, 2)"}},
		{"the module that a framework is given is the one whose optimizer it asks for", `
class Step(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Linear(width, 2)
    def configure(self):
        return torch.optim.Adam(self.net.parameters())
framework.fit(Step(3))
`, []string{"Step(3)", "nn.Linear(width, 2) trained"}},
		{"requires_grad_ on the network", `
ref = nn.Linear(1, 2).requires_grad_(False)
net = nn.Linear(3, 4)
net.requires_grad_(True)
`, []string{"nn.Linear(1, 2) frozen", "nn.Linear(3, 4)"}},
		{"requires_grad on each parameter", `
a, b, c = nn.Linear(1, 1), nn.Linear(2, 2), nn.Linear(3, 3)
for p in a.parameters():
    p.requires_grad = False
for p in b.parameters():
    p.requires_grad_(False)
for p in c.parameters():
    p.requires_grad = True
`, []string{"nn.Linear(1, 1) frozen", "nn.Linear(2, 2) frozen", "nn.Linear(3, 3)"}},
		{"requires_grad of some parameters", `
a = nn.Linear(1, 1)
for name, p in a.named_parameters():
    if "bias" in name:
        p.requires_grad = False
`, []string{"nn.Linear(1, 1)"}},
		{"requires_grad by a helper", `
def freeze(net):
    for name, p in net.named_parameters():
        p.requires_grad = False
    return net
a = freeze(nn.Linear(1, 1))
`, []string{"nn.Linear(1, 1) frozen"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if d := cmp.Diff(test.want, derive(t, test.text).networks()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestOptimizers(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"all parameters are known", `
net = nn.Linear(1, 2)
opt = torch.optim.AdamW(net.parameters(), lr=3e-4)
`, []string{"torch.optim.AdamW(net.parameters(), lr=3e-4): nn.Linear(1, 2), complete"}},
		{"the learning rate does not matter", `
def make(lr):
    net = nn.Linear(1, 2)
    return torch.optim.Adam(net.parameters(), lr=lr)
`, []string{"torch.optim.Adam(net.parameters(), lr=lr): nn.Linear(1, 2), complete"}},
		{"of unknown parameters", `
def make(params):
    return torch.optim.Adam(params)
`, []string{"torch.optim.Adam(params): "}},
		{"of an unknown network", `
def make(model):
    return torch.optim.Adam(model.parameters())
`, []string{"torch.optim.Adam(model.parameters()): "}},
		{"of known and unknown parameters", `
def make(more):
    net = nn.Linear(1, 2)
    return torch.optim.Adam(list(net.parameters()) + more)
`, []string{"torch.optim.Adam(list(net.parameters()) + more): nn.Linear(1, 2)"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := derive(t, test.text)
			var got []string
			for _, o := range p.model.Optimizers {
				var nets []string
				for _, n := range o.Networks {
					nets = append(nets, p.source(n.Val))
				}
				line := p.source(o.Val) + ": " + strings.Join(nets, ", ")
				if o.Complete {
					line += ", complete"
				}
				got = append(got, line)
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestLossesAndSteps(t *testing.T) {
	tests := []struct {
		name, text          string
		losses, steps, envs []string
	}{
		{"an update", `
net = nn.Linear(1, 2)
opt = torch.optim.Adam(net.parameters())
loss = net(torch.randn(3, 1)).mean()
loss.backward()
opt.step()
`, []string{"net(torch.randn(3, 1)).mean()"}, []string{"opt.step()"}, nil},
		{"a loss by a trainer, and a gradient to start from", `
from accelerate import Accelerator
acc = Accelerator()
net = nn.Linear(1, 2)
a = net(torch.randn(3, 1)).sum()
acc.backward(a)
b = net(torch.randn(3, 1))
b.backward(torch.ones_like(b))
`, []string{"net(torch.randn(3, 1)).sum()", "net(torch.randn(3, 1))"}, nil, nil},
		{"environments and generation", `
env = gym.make("CartPole-v1")
obs, _ = env.reset()
obs, reward, a, b, info = env.step(1)
def sample(model, prompts):
    return model.generate(prompts)
`, nil, nil, []string{"env.step(1)", "model.generate(prompts)"}},
		{"a schedule is a step too, but no environment", `
net = nn.Linear(1, 2)
opt = torch.optim.Adam(net.parameters())
opt.step(closure=None)
`, nil, []string{"opt.step(closure=None)"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := derive(t, test.text)
			var losses []*infer.Val
			for _, l := range p.model.Backwards {
				losses = append(losses, l.Loss)
			}
			for _, c := range []struct {
				what string
				want []string
				have []*infer.Val
			}{{"losses", test.losses, losses}, {"steps", test.steps, p.model.Steps}, {"environment steps", test.envs, p.model.EnvSteps}} {
				var got []string
				for _, v := range c.have {
					got = append(got, p.source(v))
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("%s: %s", c.what, d)
				}
			}
		})
	}
}

// TestLoops asks of the loops around the first call of a function mark() how
// often each runs and whether it collects new data: "4", "4?" for a setting, "-"
// where it is not known, "fresh" where data is new.
func TestLoops(t *testing.T) {
	const setup = `
env = gym.make("CartPole-v1")
net = nn.Linear(4, 2)
def mark(): return torch.randn(2)
def rollout():
    for _ in range(128):
        obs = env.step(0)
`
	tests := []struct {
		name, text, want string
	}{
		{"no loop", "mark()\n", ""},
		{"mini-epochs on one rollout", `
for update in range(1000):
    rollout()
    for epoch in range(4):
        mark()
`, "1000 fresh, 4"},
		{"a setting", `
import argparse
p = argparse.ArgumentParser()
p.add_argument("--epochs", default=4, type=int)
args = p.parse_args()
for epoch in range(args.epochs):
    mark()
`, "4?"},
		{"a progress bar, and a start", `
for i in trange(10):
    for j in range(2, 5):
        mark()
`, "10, 3"},
		{"a step, a step back, and nothing to count", `
for i in range(0, 10, 4):
  for i in range(9, -1, -1):
    for x in things:
        while x:
            mark()
`, "3, 10, -, -"},
		{"through calls", `
def update():
    for epoch in range(3):
        inner()
def inner():
    for batch in range(5):
        mark()
for it in range(7):
    env.step(0)
    update()
`, "7 fresh, 3, 5"},
		{"the else of a loop is behind it", `
for i in range(3):
    pass
else:
    mark()
`, ""},
		{"a method", `
class Trainer:
    def run(self):
        for i in range(6):
            rollout()
            self.update()
    def update(self):
        for j in range(8):
            mark()
Trainer().run()
`, "6 fresh, 8"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := derive(t, setup+test.text)
			v := called(p, "mark")
			if v == nil {
				t.Fatal("mark was never called")
			}
			var got []string
			for _, l := range p.model.Nest(query.PlaceOf(v)) {
				if !p.model.Inside(l, query.PlaceOf(v)) {
					t.Errorf("a loop of the nest does not contain the value")
				}
				got = append(got, describe(p.model, l))
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func describe(m *roles.Model, l query.Loop) string {
	out := "-"
	if n, setting, ok := l.Rounds(); ok {
		out = fmt.Sprint(n)
		if setting {
			out += "?"
		}
	}
	if m.Fresh(l) {
		out += " fresh"
	}
	return out
}

// called returns the value that the body of a function computes where the program
// calls it for the first time.
func called(p program, name string) *infer.Val {
	for _, f := range p.res.Frames {
		if f.Func == nil || f.Func.Name() != name || f.Stale() {
			continue
		}
		for _, st := range f.Body() {
			if r, ok := st.(*ast.Return); ok {
				return f.Val(r.X)
			}
		}
	}
	return nil
}

func TestReached(t *testing.T) {
	p := derive(t, `
actor, critic, guide = nn.Linear(4, 2), nn.Linear(4, 1), nn.Linear(4, 2)
x = torch.randn(8, 4)
both = actor(x).mean() + critic(x).mean() + guide(x).detach().mean()
none = x.mean()
`)
	reached := map[string][]string{}
	for _, name := range []string{"both", "none"} {
		for _, n := range p.model.Reached(p.res.Module.Global(name)) {
			reached[name] = append(reached[name], p.source(n.Val))
		}
	}
	slices.Sort(reached["both"])
	want := map[string][]string{"both": {"nn.Linear(4, 1)", "nn.Linear(4, 2)"}}
	if d := cmp.Diff(want, reached); d != "" {
		t.Error(d)
	}
}
