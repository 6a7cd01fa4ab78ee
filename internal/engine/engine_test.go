package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// The tests tell small projects as txtar archives and run toy analyzers on them:
// one that works on syntax, one on values, and some that misbehave.

// marks reports every call of a function named mark.
var marks = &analysis.Analyzer{
	Name: "MARK001", Doc: "reports calls of mark", URL: "https://example.org/mark",
	Requires: []*analysis.Analyzer{pass.Syntax},
	Run: func(p *analysis.Pass) (any, error) {
		src := p.ResultOf[pass.Syntax].(*pass.Source)
		ast.WalkModule(src.AST, func(n ast.Node) bool {
			if c, ok := n.(*ast.Call); ok && src.Text(c.Fun) == "mark" {
				base := src.Token.Pos(0)
				p.ReportRangef(span{base, c}, "marked: %s", src.Text(c))
			}
			return true
		})
		return nil, nil
	},
}

// draws reports sampling from logits, wherever the logits come from.
var draws = pass.Rule([]byte("---\ncode: DRAW001\nname: draw-from-logits\nfamily: sampling\n---\n\n## What it finds\n\nDraws.\n"), func(p *pass.Pass) {
	for _, v := range p.Ops("torch.multinomial") {
		if len(v.In) > 0 && v.In[0].Is(domain.Logits|domain.Raw) {
			f := pass.At(v, v.In[0])
			f.Message = "logits are no weights"
			f.Fix = &pass.Fix{Message: "Apply softmax", Edits: p.In(v.Frame).Method(v.Node.(*ast.Call).Args[0], ".softmax(-1)")}
			p.Report(f)
		}
	}
})

// yields reports calls of the program that yield logits.
var yields = pass.Rule([]byte("---\ncode: YLDS001\nname: yields-logits\nfamily: sampling\n---\n\n## What it finds\n\nCalls.\n"), func(p *pass.Pass) {
	for _, v := range p.OfKind(domain.Logits | domain.Raw) {
		if v.Op == infer.OpCall {
			f := pass.At(v)
			f.Message = "yields logits"
			p.Report(f)
		}
	}
})

// rule makes an analyzer that runs f on each module.
func rule(name string, f func(*pass.Source)) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: name, Doc: "a test", Requires: []*analysis.Analyzer{pass.Syntax},
		Run: func(p *analysis.Pass) (any, error) {
			f(p.ResultOf[pass.Syntax].(*pass.Source))
			return nil, nil
		},
	}
}

// open lays out a project in the working directory by overlay and returns its
// options and the paths of its Python files.
func project(t testing.TB, archive string, analyzers ...*analysis.Analyzer) ([]string, engine.Options) {
	t.Helper()
	o := engine.Options{Analyzers: analyzers, Overlay: map[string][]byte{}, Jobs: 2}
	var paths []string
	for _, f := range txtar.Parse([]byte(archive)).Files {
		o.Overlay[f.Name] = f.Data
		paths = append(paths, f.Name)
	}
	return paths, o
}

