package harness

import (
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rlvet/rlvet/internal/torchtest"
)

// looking computes what rules' probes compute of each value.
const looking = `"""TST004: the numbers of a tensor."""
from rlvet_harness import Probe, numbers


class Looking(Probe):
    def hit(self, hit):
        n = numbers(hit.value)
        self.show(**n.brief())
        self.plot(n.mean)
`

// training is PPO of width 256 on one processor. It prints how long its loop took.
const training = `import time
import torch

torch.manual_seed(0)
torch.set_num_threads(1)


def network(out):
    return torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.Tanh(), torch.nn.Linear(256, 256), torch.nn.Tanh(), torch.nn.Linear(256, out))


policy, critic = network(8), network(1)
optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=3e-4)


def iterate():
    states = torch.randn(512, 64)
    with torch.no_grad():
        old = torch.distributions.Categorical(logits=policy(states))
        actions, values = old.sample(), critic(states).squeeze(-1)
        old = old.log_prob(actions)
    returns = torch.randn(512)
    advantages = returns - values
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    for epoch in range(4):
        for batch in torch.randperm(512).split(128):
            logp = torch.distributions.Categorical(logits=policy(states[batch])).log_prob(actions[batch])
            ratio = «(logp - old[batch]).exp()»
            clipped = ratio.clamp(0.8, 1.2)
            loss = -torch.min(ratio * advantages[batch], clipped * advantages[batch]).mean()
            loss = loss + 0.5 * (critic(states[batch]).squeeze(-1) - returns[batch]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


for iteration in range(3):
    iterate()
begun = time.process_time()
for iteration in range(15):
    iterate()
print("seconds", time.process_time() - begun)
`

var seconds = regexp.MustCompile(`seconds ([0-9.]+)`)

// BenchmarkOverhead runs the same training with and without the harness, in turns, and
// reports the median of the ratios of their loops: 240 evaluations of one watched
// expression, and as many optimizer steps and losses that the harness looks at.
func BenchmarkOverhead(b *testing.B) {
	p := planOf(b, training)
	python := torchtest.Python(b, "the overhead is NOT measured")
	var err error
	if p.Python, err = FindPython(b.Context(), python, p.Root); err != nil {
		b.Fatal(err)
	}
	p.Targets[0].Probe, p.Limits.Timeout = looking, 10*time.Minute
	var ratios []float64
	for b.Loop() {
		r, err := Run(b.Context(), p)
		if err != nil {
			b.Fatal(err)
		}
		ratios = append(ratios, secondsIn(b, r.Runs[0].Output)/plainly(b, python, p.Root))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "watched/plain")
	b.ReportMetric(ratios[0], "least")
	b.ReportMetric(ratios[len(ratios)-1], "most")
}

func secondsIn(b *testing.B, output string) float64 {
	b.Helper()
	m := seconds.FindStringSubmatch(output)
	if m == nil {
		b.Fatalf("the program did not say how long it took:\n%s", output)
	}
	s, _ := strconv.ParseFloat(m[1], 64)
	return s
}

// empty looks at nothing: what is left is what the harness costs.
const empty = `"""TST005: nothing."""
from rlvet_harness import Probe


class Empty(Probe):
    def hit(self, hit):
        pass
`

// hitting evaluates an expression in a loop that prints what one turn costs.
const hitting = `import time

def turns(n):
    begun = time.perf_counter()
    a, b = 1.5, 2.5
    for i in range(n):
        x = «a + b»
    return (time.perf_counter() - begun) / n

def bare(n):
    begun = time.perf_counter()
    a, b = 1.5, 2.5
    for i in range(n):
        x = a + b
    return (time.perf_counter() - begun) / n

turns(100)
print("seconds %.12f" % (min(turns(20000) for _ in range(9)) - min(bare(20000) for _ in range(9))))
`

// BenchmarkHit reports what one evaluation costs beyond itself, with two operands that
// are watched: while the probe looks, and once its budget is used up.
func BenchmarkHit(b *testing.B) {
	for _, c := range []struct {
		name   string
		budget int
	}{{"looking", 1 << 30}, {"asleep", 10}} {
		b.Run(c.name, func(b *testing.B) {
			p := planOf(b, hitting)
			// A second target that is never reached keeps the run awake.
			p.Targets = append(p.Targets, p.Targets[0])
			p.Targets[1].ID, p.Targets[1].File = 1, "absent.py"
			p.Targets[0].Probe, p.Targets[1].Probe, p.Limits.MaxHits = empty, empty, c.budget
			var costs []float64
			for b.Loop() {
				r, err := Run(b.Context(), p)
				if err != nil {
					b.Fatal(err)
				}
				costs = append(costs, secondsIn(b, r.Runs[0].Output))
			}
			slices.Sort(costs)
			b.ReportMetric(costs[len(costs)/2]*1e9, "ns/hit")
		})
	}
}
