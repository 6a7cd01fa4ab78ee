// Package kl_test holds the rules of this family together against whole programs.
package kl_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/analyzers/kl/fkldivmisuse"
	"github.com/rlvet/rlvet/analyzers/kl/inplaceklalias"
	"github.com/rlvet/rlvet/analyzers/kl/k1inloss"
	"github.com/rlvet/rlvet/analyzers/kl/klcoefunused"
	"github.com/rlvet/rlvet/analyzers/kl/kldetachedinloss"
	"github.com/rlvet/rlvet/analyzers/kl/klmissinginloss"
	"github.com/rlvet/rlvet/analyzers/kl/klsign"
	"github.com/rlvet/rlvet/analyzers/kl/noklnoclip"
	"github.com/rlvet/rlvet/analyzers/kl/refaliasespolicy"
	"github.com/rlvet/rlvet/analyzers/kl/refwithgrad"
	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/linttest"
)

var family = []*analysis.Analyzer{
	fkldivmisuse.Analyzer,
	inplaceklalias.Analyzer,
	k1inloss.Analyzer,
	klcoefunused.Analyzer,
	kldetachedinloss.Analyzer,
	klmissinginloss.Analyzer,
	klsign.Analyzer,
	noklnoclip.Analyzer,
	refaliasespolicy.Analyzer,
}

// programs are the marked programs: what is marked is found, and nothing else.
var programs = []string{
	"ok/*.py", "ok/*.ipynb", "grpo/*", "trainers/*.py", "projects/*.txtar", "disguise/*.py",
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p, func(t *testing.T) { linttest.Marked(t, "../../testdata/"+p, family...) })
	}
}

// A copy towards which a critic is trained is called what it is, a target network.
func TestTargetNetwork(t *testing.T) {
	const program = `import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

critic = nn.Linear(4, 1)
target_critic = copy.deepcopy(critic)
optimizer = torch.optim.Adam(critic.parameters())

for _ in range(4):
    s, s2, r, done = torch.randn(8, 4), torch.randn(8, 4), torch.randn(8), torch.zeros(8)
    y = r + 0.99 * (1 - done) * target_critic(s2).squeeze(1)
    q = critic(s).squeeze(1)
    lag = (q - target_critic(s).squeeze(1)).abs().mean().item()
    loss = F.mse_loss(q, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
`
	found, err := engine.Check(t.Context(), []string{"train.py"}, engine.Options{
		Analyzers: []*analysis.Analyzer{refwithgrad.Analyzer}, Overlay: map[string][]byte{"train.py": []byte(program)},
	})
	if err != nil || len(found.Findings) != 1 || found.Findings[0].Message != "gradients of the loss flow through the target network" {
		t.Errorf("%v: %+v", err, found.Findings)
	}
}
