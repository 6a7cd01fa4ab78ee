package harness

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/rlvet/rlvet/internal/torchtest"
)

// risen confirms where what is minimised rises with a value.
const risen = `"""TST003: the direction of a loss."""
from rlvet_harness import Probe


class Risen(Probe):
    enough = 5
    needs = "a gradient that a step uses"

    def hit(self, hit):
        self.at_step(hit.value, lambda gradient: self.reached(float(gradient.sum())))

    def reached(self, slope):
        if slope > 0:
            self.confirm("what is minimised rises")
        else:
            self.upheld()
`

// alias confirms where the parameters of a network are trained.
const alias = `"""TST004: whether a network is trained."""
from rlvet_harness.aliases import TrainedAlias


class Alias(TrainedAlias):
    needs = "parameters that nothing trains"
`

const minimiser = `import torch

torch.manual_seed(0)
net, other = torch.nn.Linear(4, 3), torch.nn.Linear(4, 3)


class Own(torch.optim.Optimizer):
    def __init__(self, parameters, rate):
        super().__init__(parameters, {"rate": rate})
        self.momentum = {}

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                self.momentum[p] = 0.95 * self.momentum.get(p, 0) + p.grad
                p.add_(self.momentum[p], alpha=-group["rate"])


optimizer = %s
unused = torch.optim.SGD(other.parameters(), lr=0.1)
for step in range(12):
    x = torch.randn(8, 4)
    total = «net(x).pow(2).mean()»
    optimizer.zero_grad()
    (%stotal).backward()
    %s
`

// TestDescent: the direction of a loss is that of the step which follows.
func TestDescent(t *testing.T) {
	const adam, sgd = "torch.optim.Adam(net.parameters())", "torch.optim.SGD(net.parameters(), lr=0.1)"
	const step = "optimizer.step()"
	for _, c := range []struct {
		name, optimizer, sign, update string
		verdict                       Verdict
		reason                        string
	}{
		{"it minimises", adam, "", step, Confirmed, ""},
		{"of the negative", adam, "-", step, Refuted, ""},
		{"it maximises", "torch.optim.Adam(net.parameters(), maximize=True)", "", step, Refuted, ""},
		{"it maximises the negative", "torch.optim.Adam(net.parameters(), maximize=True)", "-", step, Confirmed, ""},
		{"turned round", sgd, "", "[p.grad.neg_() for p in net.parameters()]; " + step, Refuted, ""},
		{"turned and clipped", sgd, "-", "[p.grad.mul_(-0.1) for p in net.parameters()]; " + step, Confirmed, ""},
		{"turned twice", "torch.optim.SGD(net.parameters(), lr=0.1, maximize=True)", "-", "[p.grad.neg_() for p in net.parameters()]; " + step, Refuted, ""},
		{"clipped", sgd, "-", "torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1); " + step, Refuted, ""},
		{"half of it turned", sgd, "-", "net.bias.grad.neg_(); " + step, Inconclusive, "not plain whether the program minimises"},
		{"replaced", sgd, "-", "net.weight.grad = torch.randn(3, 4); net.bias.grad = torch.randn(3); " + step, Inconclusive, "not plain"},
		{"no step", sgd, "-", "pass", Inconclusive, "without what a refutation needs"},
		{"a step of another", sgd, "-", "unused.step()", Inconclusive, "without what a refutation needs"},
		{"thrown away", sgd, "-", "optimizer.zero_grad(); net(x).mean().backward(); " + step, Inconclusive, "without what a refutation needs"},
		{"an optimizer of its own", "Own(net.parameters(), 0.01)", "-", step, Refuted, ""},
		{"one that climbs", "Own(net.parameters(), -0.01)", "-", step, Confirmed, ""},
		{"by hand", "torch.optim.SGD(other.parameters(), lr=0.1)", "-", "[p.data.sub_(0.1 * p.grad) for p in net.parameters()]; net.zero_grad()", Refuted, ""},
		{"up by hand", "torch.optim.SGD(other.parameters(), lr=0.1)", "-", "[p.data.add_(0.1 * p.grad) for p in net.parameters()]; net.zero_grad()", Confirmed, ""},
		{"by hand beside an optimizer", sgd, "-", "[p.data.sub_(0.1 * p.grad) for p in net.parameters()]; net.zero_grad()", Refuted, ""},
		{"up by hand beside an optimizer", sgd, "", "[p.data.add_(0.1 * p.grad) for p in net.parameters()]; net.zero_grad()", Refuted, ""},
		{"two passes", sgd, "-", "(0.1 * net(x).mean()).backward(); " + step, Refuted, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := descended(t, risen, c.optimizer, c.sign, c.update)
			if e.Verdict != c.verdict || !regexp.MustCompile(c.reason).MatchString(e.Reason) {
				t.Errorf("%s: %s", e.Verdict, e.Reason)
			}
		})
	}
}

// TestTrainedByHand: parameters that change along their gradient are trained, those that follow others are not.
func TestTrainedByHand(t *testing.T) {
	const watched = "total = net(x).pow(2).mean() + other(x).pow(2).mean()"
	for _, c := range []struct {
		name, update string
		verdict      Verdict
	}{
		{"left as it is", "pass", Refuted},
		{"by hand", "[p.data.sub_(0.1 * p.grad) for p in net.parameters()]; net.zero_grad()", Confirmed},
		{"otherwise", "[p.data.add_(torch.randn(p.shape)) for p in net.parameters()]", Inconclusive},
		{"after another", "[p.data.lerp_(q.data, 0.1) for p, q in zip(net.parameters(), other.parameters())]", Refuted},
		{"a copy of another", "net.load_state_dict(other.state_dict())", Refuted},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			program := fmt.Sprintf(minimiser, "torch.optim.SGD(other.parameters(), lr=0.01)", "", "optimizer.step(); "+c.update)
			program = regexp.MustCompile(`total = «.*»`).ReplaceAllString(program, watched)
			program = regexp.MustCompile(`(?m)^for step`).ReplaceAllString(program, "alias = «net»\nfor step")
			if e := judged(t, alias, program); e.Verdict != c.verdict {
				t.Errorf("%s: %s", e.Verdict, e.Reason)
			}
		})
	}
}

func descended(t *testing.T, probe, optimizer, sign, update string) Evidence {
	t.Helper()
	return judged(t, probe, fmt.Sprintf(minimiser, optimizer, sign, update))
}

func judged(t *testing.T, probe, program string) Evidence {
	t.Helper()
	p := planOf(t, program)
	var err error
	if p.Python, err = FindPython(t.Context(), torchtest.Python(t, "the direction of losses is NOT tried with the real torch"), p.Root); err != nil {
		t.Fatal(err)
	}
	p.Targets[0].Probe = probe
	return evidence(t, p)
}
