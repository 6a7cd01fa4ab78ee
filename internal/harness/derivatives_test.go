package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rlvet/rlvet/internal/torchtest"
)

// derivative is what a row of derivatives.json says, as far as tests ask.
type derivative struct {
	Function, Verdict, Pattern, Reason, Dtype, Module, Record string
	Row, Order, Calls                                         int
	SourceRow                                                 int `json:"source_row"`
	Elements                                                  int
	Worst                                                     *struct{ Input string }
	Points                                                    [][2]any
}

// planted are the programs of testdata/hunt/functions: one custom Function each, whose
// backward is wrong, right, or a surrogate, as the name of the folder says.
const planted = "../../testdata/hunt/functions"

// saidAtTop returns what a comment "# name: value" at the top of a program says.
func saidAtTop(text, name string) string {
	m := regexp.MustCompile(`(?m)^# ` + name + `: (.*)$`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

// rowOf returns the line of a program that ends in "# bug", or names a code behind it.
func rowOf(text string) int {
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "# bug") {
			return i + 1
		}
	}
	return 0
}

// TestDerivativesOfPrograms runs each program and compares backward with the slope of forward:
// every planted mistake is found, at its row and by its name, and nothing else is accused.
func TestDerivativesOfPrograms(t *testing.T) {
	python := torchtest.Python(t, "that wrong gradients are found at run time is NOT tried with the real torch")
	programs, _ := filepath.Glob(planted + "/*/*.py")
	if len(programs) < 45 {
		t.Fatalf("only %d programs", len(programs))
	}
	found := runDerivatives(t, python, programs)
	counts := map[string]int{}
	for _, path := range programs {
		name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			if found[path] == nil {
				t.Skip("SKIPPED: NOT tried, since it needs torch 2")
			}
			if found[path].Disturbed || len(found[path].Notes) > 0 {
				t.Errorf("it disturbed the program: %s", found[path].Notes)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			judgeProgram(t, string(text), filepath.Base(filepath.Dir(path)), found[path].Functions)
			counts[filepath.Base(filepath.Dir(path))]++
		})
	}
	if counts["wrong"] < 25 || counts["right"] < 15 || counts["surrogate"] < 10 {
		t.Errorf("too few were tried: %v", counts)
	}
}

// judgeProgram compares the rows of one program with its marks: the verdict of its folder is that
// of one row, and all others are right.
func judgeProgram(t *testing.T, text, verdict string, rows []derivative) {
	seen := 0
	for _, r := range rows {
		if r.Elements == 0 || r.Reason != "" && r.Verdict == "right" {
			t.Errorf("%s: %d elements were compared; %s", r.Function, r.Elements, r.Reason)
		}
		if dtype := saidAtTop(text, "dtype"); dtype != "" && r.Dtype != dtype {
			t.Errorf("%s was compared in %s, want %s", r.Function, r.Dtype, dtype)
		}
		if r.Verdict != verdict && r.Verdict != "right" {
			t.Errorf("%s is called %s (%s %s)", r.Function, r.Verdict, r.Pattern, r.Reason)
		}
		if r.Verdict == verdict {
			seen++
		}
		if r.Verdict == "wrong" && verdict == "wrong" {
			judgeWrong(t, text, r)
		}
	}
	if seen == 0 || verdict == "wrong" && seen > 1 {
		t.Errorf("%d of %d rows are %s", seen, len(rows), verdict)
	}
}

func judgeWrong(t *testing.T, text string, r derivative) {
	switch want := saidAtTop(text, "pattern"); {
	case want == "none" && r.Pattern != "":
		t.Errorf("pattern %q, though none explains it", r.Pattern)
	case want != "none" && want != "any" && !strings.HasPrefix(r.Pattern, want):
		t.Errorf("pattern %q, want %q", r.Pattern, want)
	}
	if want := rowOf(text); r.SourceRow != want {
		t.Errorf("it is said to be in row %d, want %d", r.SourceRow, want)
	}
	if (saidAtTop(text, "order") == "2") != (r.Order == 2) {
		t.Errorf("it is of order %d", r.Order)
	}
	if r.Worst == nil || len(r.Points) == 0 && !strings.Contains(r.Pattern, "missing for") || len(r.Points) > 200 {
		t.Errorf("worst element %v, %d points", r.Worst, len(r.Points))
	}
}

type derivatives struct {
	Functions []derivative
	Notes     []json.RawMessage
	Disturbed bool
}

