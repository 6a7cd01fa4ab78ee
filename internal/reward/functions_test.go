package reward

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/torchtest"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/rules"
)

// pythonFor returns a Python, with torch or without, for functions that need none.
func pythonFor(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("RLVET_PYTHON"), "/usr/bin/python3", "python3"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("SKIPPED: no python3: reward functions are NOT called")
	return ""
}

// project copies the testdata into a folder that is a project of its own.
func project(t *testing.T) string { return torchtest.CopyOf(t, "testdata", ".") }

// ask is a request for a function of the project at root.
func ask(t *testing.T, root, file, function, data string) Request {
	t.Helper()
	r := Request{Function: function, MaxPrompts: 6, Timeout: DefaultTimeout, MaxTime: DefaultTime, MaxMemory: DefaultMemory}
	if data != "" {
		r.Data = filepath.Join(root, data)
	}
	r.Request = program.Request{
		Scripts: []string{filepath.Join(root, file)}, Python: pythonFor(t), Launcher: harness.Local{Alone: true}, Plan: harness.Plan{Device: "cpu"},
	}
	registry, err := rule.NewRegistry(rules.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Check = vet.Request{Rules: registry, Resolver: &config.Resolver{Rules: registry, Isolated: true}}
	return r
}

// called calls a function and returns the result.
func called(t *testing.T, r Request) *Result {
	t.Helper()
	result, err := Run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// works are the tricks that work.
func works(r *Result) (out []string) {
	for _, trick := range r.working() {
		out = append(out, trick.ID)
	}
	return out
}

// broken are the parts of the contract that are broken.
func broken(r *Result) (out []string) {
	for _, c := range r.Contract {
		if c.Status == "broken" {
			out = append(out, c.Name)
		}
	}
	return out
}

// TestHackable: the hole of each function is found, by its trick.
func TestHackable(t *testing.T) {
	root := project(t)
	for function, c := range map[string]struct{ data, trick string }{
		"contains":        {"sums.jsonl", "mentioned"},
		"any_boxed":       {"math.jsonl", "among-others"},
		"reversed_in":     {"chat.jsonl", "no-answer"},
		"tag_count":       {"sums.jsonl", "repeated-format"},
		"length_bonus":    {"", "long"},
		"run_code":        {"code.jsonl", "exit"},
		"reasoning_words": {"sums.jsonl", "own-words"},
		"compute_score":   {"sums.jsonl", "mentioned"},
		"json_contains":   {"sums.jsonl", "all-answers"},
		"any_letter":      {"choices.jsonl", "all-answers"},
	} {
		t.Run(function, func(t *testing.T) {
			request := ask(t, root, "hackable.py", function, c.data)
			if function == "run_code" { // starts a Python each time
				request.MaxPrompts = 2
			}
			r := called(t, request)
			if !slices.Contains(works(r), c.trick) || !r.Found {
				t.Errorf("%s was not found: %s\n%s", c.trick, works(r), shown(t, r))
			}
			t.Logf("%s: %s", works(r), r.Form.Template)
		})
	}
}

// TestGood: functions that hold are not accused, and the form that they want is found.
func TestGood(t *testing.T) {
	root := project(t)
	for function, data := range map[string]string{
		"exact_match": "chat.jsonl", "compute_score": "sums.jsonl", "boxed_reward": "math.jsonl", "format_reward": "sums.jsonl", "concise_reward": "", "code_reward": "code.jsonl",
		"last_number": "sums.jsonl", "json_reward": "sums.jsonl", "ToolCallReward": "tools.jsonl", "choice_reward": "choices.jsonl",
	} {
		t.Run(function, func(t *testing.T) {
			r := called(t, ask(t, root, "good.py", function, data))
			if r.Found {
				t.Errorf("%s, %s\n%s", works(r), broken(r), shown(t, r))
			}
			if r.Form.Judged == (function == "format_reward") {
				t.Errorf("the right answer in its form: %+v", r.Form)
			}
			t.Logf("%s: right %s, wrong %s", r.Form.Template, short3(r.Form.Right), short3(r.Form.Wrong))
		})
	}
}

// shown is the result as text.
func shown(t *testing.T, r *Result) string {
	t.Helper()
	var b strings.Builder
	if err := WriteText(&b, r, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
