package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/pagetest"
)

// groups divides by the spread of groups of rewards, some of which are all equal.
const groups = `import torch


def advantages(rewards):
    return (rewards - rewards.mean(1, keepdim=True)) / rewards.std(1, keepdim=True)


torch.manual_seed(0)
for step in range(30):
    advantages(torch.bernoulli(torch.full((8, 4), 0.5)))
`

// TestConfirmPage: the page of a run names the verdict, and draws what was seen before the
// fix and after it.
func TestConfirmPage(t *testing.T) {
	root := t.TempDir()
	script, page := filepath.Join(root, "groups.py"), filepath.Join(root, "page.html")
	if err := os.WriteFile(script, []byte(groups), 0o644); err != nil {
		t.Fatal(err)
	}
	out, code := confirmScripts(t, "--select", "ADV009", "--seeds", "3", "--html", page, script)
	if code != exitFindings || len(out.Findings) != 1 {
		t.Fatalf("exit code %d, findings %v", code, out.Findings)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pagetest.Elements(strings.NewReader(string(text))); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"groups.py: 1 of 1 finding confirmed", "Confirmed: seen in 1 of 1 run.", "Smallest denominator, before the fix", "Smallest denominator, after the fix",
		"smallest denominator by evaluation for seed 3, from 0 to ", "and the mistake is gone", "1e-8",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
