package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// book is a notebook whose second code cell divides by 0 where all rewards are equal.
const book = `{
 "cells": [
  {"cell_type": "markdown", "metadata": {}, "source": ["# GRPO"]},
  {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1, "source": ["%matplotlib inline\n", "import torch\n", "policy = torch.nn.Linear(4, 2)\n", "optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)"]},
  {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 2, "source": ["def advantages(rewards: torch.Tensor):\n", "    return (rewards - rewards.mean()) / rewards.std()"]},
  {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 3, "source": ["for step in range(20):\n", "    dist = torch.distributions.Categorical(logits=policy(torch.randn(4, 4)))\n", "    actions = dist.sample()\n", "    loss = -(dist.log_prob(actions) * advantages((actions > 5).float())).mean()\n", "    optimizer.zero_grad()\n", "    loss.backward()"]}
 ],
 "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5
}
`

// TestConfirmNotebook: the cells of a notebook run in order as one program, and its
// findings are judged and fixed as those of a script.
func TestConfirmNotebook(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "book.ipynb")
	if err := os.WriteFile(path, []byte(book), 0o644); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, root)
	out, code := confirmScripts(t, "--seeds", "0", "--select", "ADV009", path)
	if code != exitFindings || len(out.Findings) != 1 {
		t.Fatalf("exit code %d, %v", code, out)
	}
	if v := out.Findings[0].Confirmation; v.Verdict != "confirmed" || v.Fix.Verdict != "fixed" {
		t.Errorf("%s: %s; the fix: %s: %s", v.Verdict, v.Reason, v.Fix.Verdict, v.Fix.Reason)
	}
	if v := out.Findings[0].Confirmation; !slices.Equal(v.Seeds[0].Stack, []string{"book.ipynb:cell 4:4 <module>", "book.ipynb:cell 3:2 advantages"}) {
		t.Errorf("the calls are %q", v.Seeds[0].Stack)
	}
	if after := snapshot(t, root); after != before {
		t.Errorf("the project has changed:\n%s\nwas\n%s", after, before)
	}
}
