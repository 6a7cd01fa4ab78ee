package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/torchtest"
)

// hunted runs `rlvet hunt` with torch in a copy of a folder, which has to be afterwards what
// it was before; nothing may be left in the folder for temporary files.
func hunted(t *testing.T, root string, args ...string) (*hunt.Result, int) {
	t.Helper()
	python := torchtest.Python(t, "programs with torch are NOT hunted in")
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	before := snapshot(t, root)
	a, stdout, stderr := newApp("")
	code := Main(append([]string{"hunt", "--python", python, "--isolated", "--output-format", "json"}, args...), a.Env)
	r := &hunt.Result{}
	if err := json.Unmarshal([]byte(stdout.String()), r); err != nil {
		t.Fatalf("%v\nexit code %d\n%s%s", err, code, stdout, stderr)
	}
	if after := snapshot(t, root); after != before {
		t.Errorf("the project has changed:\n%s\nwas\n%s", after, before)
	}
	if left, _ := os.ReadDir(temporary); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return r, code
}

// fault is a copy of a program with a planted fault, and the line that is marked in it.
func fault(t *testing.T, name string) (root, script string, row int) {
	t.Helper()
	root = copyOf(t, filepath.Join("..", "..", "testdata", "hunt", "faults", name))
	script = filepath.Join(root, "train.py")
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	before, _, marked := strings.Cut(string(text), "# first bad")
	if !marked {
		t.Fatalf("%s has no mark", name)
	}
	return root, script, 1 + strings.Count(before, "\n")
}

// TestHuntNaN: some seeds of a GRPO trainer divide by a standard deviation of 0. The line is
// named, the rule that explains it, and its fix works.
func TestHuntNaN(t *testing.T) {
	root, script, row := fault(t, "advantage_std_zero")
	r, code := hunted(t, root, "--seeds", "0,1", "--jobs", "2", script)
	if code != exitFindings || r.Failure == nil || r.Failure.Seed != 1 || !r.Reproduced || !*r.Deterministic {
		t.Fatalf("exit code %d, %+v, reproduced %v", code, r.Failure, r.Reproduced)
	}
	if b := r.FirstBad; b == nil || b.Filename != script || b.Row != row || b.Phase != "forward" || len(b.Statistics.Outputs) == 0 || b.Statistics.Outputs[0].NaN == 0 {
		t.Errorf("the first bad one is %+v, want line %d", b, row)
	}
	if len(r.Findings) != 1 || r.Findings[0].Code != "ADV009" {
		t.Errorf("it is explained by %v", r.Findings)
	}
	if f := r.Fix; f.Verdict != "fixed" || f.Source != "ADV009" || f.Before.Failed != 1 || f.After.Failed != 0 || *f.Bound != harness.Bound(2) || len(f.Reached) != 1 || *f.Reached[0].Hits == 0 {
		t.Errorf("the fix is %+v", f)
	}
}

// fixed is a patch for the program whose backward forgets the factor 2.
const fixed = `--- a/train.py
+++ b/train.py
@@ -17,3 +17,3 @@
     def backward(ctx, grad_output):
         (positive,) = ctx.saved_tensors
-        return grad_output * positive  # first bad
+        return grad_output * FACTOR * positive
`

// TestHuntGradient: nothing turns non-finite, and yet a gradient is half of what it should
// be. A patch that makes it right is a fix; one that makes it another wrong one is none.
func TestHuntGradient(t *testing.T) {
	root, script, row := fault(t, "gradient_factor")
	for factor, want := range map[string]string{"2": "fixed", "3": "not-fixed"} {
		patch := filepath.Join(t.TempDir(), "fix.patch")
		writeBelow(t, patch, strings.Replace(fixed, "FACTOR", factor, 1))
		r, code := hunted(t, root, "--seeds", "0", "--fix", patch, script)
		if code != exitFindings || r.Failure != nil || len(r.Gradients) == 0 {
			t.Fatalf("exit code %d, %+v, %v", code, r.Failure, r.Gradients)
		}
		if g := r.Gradients[0]; g.Function != "SquaredReLU" || g.Verdict != "wrong" || g.Row != row || g.Pattern == nil || *g.Pattern != "constant factor 0.5" {
			t.Errorf("%+v, want line %d", g, row)
		}
		if r.Fix.Verdict != want {
			t.Errorf("times %s is %s: %s", factor, r.Fix.Verdict, r.Fix.Reason)
		}
	}
}

// loop is a program that learns a line; what stands for STEP is done once an update.
const loop = `import sys, time
import torch

BEFORE
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(12):
    x = torch.rand(8, 3)
    STEP
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
`

// looped is a project of that program.
func looped(t *testing.T, before, step string) (root, script string) {
	t.Helper()
	root = t.TempDir()
	script = filepath.Join(root, "train.py")
	writeBelow(t, filepath.Join(root, "pyproject.toml"), "")
	writeBelow(t, script, strings.NewReplacer("BEFORE", before, "STEP", step).Replace(loop))
	return root, script
}

