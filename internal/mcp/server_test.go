package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/confirm"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/reward"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// TestTools: programs are run only where the user allowed it; until then an agent does
// not even see that they could be.
func TestTools(t *testing.T) {
	harmless := Options{check: finds(0)}
	running := harmless
	running.Confirm, running.Reward = &confirm.Request{}, &reward.Request{}
	for _, c := range []struct {
		options Options
		want    []string
	}{{harmless, []string{"check", "fix", "rule"}}, {running, []string{"check", "confirm", "fix", "observe", "reward", "rule", "watch"}}} {
		list, err := start(t, c.options, nil).ListTools(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tool := range list.Tools {
			got = append(got, tool.Name)
			if reads := !slices.Contains([]string{"confirm", "observe", "watch", "reward"}, tool.Name); tool.Annotations.ReadOnlyHint != reads {
				t.Errorf("%s: the hint that it only reads is %v", tool.Name, !reads)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestSchemas: every argument has one type and says what it means.
func TestSchemas(t *testing.T) {
	s := start(t, Options{check: finds(0), Confirm: &confirm.Request{}, Reward: &reward.Request{}}, nil)
	list, err := s.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, tool := range list.Tools {
		for name, property := range tool.InputSchema.(map[string]any)["properties"].(map[string]any) {
			p := property.(map[string]any)
			if kind, _ := p["type"].(string); kind == "" || p["description"] == nil {
				t.Errorf("%s: %s has the type %v and the description %v", tool.Name, name, p["type"], p["description"])
			}
			n++
		}
	}
	if n < 15 {
		t.Errorf("%d arguments are too few to be all", n)
	}
}

// TestNotAllowed: where no program may be run, calls of tools that run one are told how to start the server.
func TestNotAllowed(t *testing.T) {
	s := start(t, Options{}, nil)
	for _, tool := range []string{"confirm", "watch", "observe", "reward"} {
		if text, failed := s.call(tool, map[string]any{}); !failed || !strings.Contains(text, "rlvet mcp --allow-run") {
			t.Errorf("%s: %q, an error: %v", tool, text, failed)
		}
	}
}

// TestWrongCalls: what is wrong with a call is said to the agent, as the tool's error,
// in one line from which it can fix the call.
func TestWrongCalls(t *testing.T) {
	s := start(t, Options{check: func(context.Context, vet.Request) (*vet.Result, error) {
		return nil, errors.New("rlvet.toml:3: no such key")
	}, Confirm: &confirm.Request{}, Reward: &reward.Request{}}, nil)
	type object = map[string]any
	for _, c := range []struct {
		tool      string
		arguments any
		want      string
	}{
		{"check", object{}, "give paths or text"},
		{"fix", object{}, "give paths or text"},
		{"check", nil, "give paths or text"},
		{"check", object{"paths": []string{"a.py"}, "text": ""}, "paths and text contradict each other"},
		{"check", object{"paths": []string{"a.py"}, "path": "a.py"}, "to check the file, give paths"},
		{"check", object{"paths": []string{"-"}}, "give text"},
		{"check", object{"paths": []string{"a.py"}, "limit": -1}, "limit: -1 is not a number of findings"},
		{"check", object{"paths": "a.py"}, "paths"},
		{"check", object{"files": []string{"a.py"}}, "files"},
		{"check", object{"paths": []string{"a.py"}}, "rlvet.toml:3: no such key"},
		{"rule", object{"rule": "unused-suppresion"}, "did you mean"},
		{"watch", object{}, "give the script to run"},
		{"observe", object{}, "give the script to run"},
		{"watch", object{"script": "train.py", "at": []string{"train.py"}}, "at: \"train.py\" is no place"},
		{"watch", object{"script": "train.py", "limit": 1}, "limit: 1 is not a number of evaluations"},
		{"watch", object{"script": "train.py", "seeds": []int{0, 1}}, "seeds: 2 are more than"},
		{"watch", object{"script": "train.py", "clip": -1}, "clip: -1 is no clip range"},
		{"reward", object{"function": ""}, "function: name the file"},
		{"reward", object{"function": "rewards:f"}, "name one with its ending"},
		{"reward", object{"function": "rewards.py:f", "framework": "verlx"}, "framework: there is no verlx"},
		{"reward", object{"function": "rewards.py:f", "answer": "a"}, "give data too"},
		{"reward", object{"function": "rewards.py:f", "form": "x"}, "no {answer}"},
	} {
		text, failed := s.call(c.tool, c.arguments)
		if !failed || !strings.Contains(text, c.want) || strings.Contains(text, "\n") {
			t.Errorf("%s %v: error %v, %q, want %q", c.tool, c.arguments, failed, text, c.want)
		}
	}
}

// TestLimit: a long list is cut, and the answer says how much is left.
func TestLimit(t *testing.T) {
	s := start(t, Options{check: finds(60)}, nil)
	for _, c := range []struct {
		arguments map[string]any
		lines     int
		want      string
	}{
		{map[string]any{}, 50, "and 10 more; check fewer files, select rules, or give a higher limit\n60 findings in 1 file."},
		{map[string]any{"limit": 1}, 1, "and 59 more; "},
		{map[string]any{"limit": 100}, 60, "\n60 findings in 1 file."},
	} {
		c.arguments["paths"] = []string{"train.py"}
		text, _ := s.call("check", c.arguments)
		if n := strings.Count(text, "ADV009"); n != c.lines || !strings.Contains(text, c.want) {
			t.Errorf("%v: %d findings, want %d and %q in\n%s", c.arguments, n, c.lines, c.want, text)
		}
	}
}

// TestUnchecked: a file that cannot be checked is an error where nothing else was asked
// about, and a remark where the rest was checked.
func TestUnchecked(t *testing.T) {
	check := func(files int) func(context.Context, vet.Request) (*vet.Result, error) {
		return func(context.Context, vet.Request) (*vet.Result, error) {
			problem := finding.Problem{File: "gone.py", Message: "no such file", Fatal: true}
			return &vet.Result{Checked: files, Problems: []finding.Problem{problem}, Warnings: []string{"old settings"}, More: make([]finding.Finding, files)}, nil
		}
	}
	arguments := map[string]any{"paths": []string{"gone.py"}}
	if text, failed := start(t, Options{check: check(0)}, nil).call("check", arguments); !failed || text != "gone.py: no such file\nwarning: old settings" {
		t.Errorf("alone: error %v, %q", failed, text)
	}
	if text, failed := start(t, Options{check: check(2)}, nil).call("check", arguments); failed || text != "gone.py: no such file\nwarning: old settings\nNo findings in 2 files.\n2 more where rlvet mcp runs with --preview." {
		t.Errorf("with others: error %v, %q", failed, text)
	}
}

// TestPanic: a mistake of ours is an error of the call, and the session goes on.
func TestPanic(t *testing.T) {
	s := start(t, Options{check: func(context.Context, vet.Request) (*vet.Result, error) { panic("oh") }}, nil)
	text, failed := s.call("check", map[string]any{"text": "x = 1"})
	if !failed || text != "internal error: oh; please report it with the file that caused it" {
		t.Errorf("error %v, %q", failed, text)
	}
	if _, failed := s.call("rule", nil); failed {
		t.Error("the session did not go on")
	}
}

// TestHangUp: a client that is gone ends its calls after a while, and the server waits until they
// have cleaned up.
func TestHangUp(t *testing.T) {
	running, cleaned := make(chan bool), false
	s := start(t, Options{patience: time.Millisecond, check: finds(0), Confirm: &confirm.Request{}, confirm: func(ctx context.Context, _ confirm.Request) (*confirm.Result, error) {
		close(running)
		<-ctx.Done()
		cleaned = true
		return nil, ctx.Err()
	}}, nil)
	go s.CallTool(context.Background(), &sdk.CallToolParams{Name: "confirm", Arguments: Run{Script: "train.py"}})
	<-running
	s.hangUp()
	if err := <-s.ended; err != nil || !cleaned {
		t.Errorf("the server ended with %v; the call had cleaned up: %v", err, cleaned)
	}
}

// TestAllAtOnce: a client that writes all at once, and says no more, gets its answers.
func TestAllAtOnce(t *testing.T) {
	input := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"printf","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"check","arguments":{"text":"x = 1"}}}
`
	check := func(ctx context.Context, r vet.Request) (*vet.Result, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
			return finds(1)(ctx, r)
		}
	}
	var out buffer
	rules := registry(t)
	o := Options{Check: vet.Request{Rules: rules, Resolver: &config.Resolver{Rules: rules, Isolated: true}}, check: check}
	if err := Serve(context.Background(), io.NopCloser(strings.NewReader(input)), &out, o); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "ADV009") || strings.Contains(got, `"error":`) {
		t.Errorf("the answers are\n%s", got)
	}
}

type buffer struct{ bytes.Buffer }

func (*buffer) Close() error { return nil }

// TestCancel: a call that the client cancels ends.
func TestCancel(t *testing.T) {
	running, ended := make(chan bool), make(chan bool)
	s := start(t, Options{check: func(ctx context.Context, _ vet.Request) (*vet.Result, error) {
		close(running)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	go s.CallTool(ctx, &sdk.CallToolParams{Name: "check", Arguments: map[string]any{"text": ""}})
	<-running
	cancel()
	<-ended
}

// TestProgress: a client that wants to know hears that its program runs.
func TestProgress(t *testing.T) {
	heard := make(chan string, 10)
	evidence := harness.Evidence{Verdict: harness.Confirmed, Reason: "the denominator is 0", Seeds: make([]harness.SeedEvidence, 5)}
	for i := range 4 {
		evidence.Seeds[i].Verdict = harness.Confirmed
	}
	script := &confirm.Script{
		Result: &vet.Result{Findings: []finding.Finding{
			{Code: "ADV009", Range: finding.Range{File: "notes.ipynb", Cell: 2, Start: source.Position{Row: 7}}},
		}},
		Outcome: &harness.Report{Targets: []harness.Evidence{evidence}}, Fixes: map[int]harness.FixVerdict{0: {Verdict: "fixed"}},
	}
	s := start(t, Options{check: finds(0), Confirm: &confirm.Request{}, confirm: func(context.Context, confirm.Request) (*confirm.Result, error) {
		return &confirm.Result{Scripts: []*confirm.Script{script}}, nil
	}}, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
		heard <- req.Params.Message
	}})
	params := &sdk.CallToolParams{Name: "confirm", Arguments: Run{Script: "train.py"}}
	params.SetProgressToken("mine")
	res, err := s.CallTool(context.Background(), params)
	if err != nil {
		t.Fatal(err)
	}
	if want := "notes.ipynb:cell 2:7: ADV009 confirmed in 4 of 5 runs: the denominator is 0; fix: fixed\n"; said(res) != want {
		t.Errorf("%q, want %q", said(res), want)
	}
	if got := <-heard; got != "running the program for 0s" {
		t.Errorf("heard %q", got)
	}
}

// TestPages: every rule has a page, under its code and its name.
func TestPages(t *testing.T) {
	s := start(t, Options{check: finds(0)}, nil)
	list, err := s.ListResources(context.Background(), nil)
	if err != nil || len(list.Resources) == 0 {
		t.Fatal("no resources", err)
	}
	for _, r := range list.Resources {
		text, _ := s.call("rule", map[string]any{"rule": r.Name})
		for _, uri := range []string{r.URI, pages + r.Title} {
			read, err := s.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: uri})
			if err != nil || len(read.Contents) != 1 || read.Contents[0].Text != text || !strings.HasPrefix(text, "# "+r.Title) {
				t.Errorf("%s: %v, or another page than that of the tool", uri, err)
			}
		}
	}
	if _, err := s.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: pages + "XX1"}); err == nil {
		t.Error("a rule that does not exist has a page")
	}
	listing, _ := s.call("rule", nil)
	if n := strings.Count(listing, "\n"); n != len(list.Resources) {
		t.Errorf("%d lines for %d rules", n, len(list.Resources))
	}
}

// TestGarbage: what is no message ends the session with one line.
func TestGarbage(t *testing.T) {
	for _, input := range []string{"hello\n", "{\"a\":", "[]\n", "\x00\xff\n", strings.Repeat(" ", 17<<20) + "\n"} {
		err := Serve(context.Background(), io.NopCloser(strings.NewReader(input)), discard{}, Options{Check: vet.Request{Rules: registry(t)}})
		if err == nil || !strings.HasPrefix(err.Error(), "the client's messages cannot be read: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.20q: %v", input, err)
		}
	}
	if err := Serve(context.Background(), io.NopCloser(strings.NewReader("")), discard{}, Options{Check: vet.Request{Rules: registry(t)}}); err != nil {
		t.Errorf("a client that says nothing: %v", err)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }
