package hunt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/harness"
)

const (
	trainer = "import torch\n\ndef gate(x, y):\n    return x / y\n\nprint(gate(1, 2))\n"
	patch   = `diff --git a/train.py b/train.py
--- a/train.py
+++ b/train.py
@@ -2,5 +2,6 @@
 
 def gate(x, y):
-    return x / y
+    y = y + 1e-8
+    return x / y
 
 print(gate(1, 2))
`
)

// projectWith is a project of one program, and a patch beside it.
func projectWith(t *testing.T, patch string) (root, path string) {
	t.Helper()
	root = t.TempDir()
	path = filepath.Join(t.TempDir(), "fix.patch")
	for name, text := range map[string]string{filepath.Join(root, "train.py"): trainer, path: patch} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root, path
}

// TestReadPatch: patches as git, diff and people write them give the same change; its
// lines are counted as they are afterwards.
func TestReadPatch(t *testing.T) {
	lines := []Lines{{"train.py", 4, 5}}
	removed := "--- train.py\n+++ train.py\n@@ -1,3 +1,2 @@\n import torch\n-\n def gate(x, y):\n"
	for name, c := range map[string]struct {
		patch string
		lines []Lines
	}{
		"git":             {patch, lines},
		"diff -u":         {strings.SplitN(patch, "\n", 2)[1], lines},
		"without a and b": {strings.NewReplacer("a/", "", "b/", "").Replace(strings.SplitN(patch, "\n", 2)[1]), lines},
		"with a message":  {"From me: fix the gate\n\n" + patch, lines},
		"removes a line":  {removed, []Lines{{"train.py", 2, 2}}},
		"a new file":      {patch + "diff --git a/new.py b/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+x = 1\n+y = 2\n", append(lines[:1:1], Lines{"new.py", 1, 2})},
	} {
		t.Run(name, func(t *testing.T) {
			root, path := projectWith(t, c.patch)
			change, err := ReadPatch(path, root)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.lines, change.Lines); diff != "" {
				t.Error(diff)
			}
			if text, _ := os.ReadFile(filepath.Join(root, "train.py")); string(text) != trainer {
				t.Error("the program itself was changed")
			}
		})
	}
	root, path := projectWith(t, patch)
	below := filepath.Join(filepath.Dir(root), "below")
	if err := os.Rename(root, below); err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("a/train.py", "a/below/train.py", "b/train.py", "b/below/train.py").Replace(patch)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if change, err := ReadPatch(path, below); err != nil || change.Lines[0].File != "train.py" {
		t.Errorf("a patch of the repository around the project: %+v, %v", change, err)
	}
}

