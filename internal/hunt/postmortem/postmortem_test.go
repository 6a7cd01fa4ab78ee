package postmortem

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/pagetest"
	"github.com/rlvet/rlvet/internal/vet"
)

var update = flag.Bool("update", false, "rewrite golden files")

const program = `class Gate(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x.abs().sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        # </script><script>alert(1)</script> ` + "```" + `
        return grad_output * 0.75 * x.abs().sqrt()
`

const patch = `--- a/gate.py
+++ b/gate.py
@@ -8,4 +8,4 @@
     def backward(ctx, grad_output):
         (x,) = ctx.saved_tensors
         # </script><script>alert(1)</script>
-        return grad_output * 0.75 * x.abs().sqrt()
+        return grad_output * 1.5 * x.abs().sqrt()
`

func ptr[T any](v T) *T { return &v }

// failing is a hunt that found a wrong gradient behind a NaN, and its fix; what the program
// says is hostile.
func failing() *hunt.Result {
	nan, inf := hunt.Float(math.NaN()), hunt.Float(math.Inf(1))
	gate := hunt.Gradient{
		Function: "Gate", Filename: "/p/gate.py", Row: 11, ForwardRow: 3, Module: "policy.<gate>", Verdict: "wrong", Pattern: ptr("constant factor 0.5"), Order: 1,
		MaxRelativeError: ptr(hunt.Float(0.5)), Worst: &hunt.Worst{Input: "x", Index: []int{0, 3}, Analytic: 0.75, Numeric: 1.5}, Elements: 64,
		Points: [][2]hunt.Float{{0.75, 1.5}, {-1, -2}, {nan, 1}},
	}
	right := gate
	right.Verdict, right.Pattern, right.Worst, right.Points = "right", nil, nil, nil
	whole := hunt.Gradient{Function: "Policy", Module: "policy", Filename: "/p/train.py", Row: 3, ForwardRow: 3, Verdict: "wrong"}
	failure := &hunt.Failure{Kind: "loss", Seed: 7, Step: 2, Backward: 2, Detail: "the loss is nan"}
	before := []hunt.Seed{
		{Seed: 7, Status: "failed", Failure: failure, Steps: 2, WallSeconds: 1.5, Losses: []hunt.Loss{{Value: 900}, {Backward: 1, Step: 1, Value: 2}, {Backward: 2, Step: 2, Value: nan}}},
		{Seed: 19, Status: "clean", Steps: 3, WallSeconds: 2, Losses: []hunt.Loss{{Value: 800}, {Backward: 1, Step: 1, Value: 1}, {Backward: 2, Step: 2, Value: 0.5}}},
		{Seed: 23, Status: "timeout", Trouble: "its time was over `<b>`", Steps: 1, WallSeconds: 9},
	}
	after := []hunt.Seed{{Seed: 7, Status: "clean", Steps: 3, Losses: []hunt.Loss{{Value: 900}, {Backward: 1, Step: 1, Value: 1}}}, before[1]}
	return &hunt.Result{
		Script: "/p/train.py", Args: []string{"--name", "<img src=x onerror=y>"}, Dir: "/p", Reproduced: true, Deterministic: ptr(true), Failure: failure,
		Environment: hunt.Environment{Rlvet: "1.2.3", Device: "cpu", Isolation: harness.NoIsolation, Command: "rlvet hunt train.py --seeds 7,19,23", Python: &harness.Python{Version: "3.11.2", Torch: "2.8.0"}},
		FirstBad: &hunt.FirstBad{
			Phase: "backward", Op: "GateBackward", Module: "policy.<gate>", Function: ptr("Gate"), Filename: "/p/gate.py", Row: 11, Column: 16, Why: "its gradient came in finite and went out with infinity [x](javascript:y)",
			Statistics: hunt.Statistics{
				Inputs:     []hunt.Stats{{Name: "x|y", Shape: []int{64, 8}, Dtype: "float32", Count: 512, Min: ptr(hunt.Float(-3)), Max: ptr(hunt.Float(2.5)), Mean: ptr(hunt.Float(0.1))}},
				GradientIn: &hunt.Stats{Shape: []int{64, 8}, Dtype: "float32", Count: 512}, GradientOut: &hunt.Stats{Shape: []int{64, 8}, Dtype: "float32", Count: 512, Inf: 3},
			},
		},
		Chain:     []hunt.Link{{Phase: "backward", Op: "GateBackward", Module: "policy.<gate>", Filename: "/p/gate.py", Row: 11}, {Phase: "backward", Op: "MulBackward0", Filename: "/p/train.py", Row: 40}},
		Gradients: []hunt.Gradient{gate, whole},
		Findings:  []vet.FindingJSON{{Code: "GRAD019", Name: "backward-not-derivative", Filename: "/p/gate.py", Location: vet.LocationJSON{Row: 11}, Message: "the gradient is not the derivative"}},
		Fix: hunt.Fix{
			Verdict: "fixed", Reason: "both seeds are clean", Source: "fix.patch", Diff: patch, Bound: ptr(0.78),
			Before: &hunt.Trial{Failed: 1, Seeds: before, Gradients: []hunt.Gradient{gate}}, After: &hunt.Trial{Seeds: after, Gradients: []hunt.Gradient{right}},
			Reached: []hunt.Reached{{Filename: "/p/gate.py", Row: 11, EndRow: 11, Hits: ptr(36)}},
		},
		Seeds: before, Window: &[2]int{0, 2}, Notes: []string{"torch.compile was passed over"},
		Layers: []hunt.Layer{
			{Module: "policy.<gate>", Steps: []int{0, 1, 2}, Activation: []*hunt.Float{ptr(hunt.Float(1)), ptr(hunt.Float(1000)), nil}, Gradient: []*hunt.Float{ptr(hunt.Float(0.1)), ptr(inf), ptr(nan)}, BadStep: ptr(1)},
			{Module: "policy.head", Steps: []int{0, 1}, Activation: []*hunt.Float{ptr(hunt.Float(0)), ptr(hunt.Float(10))}, Gradient: []*hunt.Float{nil, nil}},
		},
		Files: map[string]string{}, Texts: map[string][]byte{"/p/gate.py": []byte(program)},
	}
}

