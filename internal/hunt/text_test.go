package hunt

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/vet"
)

func float(v float64) *Float { f := Float(v); return &f }

// everything is a result in which there is something of everything.
func everything() *Result {
	factor, yes, name := "constant factor 0.5", true, "Gate"
	bound := harness.Bound(2)
	r := newResult(&Job{Script: "/p/src/train.py", Dir: "/p", Version: "1", Plan: harness.Plan{Root: "/p", Python: &harness.Python{Version: "3.11.2", Torch: "2.8.0"}}})
	r.Environment.Isolation = harness.NoIsolation
	r.Texts = map[string][]byte{"/p/src/layers.py": []byte("class Gate:\n    def backward(ctx, g):\n        return g / ctx.x  # the gate\n")}
	r.Reproduced, r.Deterministic = true, &yes
	r.Failure = &Failure{Kind: "gradient", Seed: 7, Step: 12, Backward: 30, Detail: "a gradient has\n3 NaN of 8\x1b[31m", Parameter: "policy.gate.weight", Process: "1"}
	r.FirstBad = &FirstBad{
		Phase: "backward", Op: "GateBackward", Module: "policy.gate", Function: &name, Filename: "/p/src/layers.py", Row: 3, Column: 16, EndColumn: 25,
		Source: "return g / ctx.x", Why: "its gradient came in finite and went out with infinity",
		Statistics: Statistics{
			Inputs:      []Stats{{Name: "x", Shape: []int{4, 2}, Dtype: "float32", Count: 8, Min: float(0), Max: float(2.5), Mean: float(1)}},
			GradientIn:  &Stats{Shape: []int{4, 2}, Dtype: "float32", Count: 8, Min: float(-1), Max: float(1), Mean: float(0.125)},
			GradientOut: &Stats{Shape: []int{4, 2}, Dtype: "float32", Count: 8, NaN: 1, Inf: 2},
		},
	}
	for row := range 12 {
		r.Chain = append(r.Chain, Link{Phase: "backward", Op: "MulBackward0", Module: "policy", Filename: "/p/src/layers.py", Row: row + 1})
	}
	r.Gradients = []Gradient{
		{Function: "Gate", Filename: "/p/src/layers.py", Row: 3, ForwardRow: 2, Module: "policy.gate", Verdict: "wrong", Pattern: &factor, Order: 1, Worst: &Worst{"x", []int{3, 1}, 0.5, 1}},
		{Function: "Policy", Filename: "/p/src/layers.py", Row: 1, ForwardRow: 1, Module: "policy", Verdict: "wrong", Reason: "off", Order: 1},
		{Function: "Round", Filename: "/p/src/layers.py", Row: 1, ForwardRow: 2, Verdict: "surrogate", Reason: "not the derivative of forward: deliberate?", Order: 1},
		{Function: "Scale", Verdict: "right", Order: 1}, {Function: "Scale", Verdict: "right", Order: 2},
		{Function: "torch.nn.modules.container.Sequential", Module: "critic", Verdict: "right", Order: 1}, {Function: "torch.nn.modules.container.Sequential", Module: "actor", Verdict: "right", Order: 1},
		{Function: "torch.nn.modules.linear.Linear", Module: "head", Verdict: "untested", Reason: "it ran under no_grad", Order: 1},
	}
	r.Findings = []vet.FindingJSON{{Code: "GRAD019", Name: "backward-not-derivative", Filename: "/p/src/layers.py", Location: vet.LocationJSON{Row: 3}, Message: "a factor is wrong", Fix: &vet.FixJSON{Message: "Multiply by 2"}}}
	r.Fix = Fix{Verdict: "fixed", Reason: "2 of 2 seeds clean, 1 before", Source: "gate.patch", Bound: &bound}
	r.Unused = []Unused{{Parameter: "critic.spare", Shape: []int{2}, Why: "never"}}
	r.Notes = []string{"torch.compile was turned off"}
	r.Files["page"] = "out/postmortem.html"
	r.Seeds = []Seed{{Seed: 3, Status: "clean"}, {Seed: 7, Status: "failed", Failure: r.Failure}, {Seed: 9, Status: "timeout", Trouble: "it ran out of time; give it more with --timeout"}}
	return r
}

