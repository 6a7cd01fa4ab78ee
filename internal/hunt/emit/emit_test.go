package emit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/hunt"
)

// TestNames: files are named as people name tests.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"SquaredReLU": "squared_relu", "GatedUnit": "gated_unit", "Policy_spread": "policy_spread", "TopK": "top_k", "train-ppo": "train_ppo",
		"_Gate": "gate", "L2Norm": "l2norm", "Ä": "program", "": "program", "x": "x",
	} {
		if got := snake(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

// TestWhatTrainsIsNotImported: a script that trains at its outermost level is taken apart.
func TestWhatTrainsIsNotImported(t *testing.T) {
	for text, want := range map[string]bool{
		"import torch\n\nclass A:\n    pass\n\ndef main():\n    for i in x: pass\n\nif __name__ == \"__main__\":\n    main()\n": false,
		"def main():\n    pass\n\nmain()\n": true, "for update in range(3):\n    step()\n": true, "net.train(True)\n": true,
		"N = 3\nnet = Net()\n": false, "class A(B):\n    pass\n": false,
	} {
		path := filepath.Join(t.TempDir(), "train.py")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := trains(path); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestFolder: a test outside of the project would not find the program.
func TestFolder(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{filepath.Join(root, "tests"): "", root: "", filepath.Dir(root): "lies outside of the project", filepath.Join(root, "file"): "is a file"} {
		if _, err := Folder(dir, root); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", dir, err, want)
		}
	}
}

// TestWhatAProofIs: only an assertion that fails is a failure, and pytest has to agree.
func TestWhatAProofIs(t *testing.T) {
	for printed, want := range map[string]string{
		"...\nRLVET-PROOF {\"result\": \"failed\", \"why\": \"x\", \"pytest\": null}\n": "failed",
		"\nRLVET-PROOF {\"result\": \"failed\", \"why\": \"x\", \"pytest\": 1}\n":       "failed",
		"\nRLVET-PROOF {\"result\": \"passed\", \"why\": \"\", \"pytest\": 0}\n":        "passed",
		"\nRLVET-PROOF {\"result\": \"passed\", \"why\": \"\", \"pytest\": 1}\n":        "error",
		"\nRLVET-PROOF {\"result\": \"failed\", \"why\": \"\", \"pytest\": 0}\n":        "error",
		"Killed": "error", "": "error", "\nRLVET-PROOF {": "error",
	} {
		if got := readOutcome(printed, 1); got.Result != want {
			t.Errorf("%q: %s, want %s", printed, got.Result, want)
		}
	}
}

// awkward is a result whose texts would end a docstring or a literal.
func awkward(root string) *Emitter {
	record := "record/Gate.pt"
	r := &hunt.Result{
		Script: filepath.Join(root, "src", "train-it.py"), Dir: root, Root: root, Record: root,
		Failure:  &hunt.Failure{Kind: "loss", Seed: 7, Step: 3, Backward: 3, Detail: "the loss is \"\"\" \\N{x}\n nan"},
		FirstBad: &hunt.FirstBad{Filename: filepath.Join(root, "src", "train-it.py"), Row: 3},
		Files:    map[string]string{},
	}
	pattern := `constant """factor\`
	r.Gradients = []hunt.Gradient{{Function: "layers.Gate", Filename: filepath.Join(root, "src", "layers.py"), Row: 9, ForwardRow: 3, Verdict: "wrong", Order: 1, Record: &record, Pattern: &pattern, Kinks: 2}}
	return &Emitter{
		Result: r, Dir: filepath.Join(root, "tests", "hunts"), Revision: "v1.2.3",
		Plan: harness.Plan{Root: root, Script: filepath.Join("src", "train-it.py"), Args: []string{`--name="x"`, "ü\n"}},
	}
}

// TestPythonIsPython: whatever the names and arguments are, what is written compiles, on
// each Python that is here.
func TestPythonIsPython(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "record"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "record", "Gate.pt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := awkward(root)
	var all []*candidate
	for _, module := range []string{"", "package.train"} {
		for _, respect := range []bool{false, true} {
			e.Plan.Module, e.Plan.RespectSeeds = module, respect
			p, err := e.program(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			g, err := e.gradient(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			f := e.finiteOf(recorded{Function: "Policy.spread", Module: "__main__"}, nil, "src/train-it.py")
			all = append(all, p, g, f)
		}
	}
	pythons := pythons()
	if len(pythons) == 0 {
		t.Skip("SKIPPED: there is no python3 to compile the tests with")
	}
	command := []string{"-W", "error", "-m", "py_compile"}
	for i, c := range all {
		path := filepath.Join(root, strconv.Itoa(i)+".py")
		if err := os.WriteFile(path, c.text, 0o600); err != nil {
			t.Fatal(err)
		}
		command = append(command, path)
	}
	for _, python := range pythons {
		if out, err := exec.Command(python, command...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", python, err, out)
		}
	}
}

// pythons are those of the PATH, each version once.
func pythons() (out []string) {
	for _, name := range []string{"python3", "python3.9", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14"} {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", "").Run() == nil {
			out = append(out, path)
		}
	}
	return out
}

// TestPathsFromATest: a test finds the project from where it stands.
func TestPathsFromATest(t *testing.T) {
	for dir, want := range map[string]string{"": "HERE", "tests": "HERE.parent", "tests/hunts": "HERE.parents[1]"} {
		e := &Emitter{Plan: harness.Plan{Root: "/p", Script: "src/train.py"}, Dir: filepath.Join("/p", dir)}
		if got := e.root(); got != want {
			t.Errorf("%q: %s, want %s", dir, got, want)
		}
		if h := e.head("/p/src/layers/gates.py"); h.Import != "layers.gates" || h.Alias != "gates" || h.Above != want+` / "src"` {
			t.Errorf("%q: %+v", dir, h)
		}
		if h := e.head("/p/lib/gates.py"); h.Import != "lib.gates" || h.Above != want {
			t.Errorf("%q: %+v", dir, h)
		}
	}
}

// TestWorkflow: what is written is a workflow that actionlint accepts.
func TestWorkflow(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"requirements.txt", ".git"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := &Emitter{Plan: harness.Plan{Root: root, Python: &harness.Python{Version: "3.12.1"}}, Dir: filepath.Join(root, "tests"), Revision: "v1.2.3"}
	text := e.workflow(&candidate{name: "gate_gradient"}, repository(root))
	for _, want := range []string{"rlvet/rlvet@v1.2.3", `python-version: "3.12"`, "pip install -r requirements.txt", "pytest tests/test_gate_gradient.py"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	path := filepath.Join(root, "rlvet-hunt.yml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "-modfile=.ci/tools.mod", "actionlint", path)
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