func check(t testing.TB, paths []string, o engine.Options) *engine.Result {
	t.Helper()
	res, err := engine.Check(context.Background(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// listing is a result as text, all that a reader could see of it.
func listing(res *engine.Result) string {
	var b strings.Builder
	for _, f := range res.Findings {
		fmt.Fprintf(&b, "%s:%d:%d-%d:%d cell %d %s %s %s noqa %d %s\n", f.Range.File, f.Range.Start.Row, f.Range.Start.Column, f.Range.End.Row, f.Range.End.Column, f.Range.Cell, f.Code, f.Evidence, f.Message, f.NoqaRow, f.Fingerprint)
		for _, r := range f.Related {
			fmt.Fprintf(&b, "  %s:%d: %s\n", r.Range.File, r.Range.Start.Row, r.Message)
		}
		if f.Fix != nil {
			fmt.Fprintf(&b, "  fix %q %s %v\n", f.Fix.Message, f.Fix.Applicability, f.Fix.Edits)
		}
	}
	for _, p := range res.Problems {
		fmt.Fprintf(&b, "%s:%d: %s %v\n", p.File, p.Line, p.Message, p.Fatal)
	}
	return b.String()
}

// places lists findings as FILE:ROW CODE.
func places(res *engine.Result) []string {
	var out []string
	for _, f := range res.Findings {
		out = append(out, fmt.Sprintf("%s:%d %s", f.Range.File, f.Range.Start.Row, f.Code))
	}
	return out
}

func messages(res *engine.Result) []string {
	var out []string
	for _, p := range res.Problems {
		out = append(out, fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message))
	}
	return out
}

func TestPositions(t *testing.T) {
	t.Chdir(t.TempDir())
	paths, o := project(t, "-- a.py --\nα = [1]; mark(α)\nif mark(\n    'é'):\n    x = 1\n", marks)
	res := check(t, paths, o)
	want := "a.py:1:10-1:17 cell 0 MARK001  marked: mark(α) noqa 1"
	if got := listing(res); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%swant it to start with\n%s", got, want)
	}
	second := res.Findings[1]
	if second.NoqaRow != 3 || second.Range.End.Row != 3 || second.URL != marks.URL {
		t.Errorf("the head of the if ends on row 3: %+v", second)
	}
	if a, b := res.Findings[0].Fingerprint, second.Fingerprint; a == b || len(a) != 16 {
		t.Errorf("fingerprints %q and %q", a, b)
	}
}

func TestEqualStatementsHaveTheirOwnFingerprints(t *testing.T) {
	t.Chdir(t.TempDir())
	paths, o := project(t, "-- a.py --\nmark(1)\nmark(1)\n", marks)
	first := check(t, paths, o)
	o.Overlay["a.py"] = []byte("import os\n\nmark(1)\nmark(1)\n")
	second := check(t, paths, o)
	for i := range 2 {
		if a, b := first.Findings[i].Fingerprint, second.Findings[i].Fingerprint; a != b {
			t.Errorf("finding %d: an import above changes its fingerprint from %s to %s", i, a, b)
		}
	}
	if first.Findings[0].Fingerprint == first.Findings[1].Fingerprint {
		t.Error("two findings share a fingerprint")
	}
}

func TestNotebook(t *testing.T) {
	t.Chdir(t.TempDir())
	paths, o := project(t, `-- n.ipynb --
{"cells": [
 {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": ["import torch\n", "%pip install x\n"]},
 {"cell_type": "markdown", "metadata": {}, "source": ["text"]},
 {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": ["\n", "mark(1)"]}
], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
`, marks)
	res := check(t, paths, o)
	if len(res.Findings) != 1 || len(res.Problems) != 0 {
		t.Fatal(listing(res))
	}
	if r := res.Findings[0].Range; r.Cell != 3 || r.Start.Row != 2 || res.Findings[0].NoqaRow != 2 {
		t.Errorf("finding at cell %d row %d, want cell 3 row 2", r.Cell, r.Start.Row)
	}
}

// What IPython makes Python of is checked where it stands: an indented cell, and what %time runs.
func TestCellsThatIPythonChanges(t *testing.T) {
	t.Chdir(t.TempDir())
	paths, o := project(t, `-- n.ipynb --
{"cells": [
 {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": ["    import torch\n", "    if torch:\n", "        mark(1)\n", "    %time mark(1)"]},
 {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": ["%timeit -n 2 x = mark(1)"]}
], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
`, marks)
	res := check(t, paths, o)
	var got []string
	for _, f := range res.Findings {
		got = append(got, fmt.Sprintf("%d:%d:%d", f.Range.Cell, f.Range.Start.Row, f.Range.Start.Column))
	}
	if want := []string{"1:3:9", "1:4:11", "2:1:18"}; !slices.Equal(got, want) || len(res.Problems) != 0 {
		t.Errorf("findings at %q, want %q\n%s", got, want, listing(res))
	}
}

const sampler = `
-- policy.py --
import torch
from torch import nn

net = nn.Linear(4, 2)


def scores(x):
    return net(x)
-- sampling.py --
import torch


def draw(weights):
    return torch.multinomial(weights, 1)


def both(w, v):
    return draw(w), draw(v.softmax(-1))
-- train.py --
import torch
from policy import scores
from sampling import draw, both

x = torch.randn(8, 4)
a = draw(scores(x))
b, c = both(scores(x), scores(x))
`

func TestFactsCrossModules(t *testing.T) {
	t.Chdir(t.TempDir())
	paths, o := project(t, sampler, draws)
	res := check(t, paths, o)
	if diff := cmp.Diff([]string{"sampling.py:5 DRAW001"}, places(res)); diff != "" {
		t.Fatalf("draw is wrong for train.py alone: %s\n%s", diff, listing(res))
	}
	f := res.Findings[0]
	if f.Evidence != finding.Derived && f.Evidence != finding.Table {
		t.Errorf("evidence %q", f.Evidence)
	}
	var related []string
	for _, r := range f.Related {
		related = append(related, fmt.Sprintf("%s:%d: %s", r.Range.File, r.Range.Start.Row, r.Message))
	}
	if text := strings.Join(related, "\n"); !strings.Contains(text, "policy.py:8: ") || !strings.Contains(text, "train.py:6: `draw` is called here") {
		t.Errorf("the origin leads from the network to the call:\n%s", text)
	}
	if f.Fix == nil || f.Fix.Applicability != finding.Unsafe {
		t.Errorf("draw is right where it gets probabilities, so the fix of it is unsafe: %+v", f.Fix)
	}
}

func TestImportedModulesAreLoaded(t *testing.T) {
	t.Chdir(t.TempDir())
	_, o := project(t, sampler, draws)
	res := check(t, []string{"train.py"}, o)
	if diff := cmp.Diff([]string{"sampling.py:5 DRAW001"}, places(res)); diff != "" {
		t.Error(diff)
	}
	if res.Files["sampling.py"] == nil {
		t.Error("the text of the finding's file is missing")
	}
	o.RequestedOnly = true
	if res := check(t, []string{"train.py"}, o); len(res.Findings) != 0 {
		t.Errorf("findings outside of the requested file: %v", places(res))
	}
	o.MaxModules = 1
	if res := check(t, []string{"train.py"}, o); !res.Stats.Bounded {
		t.Error("a bound on modules was hit and not said")
	}
}

func TestIrrelevantFilesArePassedOver(t *testing.T) {
	t.Chdir(t.TempDir())
	paths, o := project(t, "-- a.py --\nmark(1)\n-- b.py --\nmark(2)\n-- c.py --\nimport torch, b\nmark(3)\n", marks)
	o.Named = map[string]bool{}
	res := check(t, paths, o)
	if diff := cmp.Diff([]string{"b.py:1 MARK001", "c.py:2 MARK001"}, places(res)); diff != "" {
		t.Errorf("b is imported by c: %s", diff)
	}
	if res.Stats.Skipped != 1 {
		t.Errorf("%d files skipped, want 1", res.Stats.Skipped)
	}
	o.Named["a.py"] = true
	if res := check(t, paths, o); len(res.Findings) != 3 {
		t.Errorf("a file that is named is checked: %v", places(res))
	}
}

// TestNeighboursDoNotMatter checks modules alone and beside others that import the same
// module: what one does to a function or a class of it, the other must not see.
func TestNeighboursDoNotMatter(t *testing.T) {
	t.Chdir(t.TempDir())
	const archive = `-- a.py --
import torch
logits = torch.nn.Linear(2, 2)(torch.randn(2))
class Net:
    def __call__(self):
        return logits
net = Net()
def step(self, x):
    return super().logits(x)
class Base:
    def logits(self, x):
        return torch.nn.Linear(2, 2)(x)
    class Inner:
        def logits(self, x):
            return step(self, x)
-- z.py --
import a
class Net(a.Base):
    step = a.step
    inner = a.Base.Inner.logits
    Inner = a.Base.Inner
a.Base.step = a.step
a.step.kind = Net
Net().step(1)
-- c.py --
import torch
import a
torch.multinomial(a.step(a.Base(), torch.randn(2)), 1)
torch.multinomial(a.Base.Inner.logits(a.Base(), torch.randn(2)), 1)
a.net()
`
	paths, o := project(t, archive, draws, yields)
	o.Jobs = 1 // then z.py comes first
	alone := places(check(t, []string{"c.py"}, o))
	among := slices.DeleteFunc(places(check(t, paths, o)), func(p string) bool { return !strings.HasPrefix(p, "c.py") })
	if diff := cmp.Diff(alone, among); diff != "" {
		t.Errorf("c.py alone (-) and beside z.py (+):\n%s", diff)
	}
}

func TestCircularImports(t *testing.T) {
	t.Chdir(t.TempDir())
	paths, o := project(t, `
-- a.py --
import torch
from torch import nn
from b import draw
net = nn.Linear(4, 2)
y = draw(net(torch.randn(8, 4)))
-- b.py --
import torch
def draw(w):
    import a
    return torch.multinomial(w, 1)
-- c.py --
from a import net
from b import draw
import torch
z = draw(net(torch.randn(8, 4)).softmax(-1))
`, draws)
	res := check(t, paths, o)
	if diff := cmp.Diff([]string{"b.py:4 DRAW001"}, places(res)); diff != "" {
		t.Errorf("%s\n%s", diff, listing(res))
	}
}

// TestModuleImportsItself: what a script takes from itself under its own name is what it defines.
func TestModuleImportsItself(t *testing.T) {
	const archive = `
-- pkg/__init__.py --
-- pkg/train.py --
import torch
from torch import nn
class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 2)
    def forward(self, x):
        return self.out(x)
from pkg.train import Actor as Renamed
def main():
    torch.multinomial(Renamed()(torch.randn(8, 4)), 1)
main()
`
	t.Chdir(t.TempDir())
	paths, o := project(t, archive, draws)
	if diff := cmp.Diff([]string{"pkg/train.py:11 DRAW001"}, places(check(t, paths, o))); diff != "" {
		t.Error(diff)
	}
}

func TestProblemsOfFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	paths, o := project(t, "-- ok.py --\nmark(1)\n-- half.py --\nmark(1)\ndef f(:\n    pass\nmark(2)\n-- bin.py --\n\x00\x01\x02\n", marks)
	res := check(t, append(paths, "missing.py"), o)
	if got := places(res); len(got) < 2 || got[len(got)-1] != "ok.py:1 MARK001" {
		t.Errorf("the other files are checked: %v", got)
	}
	files := map[string]bool{}
	for _, p := range res.Problems {
		files[p.File] = true
		if !p.Fatal || strings.ContainsAny(p.Message, "\n") {
			t.Errorf("problem %+v", p)
		}
	}
	if !files["half.py"] || !files["missing.py"] || !files["bin.py"] || files["ok.py"] {
		t.Errorf("problems: %v", messages(res))
	}
}