// runDerivatives is what check.py prints of the programs.
func runDerivatives(t *testing.T, python string, programs []string) map[string]*derivatives {
	t.Helper()
	cmd := exec.Command(python, append([]string{"testdata/derivatives/check.py"}, programs...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH=py", "PYTHONDONTWRITEBYTECODE=1")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	found := map[string]*derivatives{}
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	return found
}

// TestDerivativesOfOddOnes: what cannot be replayed is said with its reason, and nothing of it
// disturbs the others. The docstring of each Function and module says what is to come of it.
func TestDerivativesOfOddOnes(t *testing.T) {
	python := torchtest.Python(t, "that odd Functions are left alone is NOT tried with the real torch")
	programs, err := filepath.Glob("testdata/derivatives/[mo]*.py")
	if err != nil || len(programs) != 2 {
		t.Fatal(programs, err)
	}
	found := runDerivatives(t, python, programs)
	for _, path := range programs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			judgeOdd(t, string(text), found[path])
		})
	}
}

func judgeOdd(t *testing.T, text string, found *derivatives) {
	if found.Disturbed || len(found.Notes) > 0 {
		t.Errorf("it disturbed the program: %s", found.Notes)
	}
	said := map[string]string{}
	for _, r := range found.Functions {
		said[r.Function] = strings.TrimSuffix(r.Verdict+": "+r.Reason, ": ")
	}
	wanted := regexp.MustCompile(`class (\w+)\((?:Function|nn\.Module)\):\s+"""(.+)"""`).FindAllStringSubmatch(text, -1)
	if len(wanted) < 6 {
		t.Fatalf("only %d of them", len(wanted))
	}
	for _, w := range wanted {
		if !strings.HasPrefix(said[w[1]], w[2]) || w[2] == "right" && said[w[1]] != "right" {
			t.Errorf("%s: %q, want %q", w[1], said[w[1]], w[2])
		}
	}
}

// gated is a program whose policy has a gate with a wrong gradient, beside a module that is
// right, and that stops in the middle.
const gated = `import torch


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, mode):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.scale * x, None, None


class Layer(torch.nn.Module):
    def forward(self, x):
        return Gate.apply(x, 3.0, "soft")


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.BatchNorm1d(16), torch.nn.Tanh(), torch.nn.Dropout(0.2))
        self.gate = Layer()
        self.head = torch.nn.Linear(16, 2)

    def forward(self, x):
        h = self.gate(self.inner(x))
        return self.head(h + 0 * h.detach())  # a cut does not excuse what a wrong Function does


policy = Policy()
optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
for step in range(6):
    loss = policy(torch.randn(32, 6)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
raise ValueError("stopped in the middle")
`

// TestDerivativesOfARun: a program that crashes is checked all the same; modules are found by their
// names, what was recorded can be loaded, and the run is the same with the instrument as without.
func TestDerivativesOfARun(t *testing.T) {
	p := planOf(t, gated)
	var err error
	if p.Python, err = FindPython(t.Context(), torchtest.Python(t, "that the gradients of a run are compared is NOT tried with the real torch"), p.Root); err != nil {
		t.Fatal(err)
	}
	plain, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	p.Kept = t.TempDir()
	p.Instruments = []Instrument{{Name: "hunt.derivatives", Settings: map[string]any{"modules": []string{"policy.inner", "policy.gate", "policy.nothing"}, "loss": true, "record": true}}}
	watched, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := plain.Runs[0].Losses, watched.Runs[0].Losses; len(a) != 6 || strings.Join(a, " ") != strings.Join(b, " ") {
		t.Errorf("losses %v, and %v with the instrument: %s", a, b, watched.Runs[0].Output)
	}
	text, err := os.ReadFile(filepath.Join(p.Kept, "0", "derivatives.json"))
	if err != nil {
		t.Fatalf("%v: %v\n%s", err, watched.Runs[0].InstrumentErrors, watched.Runs[0].Output)
	}
	var said derivatives
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}
	judgeRun(t, said.Functions)
	load := exec.Command(p.Python.Path, "-c", "import torch, sys; r = torch.load(sys.argv[1], weights_only=True); print(r['function'], r['names'], sorted(r['tensors']), r['others'], r['needed'], r['input'])",
		filepath.Join(p.Kept, "0", "record", "Gate.pt"))
	if out, err := load.CombinedOutput(); err != nil || !strings.Contains(string(out), "Gate ['x', 'scale', 'mode'] ['x'] {\"scale\": 3.0, \"mode\": \"soft\"} ['x'] x\n") {
		t.Errorf("the record: %v: %s", err, out)
	}
}

// smallFirst is a program whose backward is wrong for the small numbers of its first call alone.
const smallFirst = `import torch

class Curve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * (2 * x if x.max() > 0.1 else x)  # first bad

for i in range(6):
    Curve.apply(torch.full((9,), 1.0 + i if i else 1e-3, requires_grad=True)).sum().backward()
`

// layered is a program that applies a Function eight times in each round, whose backward is wrong for what its third layer
// gets in later rounds.
const layered = `import torch

class Curve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * (x if x.max() > 10 else 2 * x)

for i in range(200):
    sum(Curve.apply(torch.full((9,), 50.0 if i > 20 and layer == 2 else 1.0, requires_grad=True)).sum() for layer in range(8)).backward()
`

