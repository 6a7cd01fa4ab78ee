package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/mcp"
	"github.com/rlvet/rlvet/internal/reward"
	"github.com/rlvet/rlvet/internal/torchtest"
	"github.com/rlvet/rlvet/internal/watch"
)

// agentTalk starts `rlvet mcp` and connects the SDK's own client.
func agentTalk(t *testing.T, args ...string) *sdk.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	a, _, stderr := newApp("")
	a.Stdin, a.Stdout = fromClient, toClient
	code := make(chan int, 1)
	go func() {
		code <- Main(append([]string{"mcp"}, args...), a.Env)
		toClient.Close() // where the arguments are wrong nobody else does
	}()
	t.Cleanup(func() {
		toServer.Close()
		if got := <-code; got != exitClean {
			t.Errorf("the server ended with %d: %s", got, stderr)
		}
	})
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).
		Connect(context.Background(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// askAgent calls a tool; it returns what there is to read, and the data in out.
func askAgent(t *testing.T, s *sdk.ClientSession, tool string, arguments map[string]any, out any) string {
	t.Helper()
	res, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text := res.Content[0].(*sdk.TextContent).Text
	if res.IsError {
		return "error: " + text
	}
	data, _ := json.Marshal(res.StructuredContent)
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatalf("%s: %v in %s", tool, err, data)
	}
	return text
}

// agentFound is the data of the tool check.
type agentFound struct {
	Findings []struct {
		Code, Path, Message, Help string
		Cell, Line, Column        int
	}
	Total int
}

// TestMCPParity holds agent and command line to each other: for every program of
// testdata, `rlvet check` and the tool check report the same findings.
func TestMCPParity(t *testing.T) {
	root := programFolders(t)
	agent := agentTalk(t, "--preview", "--show-hints")
	folders, err := os.ReadDir(root)
	if err != nil || len(folders) < 30 {
		t.Fatal("programs are missing", err)
	}
	total := 0
	for _, folder := range folders {
		dir := filepath.Join(root, folder.Name())
		checked := checkFindings(t, dir)
		total += len(checked)
		if asked := agentFindings(t, agent, dir, map[string]any{"paths": []string{dir}}); !slices.Equal(checked, asked) {
			t.Errorf("%s: the command line says\n%s\nthe tool\n%s", folder.Name(), strings.Join(checked, "\n"), strings.Join(asked, "\n"))
		}
	}
	if total < 100 {
		t.Errorf("%d findings in all of testdata are too few to compare", total)
	}
}

func agentFindings(t *testing.T, s *sdk.ClientSession, dir string, arguments map[string]any) []string {
	t.Helper()
	var out agentFound
	arguments["limit"] = 1000
	text := askAgent(t, s, "check", arguments, &out)
	found := []string{}
	for _, f := range out.Findings {
		path, _ := filepath.Rel(dir, f.Path)
		found = append(found, shownFinding(path, f.Cell, f.Line, f.Column, f.Code, inOneLine(f.Message, f.Help)))
	}
	if len(found) != out.Total || strings.Count(text, dir) < out.Total {
		t.Errorf("%d findings as data, %d in all, and as lines\n%s", len(found), out.Total, text)
	}
	slices.Sort(found)
	return found
}

// TestMCPTogether: calls that run at the same time answer as they do one by one.
func TestMCPTogether(t *testing.T) {
	root := programFolders(t)
	agent := agentTalk(t, "--preview")
	var calls []map[string]any
	for _, name := range []string{"trainers", "grpo", "confirm", "trainers"} {
		path := filepath.Join(root, name)
		calls = append(calls, map[string]any{"paths": []string{path}}, map[string]any{"paths": []string{path}, "select": []string{"KL"}})
	}
	alone, together := make([]string, len(calls)), make([]string, len(calls))
	for i, c := range calls {
		alone[i] = askAgent(t, agent, "check", c, &agentFound{})
	}
	var all sync.WaitGroup
	for i, c := range calls {
		all.Go(func() {
			res, err := agent.CallTool(context.Background(), &sdk.CallToolParams{Name: "check", Arguments: c})
			if err == nil {
				together[i] = res.Content[0].(*sdk.TextContent).Text
			}
		})
	}
	all.Wait()
	if diff := cmp.Diff(alone, together); diff != "" {
		t.Error(diff)
	}
}

// TestMCPText: a text that stands for a file gives what the file gives, with the
// settings and the neighbours of the file, though nothing of the kind is on the disk.
func TestMCPText(t *testing.T) {
	dir := filepath.Join(programFolders(t), "trainers")
	agent := agentTalk(t, "--preview", "--show-hints")
	programs, _ := filepath.Glob(filepath.Join(dir, "*.py"))
	if len(programs) == 0 {
		t.Fatal("no programs")
	}
	total := 0
	for _, path := range programs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := agentFindings(t, agent, dir, map[string]any{"paths": []string{path}})
		if err := os.WriteFile(path, []byte("x = 1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := agentFindings(t, agent, dir, map[string]any{"text": string(text), "path": path}); !slices.Equal(got, want) {
			t.Errorf("%s: the file gives\n%s\nthe text\n%s", path, strings.Join(want, "\n"), strings.Join(got, "\n"))
		}
		total += len(want)
	}
	if total < 5 {
		t.Errorf("%d findings are too few to compare", total)
	}
}

// TestMCPFix: the tool proposes what `rlvet check --diff` shows, and writes nothing,
// whatever the settings say.
func TestMCPFix(t *testing.T) {
	dir := filepath.Join(programFolders(t), "trainers")
	if err := os.WriteFile(filepath.Join(dir, "rlvet.toml"), []byte("fix = true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, dir)
	agent := agentTalk(t)
	for _, unsafe := range []bool{false, true} {
		args := []string{"check", "--diff", "--quiet", dir}
		if unsafe {
			args = append(args, "--unsafe-fixes")
		}
		a, want, _ := newApp("")
		Main(args, a.Env)
		var got struct {
			Diff  string
			Fixed int
			Edits []struct{ Path, Old, New string }
		}
		text := askAgent(t, agent, "fix", map[string]any{"paths": []string{dir}, "unsafe": unsafe}, &got)
		if got.Diff != want.String() || got.Diff == "" || !strings.Contains(text, got.Diff) {
			t.Errorf("unsafe %v: the command line shows\n%s\nthe tool\n%s", unsafe, want, got.Diff)
		}
		for _, e := range got.Edits {
			if text, err := os.ReadFile(e.Path); err != nil || !bytes.Contains(text, []byte(e.Old)) || !strings.Contains(got.Diff, "+"+strings.SplitAfter(e.New, "\n")[0]) {
				t.Errorf("%s: an edit that is not in the diff, or not of the file: %v, %q", e.Path, err, e.Old)
			}
		}
		askAgent(t, agent, "check", map[string]any{"paths": []string{dir}}, &agentFound{})
	}
	if after := snapshot(t, dir); after != before {
		t.Error("files have changed")
	}
}

// TestMCPSettings: settings that change between two calls hold for the second, the
// rules of a call take the place of the server's, and mistakes are said to the agent.
func TestMCPSettings(t *testing.T) {
	dir := filepath.Join(programFolders(t), "trainers")
	path := filepath.Join(dir, "grpo_hf.py")
	agent := agentTalk(t, "--select", "KL")
	check := func(arguments map[string]any) (codes string, text string) {
		var out agentFound
		arguments["paths"] = []string{path}
		text = askAgent(t, agent, "check", arguments, &out)
		for _, f := range out.Findings {
			codes += f.Code + " "
		}
		return codes, text
	}
	settings := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "rlvet.toml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if codes, _ := check(map[string]any{}); codes != "KL016 KL017 " {
		t.Errorf("the server's rules gave %s", codes)
	}
	settings("per-file-ignores = { \"grpo*\" = [\"KL016\"] }\n")
	if codes, _ := check(map[string]any{}); codes != "KL017 " {
		t.Errorf("new settings gave %s", codes)
	}
	if codes, _ := check(map[string]any{"select": []string{"ADV009"}}); codes != "ADV009 " {
		t.Errorf("the rules of the call gave %s", codes)
	}
	if _, text := check(map[string]any{"select": []string{"ADV99"}}); !strings.HasPrefix(text, "error: select: unknown rule \"ADV99\"; did you mean ADV009") {
		t.Error(text)
	}
	settings("ignor = []\n")
	if _, text := check(map[string]any{}); !strings.HasPrefix(text, "error: ") || !strings.Contains(text, "rlvet.toml:1: ") || !strings.Contains(text, "ignore") {
		t.Error(text)
	}
}

// TestMCPClaims: an agent claims three bugs of a program, one of which it invented, and a fourth
// about nothing.
func TestMCPClaims(t *testing.T) {
	python := torchtest.Python(t, "the claims of an agent are NOT tested with the real torch")
	t.Chdir(t.TempDir())
	program := "import torch\n\nnet = torch.nn.Linear(4, 3)\nfor _ in range(20):\n" +
		"    scores = torch.softmax(net(torch.randn(8, 4)), -1)\n" +
		"    dist = torch.distributions.Categorical(logits=scores)\n" + // line 6: probabilities as logits
		"    logp = dist.log_prob(dist.sample())\n" +
		"    flat = torch.full((8,), 2.0)\n" +
		"    adv = (flat - flat.mean()) / flat.std()\n" + // line 9: divided by 0
		"    loss = -(logp * torch.rand(8)).mean()\n" + // line 10: a loss as it should be
		"    loss.backward()\n"
	if err := os.WriteFile("train.py", []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	agent := agentTalk(t, "--allow-run", "--python", python, "--seeds", "0", "--isolation", "none")
	var out mcp.Confirmed
	askAgent(t, agent, "confirm", map[string]any{"script": "train.py", "claims": []map[string]any{
		{"claim": "DIST002@train.py:6", "by": "an agent"}, {"rule": "ADV009", "path": "train.py", "line": 9},
		{"quantity": "loss", "path": "train.py", "line": 10}, {"claim": "kl@train.py:2"},
	}}, &out)
	var said []string
	for _, v := range out.Verdicts {
		said = append(said, v.Claim+" "+v.Verdict)
	}
	want := []string{"DIST002@train.py:6 confirmed", "ADV009@train.py:9 confirmed", "loss@train.py:10 refuted"}
	if !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
	if !slices.Contains(out.Notes, "error: claim kl@train.py:2: the line is blank") {
		t.Errorf("the claim about nothing is not named: %q", out.Notes)
	}
	if text := askAgent(t, agent, "confirm", map[string]any{"script": "train.py", "claims": []map[string]any{{"line": 3}}}, &out); text != "error: claims: 1: a claim needs path and line, and either rule or quantity" {
		t.Error(text)
	}
}

// TestMCPWatch: an agent asks what a ratio is, and gets what the command prints, with as many evaluations as it wants.
func TestMCPWatch(t *testing.T) {
	python := torchtest.Python(t, "what an agent watches is NOT run with the real torch")
	t.Chdir(t.TempDir())
	program := "import torch\n\nnet = torch.nn.Linear(4, 3)\nold = torch.zeros(8)\nfor _ in range(20):\n" +
		"    logp = torch.log_softmax(net(torch.ones(8, 4)), -1)[:, 0]\n" +
		"    ratio = torch.exp(logp - old)\n"
	if err := os.WriteFile("train.py", []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	agent := agentTalk(t, "--allow-run", "--python", python, "--isolation", "none")
	var out watch.JSON
	text := askAgent(t, agent, "watch", map[string]any{"script": "train.py", "at": []string{"train.py:7", "gone.py:1"}, "limit": 4}, &out)
	if len(out.Places) != 1 || out.Places[0].Quantity != "ratio" || len(out.Places[0].Values) != 4 || out.Places[0].Left != 16 || out.Places[0].Values[3].Hit != 19 {
		t.Errorf("%+v", out)
	}
	if !strings.HasPrefix(text, "train.py:7  ratio\n") || !strings.Contains(text, "clipped") || !strings.HasSuffix(text, "error: gone.py:1: there is no such file\n") || !strings.Contains(text, "1 seed ") {
		t.Error(text)
	}
}

// TestMCPObserve: an agent has a script run whose parts come from a table, and gets the finding that only the run shows.
func TestMCPObserve(t *testing.T) {
	python := torchtest.Python(t, "what an agent observes is NOT run with the real torch")
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"heads.py":    "import torch\n\n\nclass Head(torch.nn.Linear):\n    def forward(self, x):\n        return torch.softmax(super().forward(x), -1)\n",
		"sampling.py": "from torch.distributions import Categorical\n\n\ndef sample(scores):\n    return Categorical(logits=scores).sample()\n",
		"train.py": "import importlib\n\nimport torch\n\nparts = {}\nfor where in (\"heads.Head\", \"sampling.sample\"):\n    module, name = where.split(\".\")\n" +
			"    parts[module] = getattr(importlib.import_module(module), name)\nnet = parts[\"heads\"](4, 3)\nfor _ in range(4):\n    print(parts[\"sampling\"](net(torch.randn(2, 4))))\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	agent := agentTalk(t, "--allow-run", "--python", python, "--isolation", "none")
	var out struct{ Findings []struct{ Code string } }
	text := askAgent(t, agent, "observe", map[string]any{"script": "train.py"}, &out)
	if !strings.HasPrefix(text, "sampling.py:5:12: DIST002 ") || !strings.Contains(text, "1 finding is only known from the run") || len(out.Findings) != 1 {
		t.Errorf("%s\n%+v", text, out)
	}
}

// TestMCPReward: an agent tries the reward function that it wrote, and gets what the command prints.
func TestMCPReward(t *testing.T) {
	python := torchtest.Python(t, "the reward function of an agent is NOT called")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("rewards.py", []byte("def accuracy(completions, answer, **kwargs):\n    return [float(a in c) for c, a in zip(completions, answer)]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	agent := agentTalk(t, "--allow-run", "--python", python, "--isolation", "none")
	var out reward.Result
	text := askAgent(t, agent, "reward", map[string]any{"function": "rewards.py:accuracy", "max_prompts": 4}, &out)
	if !out.Found || out.Framework != "trl" || out.Prompts != 4 || !strings.Contains(text, "tricks work") || strings.Contains(text, "\x1b") {
		t.Errorf("%+v\n%s", out, text)
	}
	if text := askAgent(t, agent, "reward", map[string]any{"function": "rewards.py:accuracies"}, &out); !strings.HasPrefix(text, "error: ") || strings.Contains(text, "\n") {
		t.Error(text)
	}
}

// TestMCPWrongFlags: what is wrong with the server's flags is said before it serves.
func TestMCPWrongFlags(t *testing.T) {
	for flag, want := range map[string]string{
		"--fix": "--fix has no meaning here", "--output-format=json": "--output-format has no meaning here",
		"--timeout=2m": "--timeout limits what is run, and nothing is run without --allow-run",
		"--select=XX":  `--select: unknown rule "XX"`, "--allow-runs": "unknown flag --allow-runs; did you mean --allow-run?",
	} {
		a, stdout, stderr := newApp("")
		if code := Main([]string{"mcp", flag}, a.Env); code != exitFailure || stdout.Len() > 0 ||
			!strings.HasPrefix(stderr.String(), "error: "+want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want one line: error: %s", flag, code, stderr, want)
		}
	}
}

// TestMCPLimits: an agent may run less than the server allows, and never more, nor
// anything that the server's flags do not name.
func TestMCPLimits(t *testing.T) {
	script := filepath.Join("testdata", "trainers", "flat.py")
	agent := agentTalk(t, "--allow-run", "--timeout", "1m", "--max-steps", "20", "--seeds", "0,1", "--fixable", "ADV")
	for _, c := range []struct {
		run  mcp.Run
		want string
	}{
		{mcp.Run{}, "give the script to run, or the module"},
		{mcp.Run{Script: script, Module: "train"}, "script and module contradict each other"},
		{mcp.Run{Script: script, Timeout: "61s"}, "timeout: 1m1s is more than the 1m0s that this server allows"},
		{mcp.Run{Script: script, Timeout: "60"}, `timeout: "60" is no time; write it as 90s or 10m`},
		{mcp.Run{Script: script, MaxSteps: 21}, "max_steps: 21 are more than the 20 that this server allows"},
		{mcp.Run{Script: script, MaxSteps: -1}, "max_steps: -1 is not a number of steps"},
		{mcp.Run{Script: script, Seeds: []int{0, 1, 2}}, "seeds: 3 are more than the 2 that this server allows"},
		{mcp.Run{Script: script, Seeds: []int{-1}}, "seeds: \"-1\" is not a seed"},
		{mcp.Run{Script: "--in-place"}, "--in-place: no such script"},
		{mcp.Run{Script: "nowhere.py"}, "nowhere.py: no such script"},
		{mcp.Run{Script: script, Select: []string{"XX"}}, `select: unknown rule "XX"`},
	} {
		var arguments map[string]any
		data, _ := json.Marshal(c.run)
		if err := json.Unmarshal(data, &arguments); err != nil {
			t.Fatal(err)
		}
		if got := askAgent(t, agent, "confirm", arguments, &mcp.Confirmed{}); !strings.HasPrefix(got, "error: "+c.want) {
			t.Errorf("%s: %s, want %s", data, got, c.want)
		}
	}
}

// TestMCPConfirm: an agent confirms a finding by running the script, and learns what
// becomes of it once it is fixed. The project stays as it is.
func TestMCPConfirm(t *testing.T) {
	python := torchtest.Python(t, "an agent does NOT run programs with torch")
	root := copyOf(t, filepath.Join("testdata", "trainers"))
	before := snapshot(t, root)
	agent := agentTalk(t, "--allow-run", "--python", python, "--seeds", "0,1")
	var out mcp.Confirmed
	path := filepath.Join(root, "flat.py")
	text := askAgent(t, agent, "confirm", map[string]any{"script": path, "seeds": []int{3}, "max_steps": 4}, &out)
	if want := path + ":10: ADV009 confirmed in 1 of 1 run: "; !strings.HasPrefix(text, want) || len(out.Verdicts) != 1 || !strings.HasPrefix(out.Verdicts[0].Fix, "fixed: ") {
		t.Errorf("%s\nwant %s..., and that the fix works", text, want)
	}
	if after := snapshot(t, root); after != before {
		t.Error("the project has changed")
	}
}
