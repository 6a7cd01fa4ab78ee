package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/harness/protocol"
	"github.com/rlvet/rlvet/internal/torchtest"
)

// trainer is a training loop; what a case puts into it comes from the maps of its parts.
const trainer = `import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
stored = torch.zeros(8, 4)
for step in range(40):
    x = torch.randn(8, 4)
    %s
    optimizer.zero_grad()
    loss.backward()
    %s
    optimizer.step()
`

// instrumented runs a program under instruments and reads what the last of them kept.
func instrumented(t *testing.T, program string, kept any, instruments ...Instrument) SeedRun {
	t.Helper()
	p := planOf(t, program)
	var err error
	if p.Python, err = FindPython(t.Context(), torchtest.Python(t, "instruments are NOT tried with the real torch"), p.Root); err != nil {
		t.Fatal(err)
	}
	p.Instruments, p.Kept = instruments, t.TempDir()
	r, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Runs[0].InstrumentErrors {
		t.Fatalf("%s stopped: %s (%s)", e.Instrument, e.Error, e.Where)
	}
	_, name, _ := strings.Cut(instruments[len(instruments)-1].Name, ".")
	text, err := os.ReadFile(filepath.Join(p.Kept, "0", name+".json"))
	if err == nil {
		err = protocol.ReadFile(instruments[len(instruments)-1].Name, text, kept)
	}
	if err != nil {
		t.Fatalf("%v; the program wrote\n%s", err, r.Runs[0].Output)
	}
	return r.Runs[0]
}

// lineOf is the row of the first line that holds a text.
func lineOf(program, text string) int {
	before, _, found := strings.Cut(program, text)
	if !found {
		return 0
	}
	return 1 + strings.Count(before, "\n")
}

// TestGuards: each kind of failure is seen in the step in which it happens, and what heals
// itself, or is meant, is none.
func TestGuards(t *testing.T) {
	const good = "loss = net(x).pow(2).mean()"
	for _, c := range []struct {
		name, forward, update, kind string
		step                        int
	}{
		{"a clean run", good, "pass", "", 0},
		{"a loss that is NaN", "loss = net(x).pow(2).mean() * (float('nan') if step == 5 else 1)", "pass", "loss", 5},
		{"an infinite gradient", "loss = (net(x) * (0 if step == 3 else 1)).pow(2).sum().sqrt()", "pass", "gradient", 4},
		{"a gradient that is set to NaN", good, "net[0].weight.grad[0, 0] = float('nan') if step == 6 else 0", "gradient", 7},
		{"a learning rate that overflows", good, "optimizer.param_groups[0]['lr'] = float('inf') if step == 2 else 0.01", "parameter", 3},
		{"a gradient that explodes", "loss = net(x).pow(2).mean() * (1e13 if step == 20 else 1)", "pass", "exploding", 21},
		{"an exception that NaN raises", "loss = torch.distributions.Categorical(logits=net(x) * (float('nan') if step == 4 else 1)).entropy().mean()", "pass", "exception", 4},
		{"infinities that are masked", "loss = torch.softmax(net(x).masked_fill(x[:, :3] > 0.5, float('-1e30')), -1).pow(2).mean()", "pass", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var kept struct {
				Losses [][]any `json:"losses"`
				Steps  int     `json:"steps"`
			}
			run := instrumented(t, fmt.Sprintf(trainer, c.forward, c.update), &kept, Instrument{Name: "hunt.guards"})
			var failure protocol.Failure
			if len(run.Failures) > 0 {
				failure = run.Failures[0]
			}
			if failure.Kind != c.kind || failure.Step != c.step {
				t.Errorf("failed by %q at step %d, want %q at %d; the program wrote\n%s", failure.Kind, failure.Step, c.kind, c.step, run.Output)
			}
			if c.kind == "" && (kept.Steps != 40 || len(kept.Losses) != 40) {
				t.Errorf("%d steps and %d losses were kept", kept.Steps, len(kept.Losses))
			}
		})
	}
}

// TestNothingReaches: parameters that get no gradient, or nothing but zeros, and the step
// from which on nothing is learned any more, are told; a gradient that is small is not one
// that vanished.
func TestNothingReaches(t *testing.T) {
	for _, c := range []struct {
		name, forward, unused string
		vanished              int
	}{
		{"a clean run", "loss = net(x).pow(2).mean()", "", 0},
		{"a gradient that shrinks with the loss", "loss = net(x).pow(2).mean() * 0.6**step", "", 0},
		{"a head that is cut off", "loss = net[0](x).pow(2).mean()", "never never", 0},
		{"a head that is multiplied by zero", "loss = net[0](x).pow(2).mean() + 0 * net(x).mean()", "zero zero", 0},
		{"a loss that is clamped", "loss = net(x).pow(2).mean() * (1 if step < 25 else 0)", "", 26},
		{"a loss that is clamped for some steps", "loss = net(x).pow(2).mean() * (0 if 10 < step < 38 else 1)", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var kept struct {
				Unused []struct {
					Why string `json:"why"`
				} `json:"unused"`
				Vanished int `json:"vanished"`
			}
			run := instrumented(t, fmt.Sprintf(trainer, c.forward, "pass"), &kept, Instrument{Name: "hunt.guards"})
			var why []string
			for _, u := range kept.Unused {
				why = append(why, u.Why)
			}
			if got := strings.Join(why, " "); got != c.unused || kept.Vanished != c.vanished {
				t.Errorf("unused %q, want %q; vanished at %d, want %d; the program wrote\n%s", got, c.unused, kept.Vanished, c.vanished, run.Output)
			}
		})
	}
}

