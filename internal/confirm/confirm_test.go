package confirm

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/suppress"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/rules"
)

// stage is a launcher without programs: what a run sees is told by the text that is watched.
type stage struct{ launched [][]harness.Unit }

func (s *stage) Launch(_ context.Context, units []harness.Unit) ([]harness.Result, error) {
	s.launched = append(s.launched, units)
	var out []harness.Result
	for _, u := range units {
		r := harness.Result{Run: harness.SeedRun{Seed: u.Seed, Status: "done", Isolation: harness.NoIsolation, Losses: []string{"0x1p0"}}}
		for _, t := range u.Plan.Targets {
			saw := harness.SeedEvidence{Seed: u.Seed, Hits: 40, Verdict: harness.Refuted, Reason: "never 0"}
			if !strings.Contains(t.Text+t.Wider.Text, "1e-8") {
				saw.Verdict, saw.Reason, saw.Confirmation = harness.Confirmed, "it is 0", &harness.Confirmation{Reason: "it is 0"}
			}
			r.Saw = append(r.Saw, saw)
		}
		out = append(out, r)
	}
	return out, nil
}

// request confirms one finding, which the given fix removes, in each script of a folder, on a stage.
func request(t *testing.T, s *stage, scripts ...string) Request {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: confirm is NOT tried here: the Python of the stage is a shell script")
	}
	root := t.TempDir()
	files := map[string]string{
		"pyproject.toml": "", "flat.py": "adv = r / r.std()\n", "clean.py": "x = 1\n",
		"train.py": "import helper\nimport torn\nimport build.made\n", "helper.py": "adv = r / r.std()\n", "torn.py": "\x00", "build/made.py": "adv = r / r.std()\n",
		"python": "#!/bin/sh\necho '{\"version\": \"3.11.2\", \"torch\": \"2.8.0\", \"numpy\": \"\", \"devices\": []}'\n",
	}
	if err := os.Mkdir(filepath.Join(root, "build"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	registry, err := rule.NewRegistry(append(rules.All(), suppress.Rules()...), rules.Retired())
	if err != nil {
		t.Fatal(err)
	}
	r := Request{Request: program.Request{
		Check:    vet.Request{Rules: registry, Resolver: &config.Resolver{Rules: registry, Isolated: true}, Engine: divisions},
		Plan:     harness.Plan{Seeds: []int{3, 4}, Isolation: harness.NoIsolation},
		Python:   filepath.Join(root, "python"),
		Launcher: s,
	}}
	for _, name := range scripts {
		r.Scripts = append(r.Scripts, filepath.Join(root, name))
	}
	return r
}

// divisions finds every "r.std()".
func divisions(_ context.Context, paths []string, _ engine.Options) (*engine.Result, error) {
	out := &engine.Result{Files: map[string]*source.File{}}
	for _, path := range paths {
		file, err := source.Read(path)
		if err != nil {
			return nil, err
		}
		out.Files[path] = file
		const what = "r.std()"
		if at := strings.Index(string(file.Text), what); at >= 0 {
			where := finding.Range{File: path, StartByte: at, EndByte: at + len(what)}
			where.Cell, where.Start, where.End = file.Span(at, at+len(what))
			out.Findings = append(out.Findings, finding.Finding{Code: "ADV009", Message: "division by 0", Range: where, NoqaRow: where.Start.Row,
				Fix: &finding.Fix{Applicability: finding.Safe, Message: "Add an epsilon", Edits: []finding.Edit{{Range: where, Content: "(r.std() + 1e-8)"}}}})
		}
	}
	return out, nil
}

// TestRun: a finding is confirmed under its seeds, the first of which is run again, and then
// its fix is tried; progress is told a step at a time.
func TestRun(t *testing.T) {
	s := &stage{}
	r := request(t, s, "flat.py")
	var steps []string
	r.Step = func(name string, plans []harness.Plan) func([]*harness.Report) {
		steps = append(steps, name)
		return func([]*harness.Report) { steps = append(steps, "end") }
	}
	checked := 0
	r.Checked = func(*Script) { checked++ }
	result, err := Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	script := result.Scripts[0]
	if agree, runs := script.Agree(0); script.Confirmed() != 1 || agree != 2 || runs != 2 || script.Fix(0).Verdict != "fixed" || !script.Reproducible.Same {
		t.Errorf("%d confirmed, by %d of %d runs, the fix %+v, reproducible %+v", script.Confirmed(), agree, runs, script.Fix(0), script.Reproducible)
	}
	want := []string{"running the script", "end", "running the script with its fix", "end"}
	if diff := cmp.Diff(want, steps); diff != "" || checked != 1 {
		t.Errorf("checked %d times, and told\n%s", checked, diff)
	}
	if n := len(s.launched[0]); n != 3 {
		t.Errorf("%d runs of the program as it is, want two seeds and the first again", n)
	}
	for path, text := range s.launched[1][0].Plan.Overlay {
		if path != "flat.py" || string(text) != "adv = r / (r.std() + 1e-8)\n" {
			t.Errorf("the fixed program is %s: %q", path, text)
		}
	}
}

// TestImports: what is found in the modules of the project that a script imports is confirmed with it, but for those that settings exclude.
func TestImports(t *testing.T) {
	s := &stage{}
	result, err := Run(t.Context(), request(t, s, "train.py"))
	if err != nil {
		t.Fatal(err)
	}
	script := result.Scripts[0]
	if len(script.Findings) != 1 || !strings.HasSuffix(script.Findings[0].Range.File, "helper.py") || script.Confirmed() != 1 || script.Fix(0).Verdict != "fixed" {
		t.Errorf("%v: findings %v, the fix %+v", script.Err(), script.Findings, script.Fixes)
	}
}

// TestUntried: why a fix is not tried is said as it is.
func TestUntried(t *testing.T) {
	at, other := finding.Range{File: "a.py"}, finding.Range{File: "b.py"}
	of := func(a finding.Applicability, r finding.Range) *finding.Fix {
		return &finding.Fix{Applicability: a, Edits: []finding.Edit{{Range: r}}}
	}
	for _, c := range []struct {
		fix  *finding.Fix
		want string
	}{
		{nil, "the finding has no fix"}, {of(finding.DisplayOnly, at), "its fix is a suggestion that somebody has to complete"},
		{of(finding.Safe, other), "its fix changes another file too"}, {of(finding.Unsafe, at), ""},
	} {
		if got := untried(finding.Finding{Range: at, Fix: c.fix}); got != c.want {
			t.Errorf("%+v: %q, want %q", c.fix, got, c.want)
		}
	}
}

// TestJSON: the result marshals to what the command prints: an object for a script, and an
// array of them for several, in which each has its own failure.
func TestJSON(t *testing.T) {
	type printed struct {
		Script   string
		Error    string
		Findings []struct {
			Code         string
			Confirmation *struct{ Verdict string }
		}
	}
	result, err := Run(t.Context(), request(t, &stage{}, "flat.py"))
	if err != nil {
		t.Fatal(err)
	}
	var one printed
	text, err := json.Marshal(result)
	if err == nil {
		err = json.Unmarshal(text, &one)
	}
	if err != nil || !strings.HasSuffix(one.Script, "flat.py") || one.Findings[0].Confirmation.Verdict != "confirmed" {
		t.Errorf("%v: %s", err, text)
	}
	if result, err = Run(t.Context(), request(t, &stage{}, "clean.py", "nowhere.py", "flat.py", "flat.py")); err != nil {
		t.Fatal(err)
	}
	var several []printed
	if text, err = json.Marshal(result); err == nil {
		err = json.Unmarshal(text, &several)
	}
	if err != nil || len(several) != 3 || len(several[0].Findings) != 0 || several[2].Findings[0].Code != "ADV009" {
		t.Fatalf("%v: %s", err, text)
	}
	if got := several[1].Error; !strings.HasSuffix(got, "nowhere.py: no such script") || result.Scripts[1].Err().Error() != got {
		t.Errorf("the missing script says %q", got)
	}
}

// TestNoFixes: without them the program runs as it is only.
func TestNoFixes(t *testing.T) {
	s := &stage{}
	r := request(t, s, "flat.py")
	r.NoFixes = true
	result, err := Run(t.Context(), r)
	if err != nil || len(s.launched) != 1 || result.Scripts[0].Fix(0).Verdict != "not-tried" {
		t.Errorf("%v: %d launches, %+v", err, len(s.launched), result)
	}
}
