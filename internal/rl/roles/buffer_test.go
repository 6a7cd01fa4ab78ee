package roles_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/rl/roles"
)

// describe tells of a slot what it holds, where that is written, and what becomes of it.
func (p program) describe(s *roles.Slot) string {
	out := s.Name + " " + s.Kind().String()
	for _, w := range s.Writes {
		out += ", " + p.source(w.Val)
	}
	if s.Collected() {
		out += ", collected"
	}
	if s.NoGrad() {
		out += ", no grad"
	}
	for range s.Emptied {
		out += ", emptied"
	}
	return out
}

// slots describes the slots of a program that are filled while it collects, and those that what is
// assigned to `read` comes from.
func (p program) slots() (out []string) {
	for _, b := range p.model.Buffers() {
		for _, s := range b.Slots {
			if s.Collected() {
				out = append(out, p.describe(s))
			}
		}
	}
	read := p.assigned("read")
	for _, s := range p.model.SlotsOf(read.Val) {
		out = append(out, fmt.Sprintf("read %s", s.Name))
	}
	return out
}

func TestBuffers(t *testing.T) {
	const given = `
from collections import namedtuple, deque, defaultdict
from dataclasses import dataclass
from torch.distributions import Categorical
env = gym.make("CartPole-v1")
net, critic = nn.Linear(4, 2), nn.Linear(4, 1)
def act(obs):
    dist = Categorical(logits=net(obs))
    a = dist.sample()
    return a, dist.log_prob(a)
`
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a dict of lists", `
buf = {"reward": [], "logp": []}
for update in range(10):
    obs, _ = env.reset()
    for t in range(8):
        with torch.no_grad():
            a, lp = act(obs)
        obs, r, term, trunc, _ = env.step(a)
        buf["reward"].append(r)
        buf["logp"].append(lp)
    read = torch.stack(buf["logp"])
    buf["reward"].clear()
`, []string{
			`["reward"] reward, env.step(a), collected, no grad, emptied`,
			`["logp"] log-prob, dist.log_prob(a), collected, no grad`,
			`read ["logp"]`,
		}},
		{"attributes of a class, with the gradient", `
class Memory:
    def __init__(self):
        self.rewards, self.logps = [], []
    def push(self, r, lp):
        self.rewards.append(r)
        self.logps.append(lp)
    def clear(self):
        del self.rewards[:]
        self.logps = []
memory = Memory()
obs, _ = env.reset()
for t in range(8):
    a, lp = act(obs)
    obs, r, term, trunc, _ = env.step(a)
    memory.push(r, lp)
read = torch.stack(memory.logps).detach()
memory.clear()
`, []string{
			`.rewards reward, env.step(a), collected, no grad, emptied`,
			`.logps log-prob, dist.log_prob(a), collected, emptied`,
			`read .logps`,
		}},
		{"a list of tuples", `
steps = []
obs, _ = env.reset()
for t in range(8):
    a, lp = act(obs)
    new, r, term, trunc, _ = env.step(a)
    steps.append((obs, r, lp.detach(), term))
    obs = new
for s, rew, old, d in steps:
    read = old
`, []string{
			`[0] observation, env.reset(), collected, no grad`,
			`[1] reward, env.step(a), collected, no grad`,
			`[2] log-prob, lp.detach(), collected, no grad`,
			`[3] terminated, env.step(a), collected, no grad`,
			`read [2]`,
		}},
		{"a list of tuples, transposed by zip", `
steps = deque(maxlen=100)
obs, _ = env.reset()
for t in range(8):
    a, lp = act(obs)
    obs, r, term, trunc, _ = env.step(a)
    steps.append((r, lp))
rews, olds = zip(*steps)
read = torch.stack(olds)
`, []string{
			`[0] reward, env.step(a), collected, no grad`,
			`[1] log-prob, dist.log_prob(a), collected`,
			`read [1]`,
		}},
		{"a list of named tuples", `
Step = namedtuple("Step", "reward logp")
steps = []
obs, _ = env.reset()
for t in range(8):
    a, lp = act(obs)
    obs, r, term, trunc, _ = env.step(a)
    steps.append(Step(reward=r, logp=lp))
read = torch.stack([s.logp for s in steps])
`, []string{
			`.reward reward, env.step(a), collected, no grad`,
			`.logp log-prob, dist.log_prob(a), collected`,
			`read .logp`,
		}},
		{"a dataclass in a list", `
@dataclass
class Step:
    reward: float
    logp: torch.Tensor
steps = []
obs, _ = env.reset()
for t in range(8):
    a, lp = act(obs)
    obs, r, term, trunc, _ = env.step(a)
    steps.append(Step(r, lp))
read = steps[0].logp
`, []string{
			`.reward reward, env.step(a), collected, no grad`,
			`.logp log-prob, dist.log_prob(a), collected`,
			`read .logp`,
		}},
		{"tensors that are allocated first", `
rewards, logps = torch.zeros(8, 4), torch.zeros((8, 4))
obs, _ = env.reset()
for t in range(8):
    with torch.no_grad():
        a, lp = act(obs)
    obs, r, term, trunc, _ = env.step(a)
    rewards[t] = torch.tensor(r)
    logps[t] = lp
read = logps.reshape(-1)[torch.randperm(32)]
`, []string{
			` reward, torch.tensor(r), collected, no grad`,
			` log-prob, dist.log_prob(a), collected, no grad`,
			`read `,
		}},
		{"tensors of an object", `
class Storage:
    def __init__(self, n):
        self.logps = torch.zeros(n, 1)
        self.values = torch.zeros(n, 1)
    def insert(self, t, lp, v):
        self.logps[t] = lp
        self.values[t].copy_(v)
storage = Storage(8)
obs, _ = env.reset()
for t in range(8):
    with torch.no_grad():
        a, lp = act(obs)
    obs, r, term, trunc, _ = env.step(a)
    storage.insert(t, lp, critic(obs))
read = storage.logps.view(-1)
`, []string{
			`.logps log-prob, dist.log_prob(a), collected, no grad`,
			`.values raw, critic(obs), collected`,
			`read .logps`,
		}},
		{"a list for each key of a defaultdict", `
buf = defaultdict(list)
obs, _ = env.reset()
for t in range(8):
    a, lp = act(obs)
    obs, r, term, trunc, _ = env.step(a)
    buf["reward"].append(r)
    buf["logp"].append(lp)
`, []string{
			`["reward"] reward, env.step(a), collected, no grad`,
			`["logp"] log-prob, dist.log_prob(a), collected`,
		}},
		{"a value that is kept nowhere", `
obs, _ = env.reset()
a, read = act(obs)
`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if d := cmp.Diff(test.want, derive(t, given+test.text).slots()); d != "" {
				t.Error(d)
			}
		})
	}
}
