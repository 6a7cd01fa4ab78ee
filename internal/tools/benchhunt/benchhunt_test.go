package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/torchtest"
)

const repository = "../../.."

func allPrograms(t *testing.T) (faults, correct []program) {
	t.Helper()
	list, err := readPrograms(filepath.Join(repository, "testdata", "hunt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.kind == "" {
			correct = append(correct, p)
		} else {
			faults = append(faults, p)
		}
	}
	return faults, correct
}

// There are faults of every kind, each with one line that is marked, and correct programs.
func TestPrograms(t *testing.T) {
	faults, correct := allPrograms(t)
	kinds := map[string]int{}
	for _, p := range faults {
		kinds[p.kind]++
	}
	for _, kind := range []string{"forward", "backward", "optimizer", "environment", "gradient"} {
		if kinds[kind] < 2 {
			t.Errorf("%d faults of kind %s", kinds[kind], kind)
		}
	}
	if len(faults) < 24 || len(correct) < 12 {
		t.Errorf("%d faults and %d correct programs", len(faults), len(correct))
	}
}

// A verdict counts for the lines that it names; a page of verdicts adds them up.
func TestRender(t *testing.T) {
	fault := program{name: "norm", kind: "backward", file: "layers.py", row: 7}
	rows := []row{
		{fault, map[string]verdict{
			rlvet:    {detected: true, file: "layers.py", row: 7, end: 7},
			anomaly:  {crash: true, file: "train.py", row: 7, end: 7},
			overflow: {detected: true, file: "layers.py", row: 5, end: 9},
		}},
		{program{name: "kinks"}, map[string]verdict{overflow: {detected: true, said: "ReLU: output: inf"}}},
	}
	page := render("torch 1", rows)
	for _, want := range []string{
		"| norm | backward | found, line | crash, train.py:7 instead | found, line |\n",
		"| **together** | 1 | 1 found, 1 lines | 0 found, 0 lines | 1 found, 1 lines |\n",
		"| kinks | | silent | silent | **accused**: ReLU: output: inf |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

// built is where the program lies once a test has built it.
var built string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "benchhunt")
	if err != nil {
		panic(err)
	}
	built = filepath.Join(dir, "rlvet")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// hunts prepares to hunt with the real torch, in a short test run never.
func hunts(t *testing.T) *machine {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: hunting in the programs of testdata/hunt takes minutes; run without -short")
	}
	python := torchtest.Python(t, "hunting in the programs of testdata/hunt is NOT tested")
	opts := options{root: repository, python: python}
	if _, err := os.Stat(built); err == nil {
		opts.rlvet = built
	}
	m, err := newMachine(t.Context(), opts)
	if err == nil && opts.rlvet == "" {
		err = os.Link(m.opts.rlvet, built)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.close)
	return m
}

// some is every nth program, or all where RLVET_HUNT_ALL is set, as it is every night: the
// whole takes four minutes of two cores.
func some(t *testing.T, list []program, nth int) (out []program) {
	t.Helper()
	if os.Getenv("RLVET_HUNT_ALL") != "" {
		return list
	}
	for i := 0; i < len(list); i += nth {
		out = append(out, list[i])
	}
	t.Logf("ONLY %d of %d programs are tried; RLVET_HUNT_ALL=1 tries all", len(out), len(list))
	return out
}

// Every fault is found under a seed that fails, and its line is named.
func TestFaults(t *testing.T) {
	faults, _ := allPrograms(t)
	m := hunts(t)
	m.quick = true
	t.Run("programs", func(t *testing.T) {
		for _, p := range some(t, faults, 14) {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				v, err := m.measure(t.Context(), rlvet, p, p.failing[:1])
				switch {
				case err != nil:
					t.Error(err)
				case !v.detected:
					t.Errorf("nothing was found, expected %s:%d", p.file, p.row)
				case !v.localised(p):
					t.Errorf("%s:%d is named (%s), expected %s:%d", v.file, v.row, v.said, p.file, p.row)
				}
			})
		}
	})
}

// No correct program is accused, whatever infinities and kinks it has.
func TestCorrect(t *testing.T) {
	_, correct := allPrograms(t)
	m := hunts(t)
	t.Run("programs", func(t *testing.T) {
		for _, p := range some(t, correct, 8) {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				v, err := m.measure(t.Context(), rlvet, p, p.seeds[:1])
				if err != nil || v.detected {
					t.Errorf("accused: %s (%v)", v.said, err)
				}
			})
		}
	})
}

// The agent is 1,500 lines in 16 modules; one of its 14 layers has a wrong backward, which
// turns training NaN under three of fifty seeds. One of them is enough to name the
// operation and the function, and to prove the patch beside it.
func TestAgent(t *testing.T) {
	m := hunts(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(repository, "testdata", "hunt", "agent"))); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(m.opts.rlvet, "hunt", "train.py", "--seeds", "3,4", "--fix", "agent.patch", "--python", m.opts.python, "--output-format", "json", "--quiet")
	cmd.Dir = dir
	out, _ := cmd.Output()
	var r hunt.Result
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if r.Failure == nil || r.Failure.Seed != 4 {
		t.Fatalf("failure %+v, expected one of seed 4", r.Failure)
	}
	if b := r.FirstBad; b == nil || b.Source != "weight = torch.exp(pre)" || !strings.HasSuffix(b.Module, "value_head.bound") {
		t.Errorf("first bad: %+v", b)
	}
	if g := wrongGradient(&r); g == nil || g.Function != "functions.GateFunction" || filepath.Base(g.Filename) != "functions.py" {
		t.Errorf("wrong gradient: %+v", g)
	}
	if r.Fix.Verdict != "fixed" {
		t.Errorf("the patch is %s: %s", r.Fix.Verdict, r.Fix.Reason)
	}
}
