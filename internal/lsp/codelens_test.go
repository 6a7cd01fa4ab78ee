package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/confirm"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/lsp"
	"github.com/rlvet/rlvet/internal/vet"
)

const sampled = "import torch\n\ndef update(policy, states, rewards: torch.Tensor):\n" +
	"    picked = torch.multinomial(torch.log_softmax(policy(states), -1), 1)\n    return rewards / rewards.std(), picked\n"

type lens struct {
	Range   span
	Command struct {
		Title, Command string
		Arguments      []string
	}
}

// lenses returns those of a document, a line each.
func (e *editor) lenses(path string) (list []lens, lines []string) {
	e.t.Helper()
	e.call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": e.uri(path)}}, &list)
	for _, l := range list {
		lines = append(lines, fmt.Sprintf("%d %s", l.Range.Start.Line+1, l.Command.Title))
	}
	return list, lines
}

// A lens stands above each finding that a run can confirm. It runs the script with the
// interpreter of the editor's settings and the arguments of the command.
func TestCodeLens(t *testing.T) {
	root := folder(t, &txtar.Archive{Files: []txtar.File{
		{Name: "train.py", Data: []byte(sampled)},
		{Name: "grpo.yaml", Data: []byte("trainer: grpo\nnum_generations: 1\n")},
	}})
	var asked confirm.Request
	run := func(_ context.Context, r confirm.Request) (*confirm.Result, error) {
		asked = r
		return nil, errors.New("it is only looked at what was asked")
	}
	e := connect(t, root, lsp.Options{Confirm: run}, `{"textDocument": {"codeLens": {}}}`, `{"python": "/opt/env/bin/python"}`)
	e.answers["window/showMessageRequest"] = map[string]any{"title": "Run it"}
	e.open("train.py")
	e.open("grpo.yaml")
	list, lines := e.lenses("train.py")
	if want := []string{"4 Confirm DIST024 by running", "5 Confirm ADV009 by running"}; !slices.Equal(lines, want) {
		t.Fatalf("the lenses are %q, not %q", lines, want)
	}
	if _, lines := e.lenses("grpo.yaml"); len(lines) > 0 {
		t.Errorf("a configuration has the lenses %q", lines)
	}
	arguments := append(list[1].Command.Arguments, "--lr", "3e-4")
	_ = e.try("workspace/executeCommand", map[string]any{"command": list[1].Command.Command, "arguments": arguments}, nil)
	if asked.Python != "/opt/env/bin/python" || !slices.Equal(asked.Plan.Args, []string{"--lr", "3e-4"}) {
		t.Errorf("it was asked to run with %q and %q", asked.Python, asked.Plan.Args)
	}
	e.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"codeLens": false}})
	if _, lines := e.lenses("train.py"); len(lines) > 0 {
		t.Errorf("switched off, the lenses are %q", lines)
	}
}

