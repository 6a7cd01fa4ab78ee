package engine_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/source"
)

// TestCache goes through a day of a project: at each step a check with a cache says
// what one without says, whatever was in focus before.
func TestCache(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("losses.py", "import torch\n\ndef draw(x):\n    return torch.multinomial(x, 1)\n")
	write("train.py", "import torch\nfrom losses import draw\ndraw(torch.nn.Linear(3, 3)(torch.zeros(3)))\n")
	write("other.py", "import torch\nfrom losses import draw\n")
	write("notes.py", "print('nothing to see')\n")
	cache, settled := engine.NewCache(), false
	buffers := map[string]*source.File{}
	found := 0
	check := func(what string, focus ...string) {
		t.Helper()
		cached := run(t, root, buffers, cache, settled, focus)
		if diff := cmp.Diff(run(t, root, buffers, nil, false, focus), cached); diff != "" {
			t.Errorf("%s: without a cache (-), with one (+):\n%s", what, diff)
		}
		found += len(cached)
	}
	check("only one", "other.py")
	check("everything")
	check("nothing changed")
	buffers[filepath.Join(root, "losses.py")] = text(t, filepath.Join(root, "losses.py"), "import torch\n\ndef draw(x):\n    return torch.multinomial(x.softmax(-1), 1)\n")
	settled = true
	check("a helper is edited, its caller in focus", "train.py")
	settled = false
	check("then everything")
	delete(buffers, filepath.Join(root, "losses.py"))
	check("the edit is dropped")
	write("notes.py", "import torch\nfrom train import draw\ndraw(torch.nn.Linear(2, 2)(torch.zeros(2)))\n")
	check("a file that was passed over concerns RL now")
	write("notes.py", "print('nothing to see, again')\n")
	check("and no more")
	write("other.py", "import torch, notes\nfrom losses import draw\n")
	check("one that is passed over is imported")
	if err := os.Remove(filepath.Join(root, "losses.py")); err != nil {
		t.Fatal(err)
	}
	check("the helper is gone")
	if found < 6 {
		t.Errorf("%d findings in all are too few to compare", found)
	}
}

func text(t *testing.T, path, text string) *source.File {
	t.Helper()
	f, err := source.FromText(path, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// run checks the files of a folder, and returns what was found by place and code.
func run(t *testing.T, root string, buffers map[string]*source.File, cache *engine.Cache, settled bool, focus []string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "*.py"))
	if err != nil {
		t.Fatal(err)
	}
	o := engine.Options{Analyzers: []*analysis.Analyzer{draws}, Cache: cache, Settled: settled, Buffers: maps.Clone(buffers), Named: map[string]bool{}}
	for _, name := range focus {
		if o.Focus == nil {
			o.Focus = map[string]bool{}
		}
		o.Focus[filepath.Join(root, name)] = true
	}
	snapshot, err := engine.Open(context.Background(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	res, err := snapshot.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if cache != nil && focus == nil {
		cache.Prune(snapshot)
	}
	out := []string{}
	for _, f := range res.Findings {
		out = append(out, filepath.Base(f.Range.File)+" "+f.Code+" "+f.Fingerprint)
	}
	for _, p := range res.Problems {
		out = append(out, p.Place()+" "+p.Message)
	}
	slices.Sort(out)
	return out
}
