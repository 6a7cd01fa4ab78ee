package hunt

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/harness/protocol"
)

// ran is a run as a test has it: what the instruments told and wrote.
type ran struct {
	status  string // "" is done
	failure string // JSON of the note
	crash   *harness.Crash
	files   map[string]string // by instrument, without "hunt."
}

// stage stands for the machine: it "runs" plans by what a test says of them.
type stage struct {
	t     *testing.T
	runs  func(plan harness.Plan, seed, nth int) ran
	times map[int]int // a seed was run
	asked []string    // what each run was: "7: guards localise 3-4"
}

func (s *stage) run(_ context.Context, _ string, plans []harness.Plan) ([]*harness.Report, error) {
	var out []*harness.Report
	for _, p := range plans {
		r := &harness.Report{Isolation: harness.NoIsolation}
		for _, seed := range p.Seeds {
			s.asked = append(s.asked, asked(p, seed))
			r.Runs = append(r.Runs, s.one(p, seed))
		}
		out = append(out, r)
	}
	return out, nil
}

func (s *stage) one(p harness.Plan, seed int) harness.SeedRun {
	s.t.Helper()
	s.times[seed]++
	got := s.runs(p, seed, s.times[seed])
	run := harness.SeedRun{Seed: seed, Status: got.status, Device: "cpu", Crash: got.crash, Steps: 20}
	if run.Status == "" {
		run.Status = "done"
	}
	if got.failure != "" {
		run.Status = "failure"
		run.Failures = make([]protocol.Failure, 1)
		if err := json.Unmarshal([]byte(got.failure), &run.Failures[0]); err != nil {
			s.t.Fatal(err)
		}
	}
	for name, text := range got.files {
		path := filepath.Join(p.Kept, strconv.Itoa(seed), name+".json")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, s.whole(name, text), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	return run
}

// nothing is what instruments write where they saw nothing.
var nothing = map[string]string{
	"guards": `{"losses": [], "norms": [], "rollout_step": null, "unused": [], "vanished": null, "devices": ["cpu"], "compiled": false, "digests": [],
		"amp": {"scaler": false, "skipped": 0}, "steps": 20}`,
	"localise":    `{"reproduced": false, "failure": null, "first_bad": null, "chain": [], "layers": [], "window": [0, 0], "again": null, "environment": {}, "operations": 9}`,
	"derivatives": `{"functions": [], "double_backward": false}`, "inplace": `{"changed": [], "steps": 12}`, "reached": `{"lines": []}`,
}

// whole is what an instrument writes that saw what a text says, and nothing else.
func (s *stage) whole(name, text string) []byte {
	all := map[string]json.RawMessage{}
	for _, part := range []string{nothing[name], text} {
		if err := json.Unmarshal([]byte(part), &all); err != nil {
			s.t.Fatal(err)
		}
	}
	out, err := json.Marshal(all)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// asked is what a plan asks of a seed, in short.
func asked(p harness.Plan, seed int) string {
	words := []string{fmt.Sprintf("%d:", seed)}
	for _, i := range p.Instruments {
		words = append(words, strings.TrimPrefix(i.Name, "hunt."))
		if i.Name == localise {
			words = append(words, fmt.Sprintf("%v-%v", i.Settings["from"], i.Settings["to"]))
		}
		if i.Settings["digests"] == true {
			words = append(words, "digests")
		}
	}
	if len(p.Overlay) > 0 {
		words = append(words, "changed")
	}
	return strings.Join(words, " ")
}

// has reports whether a plan has an instrument.
func has(p harness.Plan, name string) bool {
	return slices.ContainsFunc(p.Instruments, func(i harness.Instrument) bool { return i.Name == name })
}

// hunted hunts on a stage, in a project of one file.
func hunted(t *testing.T, j *Job, runs func(p harness.Plan, seed, nth int) ran) (*Result, *stage) {
	t.Helper()
	s := &stage{t: t, runs: runs, times: map[int]int{}}
	if j.Plan.Root == "" {
		j.Plan.Root = t.TempDir()
	}
	j.Plan.Script, j.Work, j.Run, j.Dir = "train.py", t.TempDir(), s.run, j.Plan.Root
	j.Script = filepath.Join(j.Plan.Root, "train.py")
	if j.Plan.Seeds == nil {
		j.Plan.Seeds = []int{0, 7, 9}
	}
	j.Plan.Python = &harness.Python{Version: "3.11.2", Torch: "2.8.0"}
	r, err := j.Hunt(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}

const (
	nanLoss = `{"kind": "loss", "step": 9, "backward": 10, "detail": "the loss is nan"}`
	losses  = `{"losses": [[1, 0, 1.5], [2, 1, 1.25]], "norms": [[1, 0.5]], "rollout_step": 8}`
	bad     = `{"first_bad": {"phase": "backward", "op": "DivBackward0", "module": "policy.gate", "function": null, "filename": "train.py", "row": 3, "column": 12, "in": "gate", "step": 9, "entered": false,
		"source": "return x / y", "why": "the divisor is 0", "inputs": [{"name": "y", "shape": [4, 2], "dtype": "float32", "nan": 0, "inf": 0, "min": 0, "max": 2.5, "mean": 1, "norm": 3, "count": 8}],
		"outputs": [], "gradient_in": null, "gradient_out": {"shape": [4, 2], "dtype": "float32", "nan": 1, "inf": 2, "count": 8}},
		"chain": [{"phase": "backward", "op": "DivBackward0", "module": "policy.gate", "filename": "train.py", "row": 3, "source": "return x / y"}], "layers": [], "window": [8, 9], "reproduced": true, "again": %v}`
)

// TestFailingSeed: the first seed that fails is run again with the steps since the last
// rollout instrumented, and what was found is told in places of the user's.
func TestFailingSeed(t *testing.T) {
	r, s := hunted(t, &Job{}, func(p harness.Plan, seed, _ int) ran {
		switch {
		case has(p, localise):
			return ran{failure: nanLoss, files: map[string]string{"guards": losses, "localise": fmt.Sprintf(bad, "null")}}
		case seed == 7:
			return ran{failure: nanLoss, files: map[string]string{"guards": losses}}
		}
		return ran{files: map[string]string{"guards": losses}}
	})
	if want := []string{"0: guards", "7: guards", "9: guards", "7: localise 8-9 guards"}; !slices.Equal(s.asked, want) {
		t.Errorf("what was run: %q, want %q", s.asked, want)
	}
	if !r.Reproduced || r.Deterministic == nil || !*r.Deterministic || r.Failure.Seed != 7 || r.Failure.Step != 9 {
		t.Errorf("reproduced %v, deterministic %v, %+v", r.Reproduced, r.Deterministic, r.Failure)
	}
	if r.FirstBad == nil || r.FirstBad.Filename != r.Script || r.FirstBad.Statistics.GradientOut.Inf != 2 || len(r.Chain) != 1 {
		t.Errorf("the first bad one is %+v", r.FirstBad)
	}
	if !r.Found() || r.Trouble() != "" || r.Bound != nil {
		t.Errorf("found %v, trouble %q, bound %v", r.Found(), r.Trouble(), r.Bound)
	}
}

// TestWindowWidens: as long as the localiser asks for another look it gets one, without
// trying gradients once more; there is an end to that.
func TestWindowWidens(t *testing.T) {
	late := strings.Replace(strings.Replace(nanLoss, "9", "40", 1), "10", "41", 1)
	for name, c := range map[string]struct {
		again func(nth int) string
		want  []string
	}{
		"further back": {func(nth int) string {
			return []string{"", "null", `{"from": 36, "to": 40}`, `{"from": 0, "to": 40}`, "null", "null"}[nth]
		},
			[]string{"3: guards derivatives", "3: localise 39-40 derivatives guards", "3: localise 36-40 guards", "3: localise 0-40 guards", "3: inplace"}},
		"for ever": {func(int) string { return `{"from": 0, "to": 40}` },
			slices.Concat([]string{"3: guards derivatives", "3: localise 39-40 derivatives guards"}, slices.Repeat([]string{"3: localise 0-40 guards"}, mostLooks-1), []string{"3: inplace"})},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := hunted(t, &Job{Gradients: true, Plan: harness.Plan{Seeds: []int{3}}}, func(_ harness.Plan, _, nth int) ran {
				return ran{failure: late, files: map[string]string{"localise": fmt.Sprintf(bad, c.again(nth))}}
			})
			if !slices.Equal(s.asked, c.want) {
				t.Errorf("what was run: %q, want %q", s.asked, c.want)
			}
		})
	}
}

// TestFailsNoMore: a seed that does not fail again is watched from its beginning, and then
// said not to.
func TestFailsNoMore(t *testing.T) {
	r, s := hunted(t, &Job{Plan: harness.Plan{Seeds: []int{7}}}, func(_ harness.Plan, _, nth int) ran {
		if nth == 1 {
			return ran{failure: nanLoss, files: map[string]string{"guards": losses}}
		}
		return ran{files: map[string]string{"guards": losses, "localise": `{"reproduced": false, "first_bad": null, "again": null}`}}
	})
	if want := []string{"7: guards", "7: localise 8-9 guards", "7: localise 0-9 guards", "7: localise 0-9 guards"}; !slices.Equal(s.asked, want) {
		t.Errorf("what was run: %q, want %q", s.asked, want)
	}
	if r.Reproduced || r.FirstBad != nil || !r.Found() || len(r.Notes) != 1 {
		t.Errorf("reproduced %v, %+v, %q", r.Reproduced, r.FirstBad, r.Notes)
	}
}

// TestExceptionsThatOnlySpeakOfNumbers: an exception to which no bad value led is a crash like
// others; one that a bad value led to is a failure.
func TestExceptionsThatOnlySpeakOfNumbers(t *testing.T) {
	const raised = `{"kind": "exception", "step": 3, "backward": 3, "detail": "KeyError: 'final_info'", "exception": "KeyError"}`
	crash := &harness.Crash{Type: "KeyError", Message: "'final_info'"}
	for found, want := range map[string]string{`{"reproduced": true, "first_bad": null, "again": null}`: "seed 7: it raised KeyError: 'final_info'", fmt.Sprintf(bad, "null"): ""} {
		r, _ := hunted(t, &Job{Plan: harness.Plan{Seeds: []int{7}}}, func(p harness.Plan, _, _ int) ran {
			return ran{failure: raised, crash: crash, files: map[string]string{"guards": losses, "localise": found}}
		})
		if r.Trouble() != want || r.Found() != (want == "") || len(r.Notes) > 0 {
			t.Errorf("trouble %q, want %q; found %v; %q", r.Trouble(), want, r.Found(), r.Notes)
		}
	}
}

// TestLateLook: a look that its time does not suffice for is no proof, and is said.
func TestLateLook(t *testing.T) {
	r, s := hunted(t, &Job{Plan: harness.Plan{Seeds: []int{7}}}, func(p harness.Plan, _, _ int) ran {
		if has(p, localise) {
			return ran{status: "timeout", files: map[string]string{"guards": losses, "localise": `{"reproduced": false, "first_bad": null, "again": null}`}}
		}
		return ran{failure: nanLoss, files: map[string]string{"guards": losses}}
	})
	if len(s.asked) != 2 || r.Reproduced || !strings.Contains(strings.Join(r.Notes, "\n"), "did not reach the failure: it ran out of time; give it more with --timeout") {
		t.Errorf("what was run: %q; %q", s.asked, r.Notes)
	}
}

// TestPartingRuns: where the second run of a seed is another one, two plain runs tell what
// made them part.
func TestPartingRuns(t *testing.T) {
	other := strings.Replace(losses, "1.25", "1.125", 1)
	for name, c := range map[string]struct{ one, two, cause string }{
		"nobody seeded the numbers":       {`[[1, 5, 6], [2, 7, 8]]`, `[[1, 5, 6], [2, 70, 80]]`, "random"},
		"the data depend on time":         {`[[1, 5, 6], [2, 7, 8]]`, `[[1, 5, 6], [2, 7, 80]]`, "data"},
		"atomic additions":                {`[[1, 5, 6], [2, 7, 8]]`, `[[1, 5, 6], [2, 7, 8]]`, "arithmetic"},
		"what differs afterwards is none": {`[[1, 5, 6], [2, 7, 8], [3, 1, 1]]`, `[[1, 5, 6], [2, 7, 8], [3, 2, 2]]`, "arithmetic"},
	} {
		t.Run(name, func(t *testing.T) {
			kept := func(losses, digests string) map[string]string {
				return map[string]string{"guards": strings.Replace(losses, "{", `{"digests": `+digests+", ", 1), "localise": fmt.Sprintf(bad, "null")}
			}
			r, s := hunted(t, &Job{Plan: harness.Plan{Seeds: []int{7}}}, func(_ harness.Plan, _, nth int) ran {
				if nth%2 == 1 {
					return ran{failure: nanLoss, files: kept(losses, c.one)}
				}
				return ran{failure: nanLoss, files: kept(other, c.two)}
			})
			if len(s.asked) != 4 || s.asked[3] != "7: guards digests" {
				t.Errorf("what was run: %q", s.asked)
			}
			if *r.Deterministic || r.Difference == nil || r.Difference.Cause != c.cause || r.Difference.Backward != 2 {
				t.Errorf("deterministic %v, %+v, want the cause %s", *r.Deterministic, r.Difference, c.cause)
			}
		})
	}
}

// TestNeverFails: clean seeds give a bound, and the gradients are tried under some of them, in their only
// run; what one run says against a function stands.
func TestNeverFails(t *testing.T) {
	const tried = `{"functions": [{"function": "Gate", "filename": "train.py", "row": 3, "module": "policy", "verdict": "%s", "reason": "as seed %d says", "pattern": null, "order": 1, "calls": 3},
		{"function": "Mix", "filename": "train.py", "row": 9, "module": null, "verdict": "right", "reason": null, "pattern": null, "order": 1, "calls": 3}]}`
	r, s := hunted(t, &Job{Gradients: true, Plan: harness.Plan{Seeds: []int{0, 7, 9, 11}}}, func(_ harness.Plan, seed, _ int) ran {
		verdict := map[bool]string{true: "wrong", false: "right"}[seed > 0]
		return ran{files: map[string]string{"guards": losses, "derivatives": fmt.Sprintf(tried, verdict, seed)}}
	})
	want := []string{"0: guards derivatives", "7: guards derivatives", "9: guards derivatives", "11: guards", "0: guards inplace"}
	if !slices.Equal(s.asked, want) {
		t.Errorf("what was run: %q, want %q", s.asked, want)
	}
	if r.Failure != nil || r.Bound == nil || *r.Bound != harness.Bound(4) || !r.Found() {
		t.Errorf("failure %v, bound %v, found %v", r.Failure, r.Bound, r.Found())
	}
	if len(r.Gradients) != 2 || r.Gradients[0].Verdict != "wrong" || r.Gradients[0].Reason != "as seed 7 says" || r.Gradients[1].Verdict != "right" {
		t.Errorf("gradients %+v", r.Gradients)
	}
}

// TestUntilOneFails: seeds are tried some at a time, and no more than needed.
func TestUntilOneFails(t *testing.T) {
	r, s := hunted(t, &Job{AtATime: 2, Plan: harness.Plan{Seeds: []int{0, 1, 2, 3, 4, 5, 6, 7}}}, func(p harness.Plan, seed, _ int) ran {
		if seed == 2 {
			return ran{failure: nanLoss, files: map[string]string{"guards": losses, "localise": fmt.Sprintf(bad, "null")}}
		}
		return ran{files: map[string]string{"guards": losses}}
	})
	if len(s.asked) != 5 || r.Failure.Seed != 2 || r.count("clean") != 3 {
		t.Errorf("%q, %+v, %d clean", s.asked, r.Failure, r.count("clean"))
	}
}

// TestCannotRun: a crash that has nothing to do with training is no finding, and is said
// with its line; runs that only came to the end of their time are no clean ones.
func TestCannotRun(t *testing.T) {
	crash := &harness.Crash{Type: "KeyError", Message: "'x'", Traceback: "  File \"/tmp/copy/train.py\", line 7, in <module>\n    y['x']\nKeyError: 'x'"}
	for name, c := range map[string]struct {
		run  func(seed int) ran
		want string
	}{
		"raises":              {func(int) ran { return ran{status: "crash", crash: crash} }, "seed 0: it raised KeyError: 'x' (train.py:7)"},
		"raises once":         {func(seed int) ran { return map[bool]ran{true: {status: "crash", crash: crash}}[seed == 9] }, "seed 9: it raised KeyError: 'x' (train.py:7)"},
		"never ends":          {func(int) ran { return ran{status: "timeout"} }, "seed 0: it ran out of time; give it more with --timeout"},
		"is long under a few": {func(seed int) ran { return map[bool]ran{true: {status: "timeout"}}[seed == 7] }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := hunted(t, &Job{}, func(_ harness.Plan, seed, _ int) ran { return c.run(seed) })
			if r.Trouble() != c.want || r.Found() {
				t.Errorf("trouble %q, want %q; found %v", r.Trouble(), c.want, r.Found())
			}
			if c.want == "" && (r.Bound == nil || *r.Bound != harness.Bound(2)) {
				t.Errorf("the bound counts a run that did not end: %v", r.Bound)
			}
		})
	}
}