func TestPanicInRule(t *testing.T) {
	t.Chdir(t.TempDir())
	explode := rule("BOOM001", func(s *pass.Source) {
		if s.Name == "b" {
			panic("index out of range")
		}
	})
	paths, o := project(t, "-- a.py --\nmark(1)\n-- b.py --\nmark(2)\n", explode, marks)
	stacks := 0
	o.Trace = func(stack []byte) { stacks++ }
	res := check(t, paths, o)
	want := []string{"b.py:0: internal error in rule BOOM001 on this file: panic: index out of range; please report it with the file"}
	if diff := cmp.Diff(want, messages(res)); diff != "" {
		t.Error(diff)
	}
	if len(res.Findings) != 2 || stacks != 1 {
		t.Errorf("%d findings, %d stacks", len(res.Findings), stacks)
	}
	o.Extra = []*analysis.Analyzer{explode} // nobody asked for it
	if res = check(t, paths, o); len(res.Problems) > 0 || len(res.Findings) != 2 || stacks != 2 {
		t.Errorf("problems %v, %d findings, %d stacks", messages(res), len(res.Findings), stacks)
	}
}

// TestEndlessRecursion checks a program of two modules of which one recurses without
// end in an evaluation that has lost its bound: that file is reported, and the other's
// findings are there.
func TestEndlessRecursion(t *testing.T) {
	t.Chdir(t.TempDir())
	const archive = `-- a.py --
import torch
logits = torch.nn.Linear(2, 2)(torch.randn(2))
torch.multinomial(logits, 1)
-- b.py --
import torch
logits = torch.nn.Linear(2, 2)(torch.randn(2))
torch.multinomial(logits, 1)
d = torch.distributions.Normal(0.0, 1.0)
d.sample = d.sample
d.sample()
-- c.py --
import torch
import a, b
logits = torch.nn.Linear(2, 2)(torch.randn(2))
torch.multinomial(logits, 1)
`
	paths, o := project(t, archive, draws)
	if got := places(check(t, paths, o)); len(got) != 3 {
		t.Fatalf("with the bound: %v", got)
	}
	t.Cleanup(infer.FollowWithoutBound())
	before := debug.SetMaxStack(64 << 20) // Go's own limit is a gigabyte
	defer debug.SetMaxStack(before)
	res := check(t, paths, o)
	if diff := cmp.Diff([]string{"a.py:3 DRAW001", "c.py:4 DRAW001"}, places(res)); diff != "" {
		t.Error(diff)
	}
	if got := messages(res); len(got) != 1 || !strings.HasPrefix(got[0], "b.py:0: gave up: ") || !res.Problems[0].Fatal {
		t.Errorf("problems: %v", got)
	}
}

