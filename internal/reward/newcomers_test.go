package reward

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBlind: where no right answer scores more than anything else, nothing is called good.
func TestBlind(t *testing.T) {
	root := project(t)
	raw := ""
	for _, n := range []string{"8", "19", "23"} {
		raw += `{"question": "How many are ` + n + `?", "answer": "There are some.\n<<` + n + `=` + n + `>>\n#### ` + n + `"}` + "\n"
	}
	if err := os.WriteFile(filepath.Join(root, "raw.jsonl"), []byte(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	for function, want := range map[string][]string{
		"compares_the_column": {"every completion that was tried gets 0, the right answer too", `keep the answer alone ("8") in the column`},
		"constant":            {"every completion that was tried gets 1, the right answer too"},
	} {
		r := called(t, ask(t, root, "newcomers.py", function, "raw.jsonl"))
		text := shown(t, r)
		if !r.Blind() || r.Found || strings.Contains(text, "none of") {
			t.Errorf("%s: it is called good\n%s", function, text)
		}
		for _, says := range want {
			if !strings.Contains(text, says) {
				t.Errorf("%s: the text lacks %q:\n%s", function, says, text)
			}
		}
	}
}

// TestLines: a pattern whose dot stops at the end of a line is told, and one whose does not is left alone. The table is in line.
func TestLines(t *testing.T) {
	root := project(t)
	for function, want := range map[string][]string{"in_one_line": {"lines"}, "format_in_one_line": {"lines"}, "in_lines": nil} {
		r := called(t, ask(t, root, "newcomers.py", function, "sums.jsonl"))
		text := shown(t, r)
		if got := broken(r); !slices.Equal(got, want) || strings.HasPrefix(r.Verdict(), "reasoning of several lines loses the reward") != (want != nil) {
			t.Errorf("%s: %s is broken, want %s\n%s", function, got, want, text)
		}
		_, table, _ := strings.Cut(text, "\ntrick (mean over prompts)")
		at := -1
		for line := range strings.Lines(strings.SplitN(table, "\n\n", 2)[0]) {
			if percent := strings.LastIndex(strings.TrimSuffix(strings.TrimSpace(line), ", works"), " %"); percent > 0 {
				first := strings.LastIndex(line[:percent], "  ")
				if at >= 0 && first != at {
					t.Errorf("%s: a row is out of line:\n%s", function, table)
				}
				at = first
			}
		}
	}
}

// TestNotAsAsked: a call that cannot be made is one line, not a broken contract, and helpers are not proposed.
func TestNotAsAsked(t *testing.T) {
	root := project(t)
	for _, c := range []struct{ function, framework, want string }{
		{"in_lines", "verl", "newcomers.py: in_lines(completions, answer, kwargs) cannot be called as --framework verl calls: verl passes data_source, solution_str, ground_truth and extra_info, by keywords, and no `completions` or `answer`"},
		{"in_lines", "openrlhf", "newcomers.py: in_lines(completions, answer, kwargs) cannot be called as --framework openrlhf calls: openrlhf passes queries, prompts and labels, by position"},
		{"_text", "trl", "newcomers.py: _text(completion) cannot be called as --framework trl calls: "},
		{"imports_late", "", "newcomers.py: imports_late imports no_such_verifier; "},
		{"asks_to_install", "", "newcomers.py: asks_to_install raises ImportError: Please install the `no_such_verifier` package, and "},
		{"in_linez", "", "newcomers.py: no function \"in_linez\"; did you mean \"in_lines\"? There are `compares_the_column`, "},
	} {
		r := ask(t, root, "newcomers.py", c.function, "sums.jsonl")
		r.Framework = c.framework
		_, err := Run(context.Background(), r)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "`_text`") {
			t.Errorf("%s as %s: %v, want %q", c.function, c.framework, err, c.want)
		}
	}
}

// TestParser: a script that parses flags gets a dataclass for each of its classes, with the defaults of its own.
func TestParser(t *testing.T) {
	r := called(t, ask(t, project(t), "parsed.py", "weighted", "sums.jsonl"))
	if text := shown(t, r); !strings.Contains(text, "the right answer gets 0.5") {
		t.Error(text)
	}
}