// TestPatchesThatDoNotFit: one clear line, whatever is wrong with a patch.
func TestPatchesThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct{ patch, want string }{
		"is empty":           {"", "fix.patch holds no changes; make a patch with git diff > FILE.patch"},
		"is prose":           {"please fix it", "fix.patch holds no changes; make a patch with git diff > FILE.patch"},
		"is cut off":         {patch[:120], "fix.patch is not a readable patch: "},
		"of another file":    {strings.ReplaceAll(patch, "train.py", "other.py"), "does not apply: there is no other.py in the project"},
		"of another text":    {strings.Replace(patch, "def gate(x, y)", "def gate(x)", 1), "does not apply: train.py: line 3 of the file is not the one that the patch changes; make the patch again"},
		"removes a file":     {"diff --git a/train.py b/train.py\ndeleted file mode 100644\n--- a/train.py\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-import torch\n", "it removes or renames train.py"},
		"leads out":          {strings.ReplaceAll(patch, "/train.py", "/../../etc/passwd"), "does not apply: there is no"},
		"changes a notebook": {strings.ReplaceAll(patch, "train.py", "book.ipynb"), "book.ipynb is a notebook"},
	} {
		t.Run(name, func(t *testing.T) {
			root, path := projectWith(t, c.patch)
			_, err := ReadPatch(path, root)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestFix: a fix is one only where every seed is clean, a changed line was run under each,
// and the gradient that was wrong is right.
func TestFix(t *testing.T) {
	const wrongGate = `{"functions": [{"function": "Gate", "filename": "train.py", "row": 4, "module": "policy", "verdict": "%s", "reason": "off by a half", "pattern": null, "order": 1, "calls": 3}]}`
	hit := func(n string) string {
		return `{"lines": [{"file": "train.py", "row": 4, "end_row": 5, "hits": ` + n + `}]}`
	}
	for name, c := range map[string]struct {
		after   func(seed int) ran
		verdict string // of the gradient afterwards
		hits    string
		want    string
	}{
		"fixes":                  {func(int) ran { return ran{} }, "right", "40", "fixed: 2 of 2 seeds clean, 1 before; 0 of 1 gradients wrong, 1 before"},
		"still fails":            {func(seed int) ran { return ran{failure: map[bool]string{true: nanLoss}[seed == 9]} }, "right", "40", "not-fixed: seed 9 still fails, at step 9: the loss is nan"},
		"is never run":           {func(int) ran { return ran{} }, "right", "0", "not-fixed: seed 7 never ran a changed line, so it proves nothing about the fix"},
		"is a comment":           {func(int) ran { return ran{} }, "right", "null", "not-fixed: seed 7 never ran a changed line, so it proves nothing about the fix"},
		"hides a wrong gradient": {func(int) ran { return ran{} }, "wrong", "40", "not-fixed: the gradient of Gate is still wrong: off by a half"},
		"cannot be tried":        {func(int) ran { return ran{} }, "untested", "40", "not-fixed: the gradient of Gate was wrong, and could not be checked again: off by a half"},
		"breaks the program":     {func(int) ran { return ran{status: "crash", crash: &harness.Crash{Type: "NameError", Message: "no y"}} }, "right", "40", "not-fixed: seed 7 of the fixed program did not finish: it raised NameError: no y"},
	} {
		t.Run(name, func(t *testing.T) {
			root, path := projectWith(t, patch)
			change, err := ReadPatch(path, root)
			if err != nil {
				t.Fatal(err)
			}
			job := &Job{Fix: change, Gradients: true, Plan: harness.Plan{Root: root, Seeds: []int{7, 9}}}
			r, s := hunted(t, job, func(p harness.Plan, seed, _ int) ran {
				out := ran{}
				verdict := "wrong"
				if len(p.Overlay) > 0 {
					out, verdict = c.after(seed), c.verdict
				} else if seed == 7 {
					out.failure = nanLoss
				}
				out.files = map[string]string{"guards": losses, "reached": hit(c.hits), "localise": fmt.Sprintf(bad, "null")}
				if has(p, derivatives) {
					out.files["derivatives"] = fmt.Sprintf(wrongGate, verdict)
				}
				return out
			})
			if got := r.Fix.Verdict + ": " + r.Fix.Reason; got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if (r.Fix.Bound != nil) != (r.Fix.Verdict == "fixed") || r.Fix.Before.Failed != 1 || len(r.Fix.After.Seeds) != 2 {
				t.Errorf("%+v", r.Fix)
			}
			if last := s.asked[len(s.asked)-2:]; last[0] != "7: guards reached derivatives changed" || last[1] != "9: guards reached changed" {
				t.Errorf("what was run: %q", s.asked)
			}
		})
	}
}

// TestStillChanged: what backward needs must not be changed any more.
func TestStillChanged(t *testing.T) {
	const changed = `{"changed": [{"filename": "train.py", "row": 4, "column": 5, "op": "add_", "source": "x.data += 1", "saved_filename": "train.py", "saved_row": 3, "saved_source": "y = x.exp()", "step": 2, "shape": [4]}]}`
	for want, after := range map[string]string{"fixed": `{"changed": []}`, "not-fixed: a value that backward needs is still changed in place at train.py:4": changed} {
		root, path := projectWith(t, patch)
		change, err := ReadPatch(path, root)
		if err != nil {
			t.Fatal(err)
		}
		r, _ := hunted(t, &Job{Fix: change, Gradients: true, Plan: harness.Plan{Root: root, Seeds: []int{7}}}, func(p harness.Plan, _, _ int) ran {
			files := map[string]string{"guards": losses, "inplace": changed, "reached": `{"lines": [{"file": "train.py", "row": 4, "end_row": 5, "hits": 3}]}`}
			if len(p.Overlay) > 0 {
				files["inplace"] = after
			}
			return ran{files: files}
		})
		if got := r.Fix.Verdict + ": " + r.Fix.Reason; !strings.HasPrefix(got, want) || len(r.Fix.Before.Changed) != 1 {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestNothingToFix: a fix of a program that does not fail is not called one.
func TestNothingToFix(t *testing.T) {
	root, path := projectWith(t, patch)
	change, err := ReadPatch(path, root)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := hunted(t, &Job{Fix: change, Plan: harness.Plan{Root: root}}, func(harness.Plan, int, int) ran { return ran{files: map[string]string{"guards": losses}} })
	if r.Fix.Verdict != "not-tried" || !strings.HasPrefix(r.Fix.Reason, "nothing failed before") {
		t.Errorf("%+v", r.Fix)
	}
}