func TestPanicInStep(t *testing.T) {
	t.Chdir(t.TempDir())
	step := &analysis.Analyzer{Name: "shaky", Doc: "a step", ResultType: marksType, Run: func(*analysis.Pass) (any, error) { panic("no") }}
	after := &analysis.Analyzer{Name: "AFTR001", Doc: "needs it", Requires: []*analysis.Analyzer{step}, Run: func(*analysis.Pass) (any, error) {
		t.Error("a rule ran without its step")
		return nil, nil
	}}
	paths, o := project(t, "-- a.py --\nmark(1)\n", after, marks)
	res := check(t, paths, o)
	if got := messages(res); len(got) != 1 || !strings.Contains(got[0], "internal error in step shaky") || len(res.Findings) != 1 {
		t.Errorf("problems %v, findings %v", got, places(res))
	}
}

func TestTimeout(t *testing.T) {
	t.Chdir(t.TempDir())
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	hang := rule("HANG001", func(s *pass.Source) {
		if s.Name == "a" {
			<-release
		}
	})
	paths, o := project(t, "-- a.py --\nmark(1)\n-- b.py --\nmark(2)\n", hang, marks)
	o.Timeout, o.Jobs = 50*time.Millisecond, 1
	res := check(t, paths, o)
	want := []string{"a.py:0: internal error in rule HANG001 on this file: it takes more than 50ms; please report it with the file"}
	if diff := cmp.Diff(want, messages(res)); diff != "" {
		t.Error(diff)
	}
	if len(res.Findings) != 2 {
		t.Errorf("the other rules and files go on: %v", places(res))
	}
}

