package observe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/torchtest"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/rules"
)

// project writes the files of an archive, with the old text of each pair replaced by the new one.
func project(t *testing.T, archive string, pairs ...string) string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	a.Files = append(a.Files, txtar.File{Name: "pyproject.toml"})
	done := 0
	for _, f := range a.Files {
		text := string(f.Data)
		for pair := range slices.Chunk(pairs, 2) {
			done += strings.Count(text, pair[0])
			text = strings.ReplaceAll(text, pair[0], pair[1])
		}
		if err := os.WriteFile(filepath.Join(root, f.Name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if done != len(pairs)/2 {
		t.Fatalf("%s: %d replacements of %d", archive, done, len(pairs)/2)
	}
	return root
}

// observed observes train.py of a project.
func observed(t *testing.T, root string) (*Result, error) {
	t.Helper()
	return observedWith(t, root, false)
}

func observedWith(t *testing.T, root string, compare bool) (*Result, error) {
	t.Helper()
	python := torchtest.Python(t, "programs are NOT observed with the real torch")
	registry, err := rule.NewRegistry(rules.All(), rules.Retired())
	if err != nil {
		t.Fatal(err)
	}
	return Run(t.Context(), Request{Compare: compare, Request: program.Request{
		Check:   vet.Request{Rules: registry, Resolver: &config.Resolver{Rules: registry, Isolated: true}},
		Scripts: []string{filepath.Join(root, "train.py")}, Python: python,
		Plan: harness.Plan{Seeds: []int{0}, Isolation: harness.NoIsolation, Limits: harness.Limits{Timeout: time.Minute}},
	}})
}

// places are findings as CODE FILE:LINE, with a star where only the run shows them.
func places(r *Result) (out []string) {
	for _, f := range r.Checked.Findings {
		star := ""
		if f.Evidence == finding.Observed {
			star = "*"
		}
		out = append(out, fmt.Sprintf("%s%s %s:%d", f.Code, star, filepath.Base(f.Range.File), f.Range.Start.Row))
	}
	return out
}

// TestKnownFromTheRun: mistakes behind what evaluation cannot resolve are found, and their right twins pass.
func TestKnownFromTheRun(t *testing.T) {
	for _, c := range []struct {
		archive string
		right   []string // what makes the program right
		want    string
	}{
		{"parts.txtar", []string{"logits=scores", "probs=scores"}, "DIST002* sampling.py:6"},
		{"parts.txtar", []string{"torch.softmax(self.body(x), dim=-1)", "self.body(x)"}, "DIST002* sampling.py:6"},
		{"hooks.txtar", []string{"multinomial(logits", "multinomial(probs"}, "DIST023 train.py:22"},
	} {
		for i, pairs := range [][]string{nil, c.right} {
			r, err := observed(t, project(t, c.archive, pairs...))
			if err != nil {
				t.Fatal(err)
			}
			want := []string{c.want}
			if i == 1 {
				want = nil
			}
			if got := places(r); !slices.Equal(got, want) {
				t.Errorf("%s %q: found %q, want %q", c.archive, pairs, got, want)
			}
		}
	}
}

// TestWhatDidNotRun: a mistake in a function that the run does not call is left out, and said to be.
func TestWhatDidNotRun(t *testing.T) {
	r, err := observed(t, project(t, "idle.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if got := places(r); len(got) > 0 {
		t.Errorf("found %q where nothing ran", got)
	}
	if len(r.Idle) != 1 || r.Idle[0].Code != "ADV009" {
		t.Errorf("left out %+v", r.Idle)
	}
	if line := r.Summary(); !strings.Contains(line, "1 finding of check left out, where nothing ran") {
		t.Errorf("the summary says %q", line)
	}
}

// TestNothingObserved: a program that fails at once, defines without calling, or is no Python, is one line.
func TestNothingObserved(t *testing.T) {
	for text, want := range map[string]string{
		"import no_such_module\n": "train.py: no expression of the program was evaluated: it raised ModuleNotFoundError: No module named 'no_such_module'; ",
		"x = = 1\n":               "train.py:1: ",
		"x = 1\n":                 "train.py: nothing ran that can be observed: it came to its end without evaluating an expression",
		"import torch\n\nEPS = torch.tensor(1e-8) * 2\n\ndef loss(x):\n    return x + EPS\n":      "train.py: nothing ran that can be observed: it defines loss and does not call it; name the script that imports it and trains",
		"class A:\n    def f(self):\n        return [1] + [2]\n\n\ndef g(x):\n    return x + 1\n": "it defines A and g and calls none of them",
	} {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, "train.py"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := observed(t, root)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error is %v, want one line with %q", text, err, want)
		}
	}
}

// TestCompared: what is known without the run agrees with it, of a program that has much to know; and a fact that does
// not is told.
func TestCompared(t *testing.T) {
	r, err := observedWith(t, project(t, "hooks.txtar", "multinomial(logits", "multinomial(probs"), true)
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Compared; c.Values < 20 || len(c.Wrong) > 0 {
		t.Errorf("%d facts, of which differ %+v", c.Values, c.Wrong)
	}
	c := comparer{said: map[Difference]bool{}}
	v := &infer.Val{Q: domain.Unknown, Lib: infer.LibTorch}
	v.Q.Grad, v.Q.Shape = domain.Attached, domain.MakeShape(domain.ConstDim(8), domain.UnknownDim)
	for range 2 {
		c.facts(Difference{Place: "a.py:1", Text: "x"}, v, &infer.Sight{Array: infer.LibTorch, Detached: true, Shape: []int{16, 3}, Rank: true})
	}
	want := []Difference{{"a.py:1", "x", "gradient", "true", "false"}, {"a.py:1", "x", "size", "8", "16"}}
	if c.out.Values != 6 || !slices.Equal(c.out.Wrong, want) {
		t.Errorf("%+v", c.out)
	}
}
