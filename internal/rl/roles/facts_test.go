package roles_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/rl/query"
)

func TestGradClips(t *testing.T) {
	p := derive(t, `
a, b = nn.Linear(1, 2), nn.Linear(2, 3)
def step(params):
    nn.utils.clip_grad_norm_(a.parameters(), 0.5)
    nn.utils.clip_grad_norm_(list(a.parameters()) + list(b.parameters()), max_norm=float("inf"))
    nn.utils.clip_grad_value_(params, clip_value=1.0)
step(torch.load("p"))
`)
	var got []string
	for _, c := range p.model.GradClips() {
		line := fmt.Sprint(c.Max)
		for _, n := range c.Networks {
			line += " " + p.source(n.Val)
		}
		got = append(got, line)
	}
	if d := cmp.Diff([]string{"0.5 nn.Linear(1, 2)", "+Inf nn.Linear(1, 2) nn.Linear(2, 3)", "1"}, got); d != "" {
		t.Error(d)
	}
}

func TestLanguageModels(t *testing.T) {
	p := derive(t, `
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification
class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.head = nn.Embedding(100, 8), nn.Linear(8, 100)
policy, judge = AutoModelForCausalLM.from_pretrained("a"), AutoModelForSequenceClassification.from_pretrained("b")
frozen, tiny, head = AutoModelForCausalLM.from_pretrained("c"), Tiny(), nn.Linear(8, 1)
opt = torch.optim.Adam(list(policy.parameters()) + list(tiny.parameters()) + list(head.parameters()))
`)
	var got []string
	for _, n := range p.model.LanguageModels() {
		got = append(got, p.source(n.Val))
	}
	if d := cmp.Diff([]string{`AutoModelForCausalLM.from_pretrained("a")`, "Tiny()"}, got); d != "" {
		t.Error(d)
	}
	for _, n := range p.model.Networks {
		want := p.source(n.Val) == "nn.Embedding(100, 8)" || p.source(n.Val) == "nn.Linear(8, 100)"
		if p.model.IsLayer(n) != want {
			t.Errorf("%s is a layer of another: %v", p.source(n.Val), !want)
		}
	}
}

func TestEpochLoop(t *testing.T) {
	const given = `
from torch.distributions import Categorical
net = nn.Linear(4, 2)
opt = torch.optim.Adam(net.parameters())
`
	tests := []struct {
		name, text string
		want       bool
	}{
		{"epochs over one batch", `
actions = Categorical(logits=net(torch.randn(8, 4))).sample()
for epoch in range(4):
    loss = -Categorical(logits=net(torch.randn(8, 4))).log_prob(actions).mean()
    loss.backward()
    opt.step()
`, true},
		{"a fresh sample each round", `
for epoch in range(4):
    actions = Categorical(logits=net(torch.randn(8, 4))).sample()
    loss = -Categorical(logits=net(torch.randn(8, 4))).log_prob(actions).mean()
    loss.backward()
    opt.step()
`, false},
		{"minibatches of one pass", `
actions = Categorical(logits=net(torch.randn(8, 4))).sample()
for i in range(8):
    loss = -Categorical(logits=net(torch.randn(8, 4))).log_prob(actions[i]).mean()
    loss.backward()
    opt.step()
`, false},
		{"one round", `
actions = Categorical(logits=net(torch.randn(8, 4))).sample()
for epoch in range(1):
    loss = -Categorical(logits=net(torch.randn(8, 4))).log_prob(actions).mean()
    loss.backward()
    opt.step()
`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := derive(t, given+test.text)
			_, got := p.model.EpochLoop(p.model.Losses()[0], p.assigned("actions").Val, func(query.Loop) bool { return true })
			if got != test.want {
				t.Errorf("reuses the sample: %v, want %v", got, test.want)
			}
		})
	}
}

func TestKLSign(t *testing.T) {
	p := derive(t, `
from torch.distributions import Categorical, kl_divergence
class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)
    def forward(self, x):
        return torch.log_softmax(self.head(x), -1)
net = Policy()
ref = copy.deepcopy(net)
opt = torch.optim.Adam(net.parameters())
obs, actions = torch.randn(8, 4), torch.zeros(8, 1).long()
logp = net(obs).gather(-1, actions)
with torch.no_grad():
    ref_logp = ref(obs).gather(-1, actions)
grows = (logp - ref_logp).mean()
falls = (ref_logp - logp).mean()
form = kl_divergence(Categorical(logits=net(obs)), Categorical(logits=ref(obs)))
other = obs.mean()
(-(logp * obs.sum(-1, keepdim=True)).mean() + grows).backward()
`)
	for name, want := range map[string]int{"grows": 1, "falls": -1, "form": 1, "other": 0} {
		if got := p.model.KLSign(p.assigned(name)); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// TestFateUnderAName is about what is stored under a name: where objects are read by that name of
// which nothing is known, it may be the same.
func TestFateUnderAName(t *testing.T) {
	for read, lost := range map[string]bool{`batch["advantage"]`: true, `batch.advantage`: true, `batch.get("advantage")`: true, `batch["returns"]`: false} {
		p := derive(t, `
kept = {"advantage": torch.randn(3).exp()}
def train(batch):
    return `+read+`.mean()
`)
		if fate := p.model.FateOf(p.res.Made("exp")...); fate.Lost != lost {
			t.Errorf("%s: lost %v, want %v (%s)", read, fate.Lost, lost, fate.Why)
		}
	}
}
