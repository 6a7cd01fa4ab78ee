package rules_test

import (
	"testing"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
)

// A function is followed for so many calls and no more. What the others do, rules must not take for nothing: each of these
// correct programs calls one helper more often than that.
var refused = map[string]program{
	"soft updates": {
		before: `import copy
import torch
import torch.nn.functional as F
from torch import nn


def soft_update(net, target, tau=0.005):
    for p, q in zip(net.parameters(), target.parameters()):
        q.data.copy_(tau * p.data + (1 - tau) * q.data)

`,
		part: `
qNEW = nn.Linear(4, 2)
tNEW = copy.deepcopy(qNEW)
optNEW = torch.optim.Adam(qNEW.parameters())


def trainNEW(obs, action, reward, next_obs, done):
    target = reward + 0.99 * (1 - done) * tNEW(next_obs).max(1).values.detach()
    loss = F.mse_loss(qNEW(obs).gather(1, action).squeeze(1), target)
    optNEW.zero_grad()
    loss.backward()
    optNEW.step()
    soft_update(qNEW, tNEW)

`,
	},
	"backward in a method": {
		before: `import torch
from torch import nn


class Trainer:
    def __init__(self, net, epochs):
        self.net, self.epochs = net, epochs
        self.opt = torch.optim.Adam(net.parameters())

    def differentiate(self, x):
        self.net(x).pow(2).mean().backward()

`,
		part: `
class TrainerNEW(Trainer):
    def train(self, batches):
        self.opt.zero_grad()
        for x in batches:
            for _ in range(self.epochs):
                self.differentiate(x)
                self.opt.step()
                self.opt.zero_grad()


TrainerNEW(nn.Linear(4, 2), 3).train(torch.randn(9, 8, 4))
`,
	},
	"step in a helper": {
		before: `import torch
from torch import nn


def advance(opt):
    torch.nn.utils.clip_grad_norm_([p for g in opt.param_groups for p in g["params"]], 1.0)
    opt.step()

`,
		part: `
netNEW = nn.Linear(4, 2)
optNEW = torch.optim.Adam(netNEW.parameters())


def updateNEW(batches):
    for x in batches:
        optNEW.zero_grad()
        netNEW(x).pow(2).mean().backward()
        advance(optNEW)

`,
	},
}

func TestRefusedCalls(t *testing.T) {
	for name, p := range refused {
		t.Run(name, func(t *testing.T) {
			res := checkText(t, p.text(40))
			if res.Stats.Values.ContextHits == 0 {
				t.Fatal("every call was followed: the program is too short")
			}
			for _, f := range res.Findings {
				if f.Code != pass.Unheard.Name && f.Evidence != finding.NameOnly {
					t.Errorf("%d: %s %s", f.Range.Start.Row, f.Code, f.Message)
				}
			}
		})
	}
}
