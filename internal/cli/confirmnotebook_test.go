package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/torchtest"
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

// TestUnfinishedNotebook: a notebook runs as a whole, so no statement of it is skipped.
func TestUnfinishedNotebook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "book.ipynb")
	writeBelow(t, path, strings.Replace(book, "loss.backward()", "loss.backward(", 1))
	for _, verb := range []string{"confirm", "hunt"} {
		a, _, stderr := newApp("")
		code := Main([]string{verb, "--isolated", path}, a.Env)
		if want := "cell 4:6: `(` is never closed; finish the cell or delete it, since a notebook is run as a whole\n"; code != exitFailure || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d and %q, want %q", verb, code, stderr, want)
		}
	}
}

// TestNotebookTracebacks: what a notebook prints is shown as it is, but where Python names a line of the script that its
// cells run as, that is told by cell, in the runs of a fix too.
func TestNotebookTracebacks(t *testing.T) {
	python := torchtest.Python(t, "programs with torch are NOT run and judged")
	root := t.TempDir()
	path, page := filepath.Join(root, "book.ipynb"), filepath.Join(root, "page.html")
	raising := strings.Replace(book, `"    loss.backward()"]`, `"    loss.backward()\n", "print('File \\\"x.py\\\", line 3')\n", "raise ValueError('enough')"]`, 1)
	if err := os.WriteFile(path, []byte(raising), 0o644); err != nil {
		t.Fatal(err)
	}
	for verb, more := range map[string][]string{"confirm": {"--select", "ADV009", "--html", page}, "hunt": {"--no-gradients"}, "watch": nil} {
		a, stdout, stderr := newApp("")
		Main(append(append([]string{verb, "--python", python, "--seeds", "0", "--show-output"}, more...), path), a.Env)
		for _, line := range []string{"File \"x.py\", line 3\n", "/book.ipynb\", cell 4, line 8, in <module>\n", "ValueError: enough\n"} {
			if !strings.Contains(stderr.String(), line) {
				t.Errorf("%s does not say %s:\n%s%s", verb, line, stderr, stdout)
			}
		}
		if strings.Contains(stderr.String()+stdout.String(), "_ipynb.py") {
			t.Errorf("%s names a script that nobody has:\n%s%s", verb, stderr, stdout)
		}
	}
	evidence, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(evidence), "/book.ipynb&quot;, cell 4, line 8, in") || strings.Contains(string(evidence), "_ipynb.py") {
		t.Errorf("%v: the traceback of the page names no cell", err)
	}
}
