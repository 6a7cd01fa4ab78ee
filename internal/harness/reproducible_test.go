package harness

import (
	"reflect"
	"testing"

	"github.com/rlvet/rlvet/internal/torchtest"
)

// exact shows every bit of a tensor, and confirms where the largest value has grown.
const exact = `"""TST003: the bits of a tensor."""
from rlvet_harness import Probe


class Exact(Probe):
    def hit(self, hit):
        bits = hit.value.detach().numpy().tobytes().hex()
        self.show(bits=bits)
        if hit.index > 3 and float(hit.value.max()) > 1.02:
            self.confirm("it has grown", bits=bits)
`

// drawing trains a policy by its own draws, through all generators that a program has.
const drawing = `import random
import numpy
import torch

torch.manual_seed(5)
policy = torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
rng = numpy.random.default_rng()
for iteration in range(20):
    states = torch.as_tensor(rng.normal(size=(8, 6)), dtype=torch.float32) * random.random()
    states = states[torch.as_tensor(numpy.random.permutation(8))]
    with torch.no_grad():
        old = torch.distributions.Categorical(logits=policy(states))
        actions = old.sample()
    rewards = torch.randn(8) + actions
    for epoch in range(3):
        logp = torch.distributions.Categorical(logits=policy(states)).log_prob(actions)
        ratio = «(logp - old.log_prob(actions)).exp()»
        loss = -(ratio * (rewards - rewards.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
`

// TestSameSeedSameRun: five runs under one seed see the same bits at the same evaluation,
// and one under another seed does not.
func TestSameSeedSameRun(t *testing.T) {
	p := planOf(t, drawing)
	var err error
	if p.Python, err = FindPython(t.Context(), torchtest.Python(t, "that one seed is one run is NOT tried with the real torch"), p.Root); err != nil {
		t.Fatal(err)
	}
	p.Targets[0].Probe, p.Seeds = exact, []int{7, 7, 7, 7, 7, 8}
	r, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	first := r.Targets[0].Seeds[0]
	if first.Confirmation == nil || len(first.Observations) != 5 || len(r.Runs[0].Losses) != 60 {
		t.Fatalf("%s: %s\n%s", first.Verdict, first.Reason, r.Runs[0].Output)
	}
	for i, s := range r.Targets[0].Seeds[1:] {
		same := reflect.DeepEqual(s.Confirmation, first.Confirmation) && reflect.DeepEqual(s.Observations, first.Observations) && reflect.DeepEqual(r.Runs[i+1].Losses, r.Runs[0].Losses)
		if want := s.Seed == first.Seed; same != want {
			t.Errorf("run %d under seed %d: like the first under seed %d: %t, want %t", i+1, s.Seed, first.Seed, same, want)
		}
	}
	t.Logf("five of five: evaluation %d, step %d", first.Confirmation.Hit, first.Confirmation.Step)
}