// clean is a hunt that found nothing.
func clean() *hunt.Result {
	return &hunt.Result{
		Script: "/p/train.py", Dir: "/p", Environment: hunt.Environment{Rlvet: "1.2.3", Isolation: harness.NoIsolation, Command: "rlvet hunt train.py"},
		Seeds: []hunt.Seed{{Seed: 0, Status: "clean", Steps: 10, Losses: []hunt.Loss{{Value: 1}, {Backward: 1, Step: 1, Value: 0.5}}}}, Bound: ptr(0.95), Fix: hunt.Fix{Verdict: "not-tried"},
	}
}

// TestPostMortem: the same result gives the same files, and they say what is recorded.
func TestPostMortem(t *testing.T) {
	for name, r := range map[string]*hunt.Result{"failing": failing(), "clean": clean()} {
		dir := filepath.Join(t.TempDir(), "a", "b")
		for range 2 {
			files, err := Write(dir, r)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, files["post-mortem"], name+".md")
			compare(t, files["page"], name+".html")
		}
		if left, _ := os.ReadDir(dir); len(left) != 2 {
			t.Errorf("%s: %d files are there", name, len(left))
		}
	}
}

func compare(t *testing.T, path, golden string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	golden = filepath.Join("testdata", golden)
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs; -update rewrites it:\n%s", golden, diff)
	}
}

// TestTextsStayTexts: what a program says is neither an element of the page nor a link or
// an end of code in the Markdown.
func TestTextsStayTexts(t *testing.T) {
	d := documentOf(failing())
	var page bytes.Buffer
	if err := d.writeHTML(&page); err != nil {
		t.Fatal(err)
	}
	elements, err := pagetest.Elements(&page)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range elements {
		for name := range e.Attributes {
			if e.Name == "script" || e.Name == "img" || e.Name == "b" && name == "onerror" || strings.HasPrefix(name, "on") {
				t.Errorf("element %s with %s", e.Name, name)
			}
		}
	}
	text := d.markdown()
	for _, no := range []string{"[x](", " <b>", "\n<"} {
		if strings.Contains(text, no) {
			t.Errorf("the Markdown holds %q", no)
		}
	}
	if !strings.Contains(text, "\n````python\n") {
		t.Error("a fence of three backquotes would end within the code")
	}
}

// TestNumbersAreOfTheResult: what a reader looks for stands in it.
func TestNumbersAreOfTheResult(t *testing.T) {
	d := documentOf(failing())
	text := d.markdown()
	for _, want := range []string{
		"under 1 of 3 random seeds", "after 2 steps of the optimizer", "`gate.py:11`", "| `x[0, 3]` | 0.75 | 1.5 | 0.5 | 0.5 |", "divided by `0.5`", "ran 36 times",
		"at most 78 %", "in 33 % of cases", "it was not run before this code was merged", "inf ✗", "Seed 7 again, steps 0 to 2",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "To be added by a person"); n != 6 {
		t.Errorf("%d gaps for people, want 6", n)
	}
}

// TestBeforeTheFirstStep: a run that fails at once has done no steps, and lost no training.
func TestBeforeTheFirstStep(t *testing.T) {
	r := failing()
	r.Failure.Step = 0
	for i := range r.Seeds {
		r.Seeds[i].Steps = 0
		if f := r.Seeds[i].Failure; f != nil {
			f.Step = 0
		}
	}
	text := documentOf(r).markdown()
	for _, want := range []string{", before the first step of the optimizer, ", "It failed before the first step of the optimizer, so no training is lost.", "failed before the first step: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "0 steps") {
		t.Errorf("it did 0 steps:\n%s", text)
	}
}

// TestPatternsAreMended: each way in which a gradient is wrong says what ought to stand there.
func TestPatternsAreMended(t *testing.T) {
	for pattern, want := range map[string]string{
		"constant factor 0.5 (n)": "divided by `0.5 (n)`", "sign": "other sign", "grad_output ignored": "times `grad_output`", "transposed": "transpose",
		"missing factor x": "times `x`", "factor x too many": "divided by `x`.", "missing chain-rule term -y": "plus `-y`", "gradient missing for x (zero)": "`x (zero)`",
		"wrong only where |x| > 1": "where `|x| > 1`", "changes x in place": "a copy of `x`.",
		"not linear in grad_output": "does not depend on it", "something new": "",
	} {
		if got := rightOne(&pattern); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}

// TestManyOfEverything: a hundred layers and seeds are cut down, and never the one to see.
func TestManyOfEverything(t *testing.T) {
	r := failing()
	for i := range 100 {
		r.Layers = append([]hunt.Layer{{Module: "layer", Steps: []int{0}, Activation: []*hunt.Float{ptr(hunt.Float(i))}, Gradient: []*hunt.Float{nil}}}, r.Layers...)
		r.Seeds = append(r.Seeds, hunt.Seed{Seed: 100 + i, Status: "clean"})
	}
	d := documentOf(r)
	text := d.markdown()
	for _, want := range []string{"inf ✗", "12 of 102 layers", "And 93 runs: 0 failed, 93 clean", "6 of 103 runs are drawn"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}