// TestLocalise: records lead from what failed to the line that made it, however long ago,
// through views, buffers and nodes of the graph; infinities that are meant are no origin.
func TestLocalise(t *testing.T) {
	for _, c := range []struct {
		name, forward, update string
		from, to              int
		row                   string // text of the line
		phase, op             string
	}{
		{"division in forward", "loss = (net(x) / (x[:, :3] * (step != 5))).mean()", "pass", 4, 5, "loss =", "forward", "div"},
		{"stored twenty steps ago", "stored[3] = (x[0] * 0).log() if step == 8 else stored[3]\n    loss = net(stored if step == 30 else x).pow(2).mean()", "pass", 29, 30, "stored[3]", "forward", "log"},
		{"through a view", "stored[2:5].select(1, 0).copy_(1 / (x[:3, 0] * (step != 6)))\n    loss = net(stored).pow(2).mean()", "pass", 6, 6, "stored[2:5]", "forward", "reciprocal"},
		{"made in backward", "h = net[0](x) * (step != 4)\n    loss = net[2](h.pow(2).sum(-1, keepdim=True).sqrt() + h).mean()", "pass", 4, 4, "loss =", "backward", "SqrtBackward0"},
		{"a masked action that is picked", "logp = net(x).masked_fill(torch.arange(3) < (step == 6), float('-inf')).log_softmax(-1)\n    loss = -logp.gather(1, torch.zeros(8, 1, dtype=torch.long)).mean()", "pass", 5, 6, "loss =", "forward", "gather"},
		{"a row that is masked as a whole", "p = net(x).masked_fill(torch.full((8, 3), step == 3), float('-inf')).softmax(-1)\n    loss = p.pow(2).mean()", "pass", 3, 3, "p =", "forward", "_softmax"},
		{"in the optimizer", "loss = net(x).pow(2).mean()", "optimizer.param_groups[0]['lr'] = float('inf') if step == 2 else 0.01", 2, 3, "optimizer.step()", "optimizer", "add_"},
		{"numbers of Python", "scale = 1e308 * 10 if step == 7 else 1.0\n    loss = (net(x) * scale).mean()", "pass", 7, 7, "scale =", "forward", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			program := fmt.Sprintf(trainer, c.forward, c.update)
			settings, rounds := map[string]any{"from": c.from, "to": c.to}, 0
			var found struct {
				FirstBad *struct {
					Phase, Op, Filename string
					Row                 int
				} `json:"first_bad"`
				Again map[string]any `json:"again"`
			}
			for ; settings != nil && rounds < 8; rounds++ {
				found.FirstBad, found.Again = nil, nil
				instrumented(t, program, &found, Instrument{Name: "hunt.localise", Settings: settings})
				settings = found.Again
			}
			b := found.FirstBad
			if b == nil || b.Filename != "main.py" || b.Row != lineOf(program, c.row) || b.Phase != c.phase || b.Op != c.op {
				t.Errorf("after %d rounds: %+v, want %s of %s in row %d", rounds, b, c.phase, c.op, lineOf(program, c.row))
			}
		})
	}
}

// TestChangedInPlace: what backward needs and the program changes behind the back of
// autograd is found; what is changed before, afterwards, or elsewhere is not.
func TestChangedInPlace(t *testing.T) {
	for _, c := range []struct{ name, forward, row string }{
		{"data of a saved output", "h = torch.sigmoid(net(x))\n    y = h * 2\n    h.data.clamp_(max=0.5)\n    loss = y.pow(2).mean()", "h.data"},
		{"an item of saved data", "h = net(x).exp()\n    h.data[0] = 0.0\n    loss = h.mean()", "h.data[0]"},
		{"weights that are scaled between", "h = net(x)\n    net[2].weight.data *= 0.9\n    loss = h.pow(2).mean()", "net[2].weight"},
		{"changed before it is used", "h = torch.sigmoid(net(x))\n    g = h.detach().clone().clamp_(max=0.5)\n    loss = (h * g).mean()", ""},
		{"statistics of a norm, twice", "norm = globals().setdefault('norm', torch.nn.BatchNorm1d(4))\n    loss = net(norm(x)).mean() + net(norm(x + 1)).mean()", ""},
		{"changed back", "h = net(x).exp()\n    h.data.add_(0.0)\n    loss = h.mean()", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			program := fmt.Sprintf(trainer, c.forward, "pass")
			var kept struct {
				Changed []struct {
					Filename string
					Row      int
				} `json:"changed"`
				Steps int `json:"steps"`
			}
			instrumented(t, program, &kept, Instrument{Name: "hunt.inplace"})
			rows := []int{}
			for _, c := range kept.Changed {
				rows = append(rows, c.Row)
			}
			if want := lineOf(program, c.row); c.row != "" && (len(rows) != 1 || rows[0] != want) || c.row == "" && len(rows) > 0 {
				t.Errorf("changed in rows %v, want %d", rows, want)
			}
			if kept.Steps < 12 {
				t.Errorf("only %d steps were looked at", kept.Steps)
			}
		})
	}
}