// TestHuntNothing: a program that is right has a clean bill with its bound, and no more.
func TestHuntNothing(t *testing.T) {
	root, script := looped(t, "pass", "pass")
	r, code := hunted(t, root, "--until-nan", "2", "--jobs", "2", script)
	if code != exitClean || r.Failure != nil || r.FirstBad != nil || len(r.Findings) > 0 || r.Fix.Verdict != "not-tried" {
		t.Errorf("exit code %d, %+v", code, r)
	}
	if r.Bound == nil || *r.Bound != harness.Bound(2) || len(r.Seeds) != 2 || len(r.Seeds[0].Losses) != 12 {
		t.Errorf("the bound is %v; %+v", r.Bound, r.Seeds)
	}
	for _, g := range r.Gradients {
		if g.Verdict == "wrong" {
			t.Errorf("%s is accused: %s", g.Function, g.Why())
		}
	}
}

// TestHuntTrouble: what is no failure of training is said as what it is, and is no result.
func TestHuntTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		before, step string
		args         []string
		want         string
	}{
		"raises":          {"pass", "{}['info']", nil, "seed 0: it raised KeyError: 'info' (train.py:9); make it run first"},
		"asks":            {"input()", "pass", nil, "(train.py:4); it asks at the keyboard (input()), and a run has no keyboard"},
		"lacks a module":  {"import nothing_of_this_name", "pass", nil, " -m pip install nothing_of_this_name`"},
		"wants arguments": {"import argparse; p = argparse.ArgumentParser(); p.add_argument('f'); p.parse_args()", "pass", nil, "seed 0: it ended with exit code 2 (train.py: error: the following arguments are required: f); make it run first"},
		"does not train":  {"raise SystemExit", "pass", nil, "it never called backward() or an optimizer: there was nothing to watch"},
		"never ends":      {"pass", "time.sleep(60)", []string{"--timeout", "8s"}, "seed 0: it ran out of time; give it more with --timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			root, script := looped(t, c.before, c.step)
			r, code := hunted(t, root, append(c.args, "--seeds", "0", "--no-gradients", script)...)
			if code != exitFailure || !strings.Contains(r.Error, c.want) {
				t.Errorf("exit code %d, %q, want %q", code, r.Error, c.want)
			}
		})
	}
}

// TestHuntReserved: what memory happens to hold when it is reserved is no bad value until
// the program reads it. A message with "inf" in it is looked into, as one about infinity is.
func TestHuntReserved(t *testing.T) {
	const reserve = `dirty = [torch.full((48,), 0x7FC00000, dtype=torch.int32) for _ in range(1000)]
del dirty
reserved = [torch.empty(48) for _ in range(1000)]`
	t.Run("unread", func(t *testing.T) {
		root, script := looped(t, reserve, "{}['info']")
		r, code := hunted(t, root, "--seeds", "0", "--no-gradients", script)
		if code != exitFailure || !strings.Contains(r.Error, "it raised KeyError: 'info'") {
			t.Errorf("exit code %d, %q; %+v", code, r.Error, r.FirstBad)
		}
	})
	t.Run("asked about", func(t *testing.T) {
		root, script := looped(t, reserve, "if any(torch.isnan(r).any() for r in reserved): raise ValueError('NaN')")
		r, code := hunted(t, root, "--seeds", "0", "--no-gradients", script)
		if code != exitFindings || r.FirstBad == nil || r.FirstBad.Op != "empty" || r.FirstBad.Row != 6 {
			t.Errorf("exit code %d, %q; %+v", code, r.Error, r.FirstBad)
		}
	})
}

// TestHuntParts: data that depend on time make another run of the same seed, and that is
// said.
func TestHuntParts(t *testing.T) {
	root, script := looped(t, "pass", "x = x + time.time() % 1; x = x / (step != 9)")
	r, code := hunted(t, root, "--seeds", "3", "--no-gradients", script)
	if code != exitFindings || r.FirstBad == nil || r.FirstBad.Row != 9 {
		t.Fatalf("exit code %d, %+v", code, r.FirstBad)
	}
	if *r.Deterministic || r.Difference.Cause != "data" || !r.Reproduced {
		t.Errorf("deterministic %v, %+v", *r.Deterministic, r.Difference)
	}
}

// TestHuntNotebook: the cells of a notebook run as one program, and the first bad value is
// in one of them.
func TestHuntNotebook(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "book.ipynb")
	writeBelow(t, path, book)
	writeBelow(t, filepath.Join(root, "pyproject.toml"), "")
	r, code := hunted(t, root, "--seeds", "0", "--no-gradients", path)
	if code != exitFindings || r.FirstBad == nil || r.FirstBad.Filename != path || r.FirstBad.Cell != 3 || r.FirstBad.Row != 2 {
		t.Fatalf("exit code %d, %+v", code, r.FirstBad)
	}
	if len(r.Findings) != 1 || r.Findings[0].Code != "ADV009" || r.Fix.Verdict != "fixed" {
		t.Errorf("%v; %s: %s", r.Findings, r.Fix.Verdict, r.Fix.Reason)
	}
}
