package emit

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/torchtest"
)

// spread turns NaN in the backward of a method whose values are equal at first.
const spread = `import torch

SIZE = 4


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.logits = torch.nn.Parameter(torch.zeros(SIZE))
        self.scale = {"spread": (0.5, lambda: 0)}

    def forward(self):
        return torch.log_softmax(self.logits, -1)

    def spread(self, more=()):
        variance = (self.logits - self.logits.mean()).pow(2).mean()
        return torch.sqrt(variance)


policy = Policy()
optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
for update in range(4):
    loss = -policy()[0] + 0.1 * policy.spread()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
`

// inline turns NaN in a line that is in no function.
const inline = `import torch

weight = torch.nn.Parameter(torch.zeros(3))
optimizer = torch.optim.SGD([weight], lr=0.1)
for update in range(4):
    loss = torch.sqrt(weight.pow(2).sum())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
`

// gate has a wrong backward, in a module of a package, and trains on.
const (
	gate = `import torch


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, power=2):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x, None
`
	gated = `import torch
from layers.gates import Gate

weight = torch.nn.Parameter(torch.randn(5))
optimizer = torch.optim.SGD([weight], lr=0.1)
for update in range(3):
    loss = Gate.apply(weight, 2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
`
)

// TestEmittedTests: of each kind of failure a test is written that fails on the program as
// it is and passes with its fix; it does so, too, where it stands in the fixed project, and
// nothing else is written.
func TestEmittedTests(t *testing.T) {
	python, err := harness.FindPython(t.Context(), torchtest.Python(t, "the tests that hunts leave"), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, fixed, old, new string
		files                 map[string]string
		want                  []string
		runs                  bool
	}{
		{"a function of the program", "train.py", "sqrt(variance)", "sqrt(variance + 1e-6)", map[string]string{"train.py": spread}, []string{"test_policy_spread_finite.md", "test_policy_spread_finite.pt", "test_policy_spread_finite.py"}, false},
		{"a line of the script", "train.py", ".sum())", ".sum() + 1e-6)", map[string]string{"train.py": inline}, []string{"test_train_seed_3.md", "test_train_seed_3.py"}, true},
		{"a wrong gradient", "layers/gates.py", "grad_output * x", "2 * grad_output * x", map[string]string{"train.py": gated, "layers/gates.py": gate, "layers/__init__.py": ""}, []string{"test_gate_gradient.md", "test_gate_gradient.pt", "test_gate_gradient.py"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := project(t, c.files)
			fixed := strings.Replace(c.files[c.fixed], c.old, c.new, 1)
			r := emitted(t, root, python, &hunt.Change{Source: "fix.patch", Texts: map[string][]byte{c.fixed: []byte(fixed)}, Lines: []hunt.Lines{{File: c.fixed, Row: 1, EndRow: 30}}})
			if r.Test.Verdict != hunt.TestProved || r.Test.Before != "failed" || r.Test.After != "passed" || r.Test.Runs != c.runs {
				t.Fatalf("the test is %+v, the fix %s: %s; notes %q", r.Test, r.Fix.Verdict, r.Fix.Reason, r.Notes)
			}
			if got := names(t, filepath.Join(root, "tests")); !slices.Equal(got, c.want) {
				t.Errorf("wrote %q, want %q", got, c.want)
			}
			for name, text := range c.files {
				if now, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(now) != text {
					t.Errorf("%s was changed: %v", name, err)
				}
			}
			tries(t, python.Path, r.Files["test"], false)
			if err := os.WriteFile(filepath.Join(root, c.fixed), []byte(fixed), 0o600); err != nil {
				t.Fatal(err)
			}
			tries(t, python.Path, r.Files["test"], true)
		})
	}
}

// TestWithoutAFix: the test fails now, and it says that no more is proved; where somebody's
// file has its name, that stays.
func TestWithoutAFix(t *testing.T) {
	python, err := harness.FindPython(t.Context(), torchtest.Python(t, "the tests that hunts leave"), "")
	if err != nil {
		t.Fatal(err)
	}
	root := project(t, map[string]string{"train.py": inline, ".github/workflows/rlvet-hunt.yml": "mine"})
	r := emitted(t, root, python, nil)
	if r.Test.Verdict != hunt.TestFails || r.Test.After != "" || !strings.Contains(r.Test.Reason, "was not seen to pass") {
		t.Errorf("the test is %+v", r.Test)
	}
	if text, err := os.ReadFile(filepath.Join(root, ".github/workflows/rlvet-hunt.yml")); err != nil || string(text) != "mine" || r.Files["workflow"] != "" {
		t.Errorf("the workflow is %s (%v)", text, err)
	}
	if err := os.WriteFile(r.Files["test"], []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := emitter(t, root, python, r)
	if err := e.Emit(t.Context()); err == nil || !strings.Contains(err.Error(), "rlvet did not write it") {
		t.Errorf("error %v", err)
	}
}

func project(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// emitted hunts under one seed and writes a test.
func emitted(t *testing.T, root string, python *harness.Python, fix *hunt.Change) *hunt.Result {
	t.Helper()
	job := &hunt.Job{
		Plan: planOf(root, python), Script: filepath.Join(root, "train.py"), Dir: root, Version: "1.2.3", Gradients: true, Record: 1 << 20,
		Fix: fix, Work: t.TempDir(), Run: run,
	}
	r, err := job.Hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := emitter(t, root, python, r).Emit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func emitter(t *testing.T, root string, python *harness.Python, r *hunt.Result) *Emitter {
	return &Emitter{Result: r, Plan: planOf(root, python), Dir: filepath.Join(root, "tests"), Work: t.TempDir(), Record: 1 << 20, Revision: "v1.2.3", Run: run}
}

func planOf(root string, python *harness.Python) harness.Plan {
	return harness.Plan{Root: root, Script: "train.py", Seeds: []int{3}, Python: python, Isolation: harness.Auto, Device: "cpu"}
}

func run(ctx context.Context, _ string, plans []harness.Plan) ([]*harness.Report, error) {
	return harness.RunAll(ctx, harness.Local{}, plans)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range list {
		found[f.Name()] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// tries runs a test where it stands, by calling its functions.
func tries(t *testing.T, python, test string, passes bool) {
	t.Helper()
	cmd := exec.Command(python, "-B", "-c", "import runpy, sys\nfor name, test in list(runpy.run_path(sys.argv[1]).items()):\n    name.startswith('test_') and test()", test)
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); (err == nil) != passes {
		t.Errorf("%s passes: %v, want %v\n%s", test, err == nil, passes, out)
	}
}
