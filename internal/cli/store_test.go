package cli

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/rules"
)

// A check that finds what earlier ones kept says the same, byte by byte, as one that
// finds nothing: after any edit of any file of a program, of several of them at a time,
// from whatever set of files.
func TestCacheChangesNothing(t *testing.T) {
	edits := 30
	if testing.Short() {
		edits = 5
	}
	found := 0
	root, err := filepath.Abs("../../testdata/projects")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"config_group", "base_class", "circular", "registry", "reexports", "epochs", "kl_forgotten"} {
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(filepath.Join(root, name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			p := &edited{t: t, random: rand.New(rand.NewSource(int64(i))), cache: t.TempDir()}
			for _, f := range archive.Files {
				if strings.HasSuffix(f.Name, ".py") {
					p.files = append(p.files, f)
					writeBelow(t, f.Name, string(f.Data))
				}
			}
			for n := range edits {
				p.edit()
				found += p.compare(n)
			}
		})
	}
	if !testing.Short() && found < 60 {
		t.Errorf("%d findings are too few to compare", found)
	}
}

// edited is a program whose author types without aim.
type edited struct {
	t      *testing.T
	random *rand.Rand
	cache  string
	files  []txtar.File // as they were
}

func writeBelow(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, name, text)
}

// edit changes one file, takes it away, or puts it back as it was.
func (p *edited) edit() {
	p.t.Helper()
	f := p.files[p.random.Intn(len(p.files))]
	lines := strings.SplitAfter(string(f.Data), "\n")
	at := p.random.Intn(len(lines))
	switch p.random.Intn(5) {
	case 0:
		lines = slices.Delete(lines, at, at+1)
	case 1:
		lines = slices.Insert(lines, at, "import torch  # more\n")
	case 2:
		lines[at] = strings.ReplaceAll(lines[at], " - ", " + ")
	case 3:
		if err := os.Remove(f.Name); err != nil && !os.IsNotExist(err) {
			p.t.Fatal(err)
		}
		return
	}
	writeBelow(p.t, f.Name, strings.Join(lines, ""))
}

// compare checks with the cache, twice, and without it; it returns how much is found.
func (p *edited) compare(n int) int {
	p.t.Helper()
	paths := []string{"."}
	if p.random.Intn(3) == 0 {
		if left, _ := filepath.Glob("*.py"); len(left) > 0 {
			paths = left[:1+p.random.Intn(len(left))]
		}
	}
	want := p.check(append([]string{"--no-cache"}, paths...))
	for range 2 {
		if got := p.check(paths); got != want {
			p.t.Fatalf("edit %d, %q: with the cache\n%s", n, paths, difference(got, want))
		}
	}
	return strings.Count(want, `"code"`)
}

func (p *edited) check(args []string) string {
	var out, errs strings.Builder
	env := Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, IsTerminal: func(any) bool { return false }, Getenv: func(name string) string {
		return map[string]string{"RLVET_CACHE_DIR": p.cache}[name]
	}}
	code := Main(append([]string{"check", "--isolated", "--preview", "--show-hints", "--output-format", "json"}, args...), env)
	return fmt.Sprint(code, "\n", out.String(), errs.String())
}

// memoryStore counts what is asked of it.
type memoryStore struct {
	kept         map[engine.Key][]byte
	loads, saves int
}

func (m *memoryStore) Load(key engine.Key) ([]byte, bool) {
	m.loads++
	data, ok := m.kept[key]
	return data, ok
}

func (m *memoryStore) Save(key engine.Key, data []byte) {
	m.saves++
	m.kept[key] = data
}

// What is known is not evaluated; what an edit may change is, and no more; damage counts
// as unknown.
func TestCacheSavesWork(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "losses.py", "import torch\n\ndef norm(r: torch.Tensor):\n    return (r - r.mean()) / r.std()\n")
	write(t, "train.py", "import torch\nfrom losses import norm\n\nnorm(torch.ones(4))\n")
	write(t, "other.py", "import torch\n\nx = torch.ones(4)\ny = x / x.std()\n")
	store := &memoryStore{kept: map[engine.Key][]byte{}}
	var only []*analysis.Analyzer
	for _, e := range rules.All() {
		if e.Doc.Code == "ADV009" {
			only = append(only, e.Analyzer)
		}
	}
	parsed := func() (modules, findings int) {
		t.Helper()
		o := engine.Options{Analyzers: only, Store: store, Identity: "test", Jobs: 1}
		res, err := engine.Check(t.Context(), []string{"losses.py", "other.py", "train.py"}, o)
		if err != nil {
			t.Fatal(err)
		}
		return res.Stats.Modules, len(res.Findings)
	}
	expect := func(what string, want int) {
		t.Helper()
		if modules, findings := parsed(); modules != want || findings != 2 {
			t.Errorf("%s: %d modules parsed, want %d; %d findings, want 2", what, modules, want, findings)
		}
	}
	expect("first", 3)
	expect("again", 0)
	write(t, "other.py", "import torch\n\nx = torch.ones(4)\nz = x / x.std()\n")
	expect("one edited", 2) // and losses.py, since it may be that nothing names its function any more
	write(t, "train.py", "import torch\nfrom losses import norm\n\nnorm(torch.ones(5))\n")
	expect("an importer edited", 2)
	write(t, "losses.py", "import torch\n\ndef norm(s: torch.Tensor):\n    return (s - s.mean()) / s.std()\n")
	expect("an import edited", 2)
	for key := range store.kept {
		store.kept[key] = []byte("damage")
	}
	expect("damaged", 3)
}
