package roles_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/rl/roles"
)

var termKinds = map[roles.TermKind]string{
	roles.OtherTerm: "other", roles.PolicyTerm: "policy", roles.ValueTerm: "value", roles.EntropyTerm: "entropy", roles.KLTerm: "kl",
}

// terms describes what backward() is called on, a term a line: sign, the sign that is meant, weights, kind, text.
func (p program) terms() (out []string) {
	for _, l := range p.model.Losses() {
		for _, t := range l.Terms {
			line := fmt.Sprintf("%+d %+d", t.Sign, t.Meant)
			for _, w := range t.Weights {
				line += " " + p.source(w.Val)
			}
			line += " " + termKinds[t.Kind]
			if t.Formula {
				line += fmt.Sprintf(" counts %+d", t.Counts())
			}
			out = append(out, line+": "+p.source(t.Val))
		}
	}
	return out
}

func TestTerms(t *testing.T) {
	const given = `
import torch.nn.functional as F
from torch.distributions import Categorical, kl_divergence
net, critic = nn.Linear(4, 2), nn.Linear(4, 1)
opt = torch.optim.Adam(list(net.parameters()) + list(critic.parameters()), lr=1e-3)
obs, actions, old, adv, ret = torch.load("batch.pt")
with torch.no_grad():
    old = torch.log_softmax(net(obs), -1).gather(-1, actions)
    ref_logits = net(obs)
    adv = ret - critic(obs)
logits = net(obs)
dist = Categorical(logits=logits)
logp = torch.log_softmax(logits, -1).gather(-1, actions)
ratio = torch.exp(logp - old)
`
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a sum with constants", `
pg = torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
vf = F.mse_loss(critic(obs), ret)
loss = -pg + 0.5 * vf - 0.01 * dist.entropy().mean()
loss.backward()
`, []string{
			"-1 -1 policy: torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv)",
			"+1 +1 0.5 value: F.mse_loss(critic(obs), ret)",
			"-1 -1 0.01 entropy counts -1: dist.entropy()",
		}},
		{"signs through minus, negative factors, quotients and helpers", `
def total(a, b, c):
    return sum([a, b / -2, -(0 - c)])
total(-(logp * adv).mean(), -1 * dist.entropy().mean(), kl_divergence(dist, Categorical(logits=ref_logits)).mean()).backward()
`, []string{
			"-1 -1 policy: logp * adv",
			"+1 +1 -2 -1 entropy counts +1: dist.entropy()",
			"+1 +1 kl counts +1: kl_divergence(dist, Categorical(logits=ref_logits))",
		}},
		{"a setting of unknown sign is meant not to be negative", `
def step(beta, mask):
    kl = torch.exp(old - logp) - (old - logp) - 1
    loss = -(logp * adv).mean() - beta * (kl * mask).sum() / mask.sum()
    loss.backward()
`, []string{
			"-1 -1 policy: logp * adv",
			"+0 -1 mask.sum() beta mask kl counts -1: torch.exp(old - logp) - (old - logp) - 1",
		}},
		{"p * log p is the negative entropy", `
p = torch.softmax(logits, -1)
loss = -(logp * adv).mean() + 0.01 * (p * torch.log_softmax(logits, -1)).sum(-1).mean()
loss.backward()
`, []string{
			"-1 -1 policy: logp * adv",
			"+1 +1 0.01 entropy counts -1: p * torch.log_softmax(logits, -1)",
		}},
		{"a mean of a log-ratio is a KL whose sign its form does not show", `
loss = -(logp * adv).mean() + 0.1 * (logp - old).mean()
loss.backward()
`, []string{
			"-1 -1 policy: logp * adv",
			"+1 +1 0.1 kl: logp - old",
		}},
		{"the clipped loss of a critic; something else", `
v = critic(obs)
loss = torch.max((v - ret) ** 2, (v.clamp(-1, 1) - ret) ** 2).mean() + logits.sum()
loss.backward()
`, []string{
			"+1 +1 value: torch.max((v - ret) ** 2, (v.clamp(-1, 1) - ret) ** 2)",
			"+1 +1 other: net(obs)",
		}},
		{"estimators that a setting chooses between", `
def estimate(a, b, how):
    d = a.float() - b.float()
    if how == "k2":
        d = d**2 / 2.0
    elif how == "k3":
        d = (-d).exp() - 1 + d
    return d.clamp(min=-10, max=10)
def train(model, batch, cfg):
    new = model(batch["x"])
    r = (new - batch["old"]).exp()
    gain = torch.min(r * batch["adv"], r.clamp(0.8, 1.2) * batch["adv"])
    (-gain + 0.1 * estimate(new, batch["ref"], cfg.how)).mean().backward()
`, []string{
			`-1 -1 policy: torch.min(r * batch["adv"], r.clamp(0.8, 1.2) * batch["adv"])`,
			"+1 +1 0.1 2.0 value: d**2",
			"+1 +1 0.1 kl counts +1: (-d).exp() - 1 + d",
			`+1 +1 0.1 other: model(batch["x"])`,
			"-1 -1 0.1 other: ?",
		}},
		{"some elements are replaced, some are chosen", `
def train(chosen, share):
    d = logp - old
    loss = -adv * d.exp()
    pulled = -adv * d.exp() + 0.5 * d.abs()
    loss[chosen] = pulled[chosen]
    (loss.mean() / share).backward()
`, []string{
			"+0 +1 share policy: -adv * d.exp()",
			"+0 +1 share policy: -adv * d.exp()",
			"+0 +1 share 0.5 kl counts +1: d.abs()",
		}},
		{"a KL that is kept from falling below a bound", `
loss = F.mse_loss(critic(obs), ret) + kl_divergence(dist, Categorical(logits=ref_logits)).mean().clamp(min=1.0)
loss.backward()
`, []string{
			"+1 +1 value: F.mse_loss(critic(obs), ret)",
			"+1 +1 kl counts +1: kl_divergence(dist, Categorical(logits=ref_logits))",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if d := cmp.Diff(test.want, derive(t, given+test.text).terms()); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestAskedTerms is about losses that a trainer of a library asks for: alone, or beside what is logged.
func TestAskedTerms(t *testing.T) {
	const given = `
import torch.nn.functional as F
import pytorch_lightning as pl
from transformers import Trainer
from trl import CPOTrainer
`
	tests := []struct {
		name, text string
		want       []string
	}{
		{"first of several", `
class T(Trainer):
    def compute_loss(self, model, inputs):
        y = model(inputs.x)
        loss = F.mse_loss(y, inputs.y)
        return loss, {"y": y}
`, []string{"+1 +1 value: F.mse_loss(y, inputs.y)"}},
		{"by its name in a dict", `
class T(pl.LightningModule):
    def training_step(self, batch):
        loss = F.mse_loss(self.net(batch.x), batch.y)
        return {"loss": loss, "size": len(batch.x)}
`, []string{"+1 +1 value: F.mse_loss(self.net(batch.x), batch.y)"}},
		{"a trainer's own method", `
class T(CPOTrainer):
    def get_batch_loss_metrics(self, model, batch, train_eval="train"):
        return F.mse_loss(model(batch.x), batch.y), {}
`, []string{"+1 +1 value: F.mse_loss(model(batch.x), batch.y)"}},
		{"another method is asked for no loss", `
class T(Trainer):
    def get_batch_loss_metrics(self, model, batch, train_eval="train"):
        return F.mse_loss(model(batch.x), batch.y), {}
`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, derive(t, given+tt.text).terms()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