func TestCancellation(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	stop := rule("STOP001", func(*pass.Source) { cancel(); <-ctx.Done() })
	paths, o := project(t, "-- a.py --\nmark(1)\n-- b.py --\nimport a\n", stop, marks)
	if _, err := engine.Check(ctx, paths, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := engine.Check(ctx, paths, o); !errors.Is(err, context.Canceled) {
		t.Errorf("a check that starts cancelled: %v", err)
	}
}

func TestOverlayHidesTheDisk(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	_, o := project(t, "-- a.py --\nmark(1)\n", marks)
	o.Overlay = map[string][]byte{filepath.Join(dir, "a.py"): []byte("mark(2)\n")}
	res := check(t, []string{"a.py"}, o)
	if len(res.Findings) != 1 || res.Findings[0].Message != "marked: mark(2)" {
		t.Error(listing(res))
	}
	s, err := engine.Open(context.Background(), []string{"a.py"}, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Overlay[filepath.Join(dir, "a.py")] = []byte("pass\n")
	again, err := s.Check(context.Background())
	if err != nil || listing(again) != listing(res) {
		t.Errorf("a snapshot changed: %v", err)
	}
}

// agents is a module whose classes many modules use: what one of them learns of
// an object must not show in another.
const agents = `
-- agents.py --
from dataclasses import dataclass
import torch
from torch import nn

@dataclass
class Batch:
    obs: torch.Tensor
    logp: torch.Tensor = None

class Base(nn.Module):
    def act(self, x):
        return torch.multinomial(self(x) * self.scale, 1)

class Agent(Base):
    def __init__(self, scale=1):
        super().__init__()
        self.net = nn.Linear(4, 2)
        self.scale = scale
        self.seen = []

    def forward(self, x):
        self.seen.append(x)
        return self.net(x)

shared = Agent()
`

// TestDeterminism checks that neither the order of the paths nor the number of
// workers changes a byte.
func TestDeterminism(t *testing.T) {
	t.Chdir(t.TempDir())
	var archive bytes.Buffer
	archive.WriteString(sampler)
	archive.WriteString(agents)
	for i := range 30 {
		fmt.Fprintf(&archive, "-- m%d.py --\nimport torch\nfrom sampling import draw, both\nfrom policy import scores\nfrom agents import Agent, Batch, shared\n", i)
		for j := range 3 {
			if i < 10 { // circles
				fmt.Fprintf(&archive, "import m%d\n", (i*7+j*3)%10)
			} else if i >= 20 {
				fmt.Fprintf(&archive, "import m%d\n", i-20+j)
			}
		}
		fmt.Fprintf(&archive, "def go(x, y=%d):\n    import m%d\n    mark(x)\n    return draw(scores(torch.randn(%d, 4)))\ngo(%d)\n", i, i/2, i+1, i)
		fmt.Fprintf(&archive, "def act(agent: Agent, batch: Batch):\n    shared.scale = %d\n    return agent.act(batch.obs), shared.act(batch.obs)\nAgent(%d).act(torch.randn(2, 4))\n", i, i%3)
	}
	paths, o := project(t, archive.String(), marks, draws)
	o.Jobs = 1
	want := listing(check(t, paths, o))
	if strings.Count(want, "MARK001") != 30 || !strings.Contains(want, "DRAW001") {
		t.Fatal(want)
	}
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 0))
		r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		o.Jobs = 1 + int(seed)%8
		if diff := cmp.Diff(want, listing(check(t, paths, o))); diff != "" {
			t.Fatalf("%d workers, order %v:\n%s", o.Jobs, paths, diff)
		}
	}
}

func TestObjectFactsAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	greedy := &analysis.Analyzer{Name: "GREED001", Doc: "wants object facts", Run: func(p *analysis.Pass) (any, error) {
		p.ExportObjectFact(nil, nil)
		return nil, nil
	}}
	paths, o := project(t, "-- a.py --\nx = 1\n", greedy)
	if got := messages(check(t, paths, o)); len(got) != 1 || !strings.Contains(got[0], "facts about objects do not exist") {
		t.Error(got)
	}
}
