package reward

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rlvet/rlvet/internal/torchtest"
)

// TestRough: whatever a function does, the calls go on, and what it did is said.
func TestRough(t *testing.T) {
	root := project(t)
	for function, c := range map[string]struct {
		broken []string
		says   string // in the text
	}{
		"writes":         {nil, "it wrote files: log.txt; those of the project went to the copy"},
		"asks_a_host":    {nil, "it tried to reach judge.example.com:443"},
		"pool":           {nil, ""},
		"Stateful":       {nil, ""},
		"stateful":       {nil, ""},
		"Weighted(0.25)": {nil, "the right answer gets 0.25"},
		"waits":          {nil, ""},
		"prints":         {nil, ""},
		"hangs":          {[]string{"ends"}, "it did not return in 2"},
		"raises":         {[]string{"exceptions"}, "it raised IndexError: list index out of range (rough.py:97): an empty completion, \"\""},
		"ends":           {[]string{"ends"}, "it ended the process (exit code 3)"},
		"one_for_all":    {[]string{"rewards"}, "it returned a float, not a list of rewards"},
		"too_few":        {[]string{"rewards"}, "0 rewards for 1 completion"},
		"noisy":          {[]string{"deterministic"}, "and 0."},
		"first_column":   {[]string{"order"}, "in a shuffled batch"},
		"not_finite":     {[]string{"finite"}, "reward 1 is NaN"},
		"words":          {[]string{"type"}, "a reward is a str"},
		"greedy":         {[]string{"ends"}, "it took more than 500 MB of memory"},
		"batched":        {nil, "called as by verl (in batches)"},
		"alone":          {nil, "one completion at a time"},
	} {
		t.Run(function, func(t *testing.T) {
			r := ask(t, root, "rough.py", function, "")
			r.MaxPrompts, r.Timeout, r.MaxMemory = 2, 30*time.Second, 500<<20
			if function == "hangs" {
				r.Timeout = 2 * time.Second
			}
			result := called(t, r)
			text := shown(t, result)
			if got := broken(result); !slices.Equal(got, c.broken) || !strings.Contains(text, c.says) {
				t.Errorf("%s is broken, want %s and %q in\n%s", got, c.broken, c.says, text)
			}
			if c.broken == nil && !result.Form.Judged {
				t.Errorf("the right answer was not told from a wrong one\n%s", text)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(root, "log.txt")); err == nil {
		t.Error("a file was written to the project itself")
	}
}

// TestRefusals: what keeps a function from being called is one line.
func TestRefusals(t *testing.T) {
	root := project(t)
	write := func(name, text string) string {
		path := filepath.Join(root, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for name, c := range map[string]struct{ file, function, data, want string }{
		"no such function":  {"rough.py", "wait", "", `rough.py: no function "wait"; did you mean "waits"? There are `},
		"several":           {"rough.py", "", "", "rough.py: which function? Name one of "},
		"unknown call":      {"rough.py", "unknown", "", "rough.py: unknown(a, b): its parameters are not those of TRL, verl or OpenRLHF; say how it is called by --framework trl|verl|openrlhf|plain"},
		"class":             {"rough.py", "Weighted", "", "an object of Weighted cannot be made without arguments"},
		"a model":           {"rough.py", "needs_a_model", "", "rough.py: needs_a_model needs a model or a library that is only stood in for here"},
		"a host":            {"rough.py", "needs_a_host", "", "rough.py: needs_a_host needs the network (judge.example.com:443), which is blocked"},
		"a column":          {"good.py", "boxed_reward", "sums.jsonl", "good.py: boxed_reward takes `solution`, and "},
		"no module":         {write("lacks.py", "import no_such_library\n\ndef f(completions, **kwargs):\n    return []\n"), "f", "", "lacks.py:1: it imports no_such_library; "},
		"import raises":     {write("fails.py", "import os\n\nx = 1 / 0\n"), "f", "", "fails.py:3: it cannot be imported: ZeroDivisionError: division by zero"},
		"import exits":      {write("exits.py", "import os\nos._exit(5)\n"), "f", "", "exits.py: it cannot be imported: the process ended while it imported the file: exit code 5"},
		"a number":          {write("number.py", "f = 7\n"), "f", "", "number.py: f is an int and cannot be called"},
		"no file":           {"nowhere.py", "f", "", "nowhere.py: no such file"},
		"no data":           {"good.py", "boxed_reward", "nowhere.jsonl", "nowhere.jsonl: no such file"},
		"not JSON":          {"good.py", "boxed_reward", write("bad.jsonl", "{\"prompt\": \"a\", \"solution\": \"b\"}\n{oops}\n"), "bad.jsonl:2: not JSON ("},
		"an array":          {"good.py", "boxed_reward", write("array.jsonl", "[{\"prompt\": \"a\"}]\n"), "array.jsonl:1: the file is one JSON array"},
		"a number in data":  {"good.py", "boxed_reward", write("numbers.jsonl", "7\n"), "numbers.jsonl:1: not a JSON object"},
		"empty":             {"good.py", "boxed_reward", write("empty.jsonl", "\n\n"), "empty.jsonl is empty"},
		"no answers":        {"good.py", "boxed_reward", write("none.jsonl", "{\"prompt\": \"a\", \"other\": \"b\"}\n"), "has no column with the right answer (it has other and prompt)"},
		"an object":         {"good.py", "boxed_reward", write("object.jsonl", "{\"prompt\": \"a\", \"answer\": {\"x\": 1}}\n"), "object.jsonl:1: answer is no text"},
		"answer is missing": {"good.py", "boxed_reward", write("some.jsonl", "{\"prompt\": \"a\", \"solution\": \"1\"}\n{\"prompt\": \"a\"}\n"), "some.jsonl:2: no solution"},
	} {
		t.Run(name, func(t *testing.T) {
			r := ask(t, root, c.file, c.function, c.data)
			r.Timeout, r.MaxPrompts = 2*time.Second, 2
			_, err := Run(context.Background(), r)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}

// TestTorch: rewards may be tensors, and a function of a package may import from it.
func TestTorch(t *testing.T) {
	python := torchtest.Python(t, "rewards that are tensors are NOT tried")
	root := project(t)
	folder := filepath.Join(root, "src", "scores")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"__init__.py": "import a_library_that_is_not_there\n",
		"util.py":     "def last(text):\n    return text.split()[-1] if text.split() else ''\n",
		"tensors.py": "import torch\nfrom .util import last\n\n\ndef reward_func(queries, prompts, labels):\n" +
			"    return torch.tensor([float(last(q[len(p):]) == l) for q, p, l in zip(queries, prompts, labels)])\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := ask(t, root, "src/scores/tensors.py", "", "")
	r.Python, r.MaxPrompts = python, 2
	if result := called(t, r); result.Found || !result.Form.Judged || result.Framework != "openrlhf" {
		t.Error(shown(t, result))
	}
}

// TestBudget: 200 calls of 10 ms take seconds, and a budget of time is kept.
func TestBudget(t *testing.T) {
	root := project(t)
	if err := os.WriteFile(filepath.Join(root, "slow.py"), []byte("import time\n\n\ndef f(completions, answer, **kwargs):\n    time.sleep(0.01)\n    return [float(c.split()[-1:] == [a]) for c, a in zip(completions, answer)]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := ask(t, root, "slow.py", "f", "")
	r.MaxTime = 5 * time.Second
	result := called(t, r)
	if result.Seconds > 30 || result.Time.Calls < 30 {
		t.Errorf("%g s for %d calls", result.Seconds, result.Time.Calls)
	}
	t.Logf("%.3g s for %d calls, %s", result.Seconds, result.Time.Calls, result.Notes)
}