// TestText: what a person reads in a minute.
func TestText(t *testing.T) {
	const want = `failure: seed 7, step 12: a gradient has 3 NaN of 8<U+001B>[31m (policy.gate.weight), in child process 1
first bad: src/layers.py:3: backward of GateBackward in policy.gate (Gate)
  |
2 |     def backward(ctx, g):
3 |         return g / ctx.x  # the gate
  |                ^^^^^^^^^
  |
  why: its gradient came in finite and went out with infinity
  input x: float32 [4, 2]: 0 to 2.5, mean 1
  gradient in: float32 [4, 2]: -1 to 1, mean 0.125
  gradient out: float32 [4, 2]: 1 of 8 nan, 2 of 8 inf
  from there to the failure:
    backward MulBackward0 in policy (src/layers.py:1)
    backward MulBackward0 in policy (src/layers.py:2)
    backward MulBackward0 in policy (src/layers.py:3)
    backward MulBackward0 in policy (src/layers.py:4)
    backward MulBackward0 in policy (src/layers.py:5)
    backward MulBackward0 in policy (src/layers.py:6)
    ... 4 more operations
    backward MulBackward0 in policy (src/layers.py:11)
    backward MulBackward0 in policy (src/layers.py:12)

gradient: Gate (src/layers.py:3, in policy.gate) is wrong: constant factor 0.5
  worst: x [3, 1]: backward gives 0.5, finite differences give 1
  also wrong, since it calls that: Policy (src/layers.py:1, in policy)
gradient: Round (src/layers.py:1) is surrogate: not the derivative of forward: deliberate?
gradient: torch.nn.modules.linear.Linear (in head) is untested: it ran under no_grad
gradients checked and correct: Scale, actor (Sequential), backward of Scale and critic (Sequential)
explained by: src/layers.py:3 GRAD019 a factor is wrong
fix verified (gate.patch): 2 of 2 seeds clean, 1 before
  bound: with 95 % confidence, at most 78 % of other seeds fail
unused: critic.spare is in an optimizer and never received a gradient
note: torch.compile was turned off
seed 9 ended early: it ran out of time; give it more with --timeout
written: out/postmortem.html (page)
src/train.py: 1 of 3 seeds failed (7), 1 clean; Python 3.11.2, torch 2.8.0 on cpu; NONE.
Deterministic: seed 7 failed again, with the same losses bit for bit.
`
	var b bytes.Buffer
	if err := WriteText(&b, everything(), false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(want, "NONE", harness.NoIsolation.Means(), 1), b.String()); diff != "" {
		t.Error(diff)
	}
}

// TestTextOfNumbers: what was made outside of torch has a line and no operation.
func TestTextOfNumbers(t *testing.T) {
	r := newResult(&Job{})
	r.Failure = &Failure{Kind: "loss", Detail: "the loss is nan"}
	r.FirstBad = &FirstBad{Phase: "environment", Filename: "/p/env.py", Row: 7, Source: "return obs / 0", Why: "the result is NaN after this line"}
	var b bytes.Buffer
	if err := WriteText(&b, r, false); err != nil {
		t.Fatal(err)
	}
	if want := "first bad: /p/env.py:7: environment\n   | return obs / 0\n"; !strings.Contains(b.String(), want) {
		t.Errorf("%q is not in\n%s", want, &b)
	}
}

// TestTextOfNothing: a program that never failed has its bound, and what was watched.
func TestTextOfNothing(t *testing.T) {
	r := everything()
	bound := harness.Bound(1)
	r.Failure, r.FirstBad, r.Chain, r.Gradients, r.Findings, r.Unused, r.Notes = nil, nil, nil, nil, nil, nil, nil
	r.Files = nil
	r.Fix, r.Seeds, r.Bound = Fix{Verdict: "not-tried"}, r.Seeds[:1], &bound
	const want = `src/train.py: 0 of 1 seed failed; Python 3.11.2, torch 2.8.0 on cpu; NONE.
Watched in each step: losses, gradients, parameters and the optimizer's state; in the environment: rewards and observations.
Bound: with 95 % confidence, at most 95 % of other seeds fail.
`
	var b bytes.Buffer
	if err := WriteText(&b, r, false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(want, "NONE", harness.NoIsolation.Means(), 1), b.String()); diff != "" {
		t.Error(diff)
	}
}

// TestTextOfTrouble: why the program did not run stands in the error alone, not once more for each seed.
func TestTextOfTrouble(t *testing.T) {
	r := everything()
	r.Failure, r.FirstBad, r.Chain, r.Gradients, r.Findings, r.Unused, r.Notes, r.Files, r.Bound = nil, nil, nil, nil, nil, nil, nil, nil, nil
	const missing = "it raised ModuleNotFoundError: No module named 'x'"
	r.Fix, r.Seeds, r.Error = Fix{Verdict: "not-tried"}, []Seed{{Seed: 0, Trouble: missing}, {Seed: 1, Trouble: missing}, {Seed: 2, Trouble: "it ran out of time"}}, "train.py: seed 0: "+missing+"; do this"
	const want = `seed 2 ended early: it ran out of time
src/train.py: none of 3 seeds finished; Python 3.11.2, torch 2.8.0 on cpu; NONE.
`
	var b bytes.Buffer
	if err := WriteText(&b, r, false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(want, "NONE", harness.NoIsolation.Means(), 1), b.String()); diff != "" {
		t.Error(diff)
	}
}

// TestJSON: the names are those that scripts read, lists are never null, and what was
// written is read again as the same.
func TestJSON(t *testing.T) {
	r := everything()
	r.Seeds[1].Losses = []Loss{{1, 0, Float(math.Inf(1))}}
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"script", "environment.python.torch", "reproduced", "deterministic", "failure.kind", "failure.seed", "failure.step", "first_bad.phase", "first_bad.op", "first_bad.module",
		"first_bad.filename", "first_bad.row", "first_bad.column", "first_bad.statistics.gradient_out.inf", "chain", "gradients", "findings", "fix.verdict", "fix.bound", "fix.reason", "seeds", "layers", "files",
	} {
		var at any = got
		for _, name := range strings.Split(path, ".") {
			object, _ := at.(map[string]any)
			at = object[name]
		}
		if at == nil {
			t.Errorf("there is no %s", path)
		}
	}
	again := &Result{}
	if err := json.Unmarshal(b.Bytes(), again); err != nil {
		t.Fatal(err)
	}
	var c bytes.Buffer
	if err := WriteJSON(&c, again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), c.String()); diff != "" {
		t.Error(diff)
	}
}