// TestDerivativesOfManyCalls: of a Function that is applied very often some calls are looked at, of each layer some.
func TestDerivativesOfManyCalls(t *testing.T) {
	p := planOf(t, layered)
	var err error
	if p.Python, err = FindPython(t.Context(), torchtest.Python(t, "that some of many calls are looked at is NOT tried with the real torch"), p.Root); err != nil {
		t.Fatal(err)
	}
	p.Kept = t.TempDir()
	p.Instruments = []Instrument{{Name: "hunt.derivatives", Settings: map[string]any{}}}
	if _, err := Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(t, p, 0); len(got) != 1 || got[0].Verdict != "wrong" {
		t.Errorf("%+v, want it to be wrong", got)
	}
}

// TestDerivativesShared: of three seeds one replays the last call of a Function, one the first and one another; what is
// wrong is told before the run has ended.
func TestDerivativesShared(t *testing.T) {
	p := planOf(t, smallFirst)
	var err error
	if p.Python, err = FindPython(t.Context(), torchtest.Python(t, "that seeds share the comparisons of gradients is NOT tried with the real torch"), p.Root); err != nil {
		t.Fatal(err)
	}
	p.Seeds, p.Kept = []int{0, 1, 2}, t.TempDir()
	p.Instruments = []Instrument{{Name: "hunt.derivatives", Settings: map[string]any{"seeds": p.Seeds, "clean": true}}}
	var lock sync.Mutex
	var told []string
	p.Progress = func(e Progress) {
		lock.Lock()
		defer lock.Unlock()
		if e.Seed == 1 && e.Wrong != nil {
			told = append(told, fmt.Sprintf("%s of %s:%d", e.Wrong.Function, *e.Wrong.Filename, e.Wrong.Row))
		}
		if e.Seed != 1 && e.Wrong != nil || e.Seed == 1 && e.Kind == "ended" && len(told) == 0 {
			t.Errorf("%+v", e)
		}
	}
	if _, err := Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for seed, want := range []string{"right", "wrong", "right"} {
		if got := rowsOf(t, p, seed); len(got) != 1 || got[0].Verdict != want {
			t.Errorf("seed %d: %+v, want it to be %s", seed, got, want)
		}
	}
	if want := []string{fmt.Sprintf("Curve of %s:12", filepath.Base(p.Script))}; !slices.Equal(told, want) {
		t.Errorf("told: %q, want %q", told, want)
	}
}

// TestDerivativesLate: what its turn does not come to within the time limit is untested, and the limit is the reason; a
// run that fails has nothing compared where only clean ones are.
func TestDerivativesLate(t *testing.T) {
	python := torchtest.Python(t, "that the time limit of gradients holds is NOT tried with the real torch")
	for name, c := range map[string]struct {
		program  string
		settings map[string]any
		want     string
	}{
		"no time": {smallFirst, map[string]any{"seconds": 0}, "untested: its turn did not come within the time limit for gradients, 0 s"},
		"a crash": {smallFirst + "raise ValueError('enough')\n", map[string]any{"clean": true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(t, c.program)
			var err error
			if p.Python, err = FindPython(t.Context(), python, p.Root); err != nil {
				t.Fatal(err)
			}
			p.Kept, p.Instruments = t.TempDir(), []Instrument{{Name: "hunt.derivatives", Settings: c.settings}}
			if _, err := Run(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, r := range rowsOf(t, p, 0) {
				said = append(said, r.Verdict+": "+r.Reason)
			}
			if got := strings.Join(said, "; "); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// rowsOf are the rows that a run of a seed left, none where it left no file.
func rowsOf(t *testing.T, p Plan, seed int) []derivative {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.Kept, strconv.Itoa(seed), "derivatives.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var said derivatives
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	if err != nil {
		t.Fatal(err)
	}
	return said.Functions
}

func judgeRun(t *testing.T, rows []derivative) {
	want := map[string]string{
		"Gate of policy.gate": "wrong constant factor 0.5", "Layer of policy.gate": "wrong constant factor 0.5", "Policy of policy": "wrong",
		"torch.nn.modules.container.Sequential of policy.inner": "right", "policy.nothing of policy.nothing": "untested",
	}
	for _, r := range rows {
		name := r.Function + " of " + r.Module
		if got := strings.TrimSpace(r.Verdict + " " + r.Pattern); got != want[name] && r.Function != "Policy" || r.Verdict != strings.Fields(want[name] + " none")[0] {
			t.Errorf("%s: %s, want %s: %s", name, got, want[name], r.Reason)
		}
		if r.Function == "Gate" && (r.Calls != 6 || r.Record != "record/Gate.pt") {
			t.Errorf("%s: %d calls, recorded in %q", name, r.Calls, r.Record)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("nothing is said of %s", name)
	}
}
