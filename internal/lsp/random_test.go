package lsp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/lsp"
	"github.com/rlvet/rlvet/internal/vet"
)

// TestRandomEdits edits the files of projects at random, and after each edit asks
// the server what is wrong in the edited file and in another: it must say what a
// fresh check of all files as they are now says. EDITS is how many; the default is
// for every day. The memory in use is logged at every tenth.
func TestRandomEdits(t *testing.T) {
	total := 300
	if n, err := strconv.Atoi(os.Getenv("EDITS")); err == nil {
		total = n
	}
	found := 0
	projects := []string{"config_group", "base_class", "circular", "registry", "reexports", "epochs", "kl_forgotten"}
	for i, name := range projects {
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile("../../testdata/projects/" + name + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			w := &wanderer{
				editor: connect(t, folder(t, archive), lsp.Options{}, `{"textDocument": {"diagnostic": {}}}`, `{"preview": true}`),
				random: rand.New(rand.NewPCG(uint64(i), 1)),
			}
			for _, f := range archive.Files {
				if strings.HasSuffix(f.Name, ".py") {
					w.open(f.Name)
					w.files = append(w.files, f.Name)
				}
			}
			w.wander(total / len(projects))
			w.leave()
			found += w.found
		})
	}
	if found < total/10 {
		t.Errorf("%d findings in %d edits are too few to compare", found, total)
	}
}

// wanderer is an editor whose user types without aim.
type wanderer struct {
	*editor
	random *rand.Rand
	files  []string
	found  int
}

func (w *wanderer) wander(edits int) {
	w.t.Helper()
	original := map[string]string{}
	for uri, text := range w.texts {
		original[uri] = text
	}
	for i := range edits {
		edited := w.files[w.random.IntN(len(w.files))]
		w.change(edited, original)
		for _, path := range []string{edited, w.files[w.random.IntN(len(w.files))]} {
			served, fresh := keys(w.pull(path)), w.fresh(path)
			w.found += len(fresh)
			if !slices.Equal(served, fresh) {
				w.t.Fatalf("after edit %d, of %s, %s has %q, and fresh %q:\n%s", i, edited, path, served, fresh, w.texts[w.uri(path)])
			}
		}
		if edits >= 10 && i%(edits/10) == edits/10-1 {
			w.t.Logf("edit %d: %d findings so far, %d kB in use", i+1, w.found, inUse()>>10)
		}
	}
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// change makes an edit such as people make, or puts the original back.
func (w *wanderer) change(path string, original map[string]string) {
	text := w.texts[w.uri(path)]
	at := w.place(text)
	line := strings.LastIndexByte(text[:at], '\n') + 1
	next := line + strings.IndexByte(text[line:]+"\n", '\n') + 1
	next = min(next, len(text))
	switch w.random.IntN(10) {
	case 0, 8, 9: // mostly broken programs have no findings
		w.replace(path, 0, len(text), original[w.uri(path)])
	case 1: // a line goes
		w.replace(path, line, next, "")
	case 2: // a line comes twice
		w.replace(path, next, next, text[line:next])
	case 3:
		w.replace(path, at, at, pick(w.random, "x", "(", ")", " ", "\n", "\r", "#", "é", "😀", "\"", ".exp()", " + 1e-8", "\t", "\"\"\"", "logits"))
	case 4: // some characters go
		end := w.place(text[at:]) + at
		w.replace(path, at, min(end, at+w.random.IntN(5)+utf8.UTFMax), "")
	case 5:
		w.swap(path, text, pick(w.random, "log_softmax", "softmax", "std", "exp", "detach", "mean", " / ", " - "), pick(w.random, "softmax", "log_softmax", "var", "log", "clone", "sum", " * ", " + "))
	case 6: // a line from elsewhere
		w.replace(path, line, line, text[:0]+pick(w.random, "import torch\n", "from losses import *\n", "    return None\n", "beta = 0.1\n"))
	default: // nothing but a comment
		w.replace(path, max(next-1, 0), max(next-1, 0), "  # note")
	}
}

// place returns the start of a character.
func (w *wanderer) place(text string) int {
	at := w.random.IntN(len(text) + 1)
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	if at > 0 && at < len(text) && text[at] == '\n' && text[at-1] == '\r' {
		at-- // not within a line end: there is no position for that
	}
	return at
}

func (w *wanderer) swap(path, text, old, new string) {
	if i := strings.Index(text, old); i >= 0 {
		w.replace(path, i, i+len(old), new)
	}
}

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// keys are diagnostics as texts that can be compared, problems left out.
func keys(list []diagnostic) []string {
	out := []string{}
	for _, d := range list {
		if d.Code != "" {
			out = append(out, fmt.Sprintf("%d %s %s", d.Range.Start.Line+1, d.Code, d.Message))
		}
	}
	slices.Sort(out)
	return out
}

// fresh checks all files as they are in the buffers, as if for the first time.
func (w *wanderer) fresh(path string) []string {
	w.t.Helper()
	yes := true
	resolver := &config.Resolver{Rules: registry(w.t), Override: config.Values{Preview: &yes, ShowHints: &yes}}
	files, err := config.Discover(resolver, []string{w.root})
	if err != nil {
		w.t.Fatal(err)
	}
	job := vet.Job{Rules: resolver.Rules, Resolver: resolver, Inputs: files.Inputs}
	overlay, named := map[string][]byte{}, map[string]bool{}
	var paths []string
	for _, in := range files.Inputs {
		paths = append(paths, in.Path)
		named[in.Path] = in.Named
		if text, open := w.texts["file://"+in.Path]; open {
			overlay[in.Path] = []byte(text)
		}
	}
	res, err := engine.Check(context.Background(), paths, engine.Options{Analyzers: job.Analyzers(), Torch: job.Torch(), Overlay: overlay, Named: named})
	if err != nil {
		w.t.Fatal(err)
	}
	verdict := job.Judge(res)
	out := []string{}
	for _, f := range verdict.Findings {
		if f.Range.File == filepath.ToSlash(filepath.Join(w.root, path)) {
			out = append(out, key(&f))
		}
	}
	slices.Sort(out)
	return out
}

func key(f *finding.Finding) string {
	return fmt.Sprintf("%d %s %s", f.Range.Start.Row, f.Code, f.Line())
}