// A client may run everything that is found in a file, of which it has asked its user itself. The
// lenses then say what came of it, and it gets the report.
func TestConfirmFile(t *testing.T) {
	root := folder(t, &txtar.Archive{Files: []txtar.File{{Name: "train.py", Data: []byte(sampled)}, {Name: "none.py", Data: []byte("import torch\n")}}})
	run := func(ctx context.Context, r confirm.Request) (*confirm.Result, error) {
		if len(r.Plan.Args) > 0 {
			return nil, errors.New("python3 has no torch; activate the environment in which you train, or give --python PATH")
		}
		r.Check.Paths = r.Scripts
		checked, err := vet.Check(ctx, r.Check)
		script := &confirm.Script{Result: checked, Name: r.Scripts[0], Python: &harness.Python{}}
		for range checked.Findings {
			if script.Outcome == nil {
				script.Outcome = &harness.Report{}
			}
			seeds := []harness.SeedEvidence{{Verdict: harness.Confirmed}, {Seed: 1, Verdict: harness.Refuted}}
			script.Outcome.Targets = append(script.Outcome.Targets, harness.Evidence{Verdict: harness.Confirmed, Reason: "so it was", Seeds: seeds})
		}
		return &confirm.Result{Scripts: []*confirm.Script{script}}, err
	}
	e := connect(t, root, lsp.Options{Confirm: run}, `{"textDocument": {"codeLens": {}}}`, `{"ignore": ["DIST024"]}`)
	e.open("train.py")
	e.open("none.py")
	confirmed := func(path string, arguments ...string) (report string, err error) {
		var answer struct{ Report, Trouble string }
		err = e.try("workspace/executeCommand", map[string]any{"command": "rlvet.confirm", "arguments": append([]string{e.uri(path), ""}, arguments...)}, &answer)
		return answer.Report, err
	}
	report, err := confirmed("train.py")
	if err != nil || !strings.Contains(report, "train.py: 1 finding (1 confirmed") || strings.Contains(report, root) {
		t.Errorf("the report is %q, %v", report, err)
	}
	if _, lines := e.lenses("train.py"); !slices.Equal(lines, []string{"5 ADV009 confirmed in 1 of 2 runs"}) {
		t.Errorf("the lenses are %q", lines)
	}
	if report, err := confirmed("none.py"); err != nil || !strings.HasPrefix(report, "Nothing to confirm") {
		t.Errorf("of a file without findings the report is %q, %v", report, err)
	}
	if _, err := confirmed("train.py", "--lr"); errorCode(err) != -32803 || !strings.Contains(err.Error(), "has no torch; set rlvet.python to the Python in which you train") {
		t.Errorf("what keeps it from running is said as %v", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.messages) > 0 || slices.Contains(e.requests, "window/showMessageRequest") {
		t.Errorf("the user was asked or told by the server: %q %q", e.messages, e.requests)
	}
}

// A client that shows no lenses is offered none.
func TestCodeLensNeedsClient(t *testing.T) {
	for capabilities, want := range map[string]bool{`{}`: false, `{"textDocument": {"codeLens": {}}}`: true} {
		e := connect(t, folder(t, &txtar.Archive{}), lsp.Options{Confirm: confirm.Run}, capabilities, "")
		if _, offered := e.capabilities["codeLensProvider"]; offered != want {
			t.Errorf("%s: lenses are offered: %v", capabilities, offered)
		}
	}
}

// In a suppression the rules are offered with what they find, first those of the line.
func TestCompletion(t *testing.T) {
	e := connect(t, folder(t, &txtar.Archive{}), lsp.Options{}, `{}`, "")
	type item struct {
		Label, Detail, SortText string
		LabelDetails            struct{ Description string }
		Documentation           struct{ Value string }
		TextEdit                textEdit
	}
	complete := func(comment string) (list []item) {
		t.Helper()
		text := strings.Replace(sampled, "std(), picked", "std(), picked  "+comment, 1)
		e.openText("train.py", text)
		at := e.position(text, strings.Index(text, comment)+len(comment))
		e.call("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": e.uri("train.py")}, "position": at}, &list)
		return list
	}
	for _, comment := range []string{"# rlvet: ignore[", "# rlvet: ignore[KL001, adv", "# rlvet: ignore-file[", "#noqa:E501,AD"} {
		list := complete(comment)
		if len(list) < 200 {
			t.Errorf("%q is completed by %d rules", comment, len(list))
			continue
		}
		first := slices.MinFunc(list, func(a, b item) int { return strings.Compare(a.SortText, b.SortText) })
		if first.Label != "ADV009" || first.Detail != "std-without-eps" || first.LabelDetails.Description != first.Detail || !strings.Contains(first.Documentation.Value, "standard deviation") {
			t.Errorf("%q: the first is %+v", comment, first)
		}
		for _, i := range list {
			if strings.HasPrefix(i.SortText, "0") && i.Label != "ADV009" {
				t.Errorf("%q: %s comes first, too", comment, i.Label)
			}
			if i.Documentation.Value == "" {
				t.Errorf("%s has no summary", i.Label)
			}
		}
		typed := len(comment) - strings.LastIndexAny(comment, "[ ,:") - 1
		if got := first.TextEdit.Range.End.Character - first.TextEdit.Range.Start.Character; got != typed {
			t.Errorf("%q: %d characters are replaced, not the %d of the word", comment, got, typed)
		}
	}
	for _, comment := range []string{"# rlvet: ", "# a note", "# rlvet: ignore[ADV009] why"} {
		if list := complete(comment); len(list) > 0 {
			t.Errorf("%q is completed by %d rules", comment, len(list))
		}
	}
}

// What keeps a script from running is said without the flags of a command line: by the setting, and in
// Visual Studio Code by the command, too.
func TestRunsInWordsOfEditors(t *testing.T) {
	missing := harness.Advice("it raised ModuleNotFoundError: No module named 'trl'", nil, &harness.Python{Path: "/usr/bin/python3"})
	_, none := harness.FindPython(t.Context(), "/no/such/python", "")
	_, strange := harness.FindPython(t.Context(), "/bin/true", "")
	if none == nil || strange == nil {
		t.Fatal("a program is there, or is Python")
	}
	for _, message := range []string{
		missing, harness.Advice("it ended", nil, nil), none.Error(), strange.Error(), harness.Advice("EOFError: EOF when reading a line", nil, nil),
		"/usr/bin/python3 has no torch; activate the environment in which you train, or give --python PATH",
		"no Python found: activate the environment in which you train, or give --python PATH",
	} {
		for capabilities, want := range map[string]string{`{}`: "set rlvet.python to", `{"experimental": {"rlvetEvidence": true}}`: "by the command Python: Select Interpreter, or the setting rlvet.python"} {
			run := func(context.Context, confirm.Request) (*confirm.Result, error) { return nil, errors.New(message) }
			root := folder(t, &txtar.Archive{Files: []txtar.File{{Name: "train.py", Data: []byte(sampled)}}})
			e := connect(t, root, lsp.Options{Confirm: run}, capabilities, "")
			e.open("train.py")
			err := e.try("workspace/executeCommand", map[string]any{"command": "rlvet.confirm", "arguments": []string{e.uri("train.py"), ""}}, nil)
			if err == nil || strings.Contains(err.Error(), "--") {
				t.Errorf("%q is said as %v", message, err)
			}
			if strings.Contains(message, "give") && strings.Contains(message, "torch") && !strings.Contains(err.Error(), want) {
				t.Errorf("%q is said as %v, without %q", message, err, want)
			}
		}
	}
}
