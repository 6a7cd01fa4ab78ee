package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/suppress"
)

// The scripts test the command line, not the rules: `rlvet` in a script has six
// rules made of regular expressions, so that scripts do not change with the
// wording of real rules. `rlvet-real` is the program as it is.
func TestMain(m *testing.M) {
	if _, given := os.LookupEnv("RLVET_NO_CACHE"); !given { // a script says what it wants
		os.Setenv("RLVET_NO_CACHE", "1")
	}
	testscript.Main(m, map[string]func(){
		"rlvet":      func() { os.Exit(run(os.Args[1:], scriptApp(Process()))) },
		"rlvet-real": func() { os.Exit(Main(os.Args[1:], Process())) },
	})
}

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("RLVET_NO_CACHE", "1")
			// A folder with .git ends the search for requirements above it.
			return os.MkdirAll(filepath.Join(e.WorkDir, ".git"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"crlf": crlf},
	})
}

// crlf gives files the line ends of Windows.
func crlf(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		path := ts.MkAbs(name)
		data, err := os.ReadFile(path)
		ts.Check(err)
		ts.Check(os.WriteFile(path, []byte(strings.ReplaceAll(string(data), "\n", "\r\n")), 0o644))
	}
}

// scriptRule is a rule made of a regular expression: it reports the first group
// of every match, and its fix replaces the whole match.
type scriptRule struct {
	code, name, family, severity, status, fix string
	pattern                                   *regexp.Regexp
	message, replacement                      string
	evidence                                  finding.Evidence
}

var scriptRules = []scriptRule{
	{"ADV009", "std-without-eps", "advantage", "error", "stable", "safe", regexp.MustCompile(`(\w+\.std\(\))(?: \+ 1e-8)?`),
		"division by a standard deviation that can be 0; add an epsilon", "($1 + 1e-8)", finding.Derived},
	{"ADV018", "eps-outside-division", "advantage", "warning", "stable", "safe", regexp.MustCompile(`(\bbreak_me\b)`),
		"a rule whose fix does not parse", "((", finding.Derived},
	{"KL018", "no-kl-no-clip", "kl", "note", "stable", "none", regexp.MustCompile(`(\bloss) =`), "nothing holds the policy near the base model", "", finding.Derived},
	{"OBJ001", "log-ratio-as-ratio", "objective", "error", "preview", "none", regexp.MustCompile(`(\bratio) =`), "this is a log-ratio", "", finding.Derived},
	{"OBJ021", "ratio-exp-twice", "objective", "error", "stable", "unsafe", regexp.MustCompile(`(\bexp\(exp\((.*)\)\))`), "exp of a ratio", "exp($2)", finding.Derived},
	{"ADV019", "std-of-one", "advantage", "error", "stable", "none", regexp.MustCompile(`/ (sigma)\b`), "a name like a standard deviation", "", finding.NameOnly},
}

const scriptPage = `---
code: %s
name: %s
family: %s
severity: %s
status: %s
evidence: derived
fix: %s
since: 0.1.0
headline: a mistake of the test
why: training does not learn
help: write it right
---

## Symptom

Nothing is learned.

## What it finds

What the regular expression of %[2]s matches. More is not said.

## Why it matters

It tests the command line.

## Bad

%[7]spython
bad()  # want "x"
%[7]s

## Good

%[7]spython
good()
%[7]s

## Not flagged

%[7]spython
fine()  # ok
%[7]s

## Known gaps

None known.

## How it is confirmed

It is not.
`

// scriptApp returns a program with the rules of scripts.
func scriptApp(env Env) *app {
	entries := suppress.Rules()
	for _, r := range scriptRules {
		doc, err := rule.Parse(r.name+".md", fmt.Appendf(nil, scriptPage, r.code, r.name, r.family, r.severity, r.status, r.fix, "```"))
		if err != nil {
			panic(err)
		}
		entries = append(entries, rule.Entry{Doc: doc, Analyzer: &analysis.Analyzer{Name: r.code}})
	}
	registry, err := rule.NewRegistry(entries, []rule.Retired{{Code: "ADV001", Name: "bare-std", By: "ADV009", Why: "ADV009 finds more"}})
	if err != nil {
		panic(err)
	}
	return &app{Env: env, rules: registry, engine: scriptCheck}
}

// scriptCheck stands in for the engine.
func scriptCheck(ctx context.Context, paths []string, o engine.Options) (*engine.Result, error) {
	out := &engine.Result{Files: map[string]*source.File{}, Stats: engine.Stats{Modules: len(paths)}}
	for i, path := range paths {
		file, err := scriptRead(path, o.Overlay)
		if err != nil {
			out.Problems = append(out.Problems, scriptProblem(path, err))
			continue
		}
		if strings.Contains(string(file.Text), "panic now") {
			panic("a rule's mistake")
		}
		out.Files[path] = file
		for _, a := range o.Analyzers {
			out.Findings = append(out.Findings, scriptFindings(file, a.Name)...)
		}
		if o.Progress != nil {
			o.Progress(i+1, len(paths))
		}
	}
	return out, ctx.Err()
}

func scriptProblem(path string, err error) finding.Problem {
	var e *source.Error
	if errors.As(err, &e) {
		return finding.Problem{File: e.Path, Line: e.Line, Message: e.Message, Fatal: !e.Skipped()}
	}
	return finding.Problem{File: path, Message: err.Error(), Fatal: true}
}

func scriptRead(path string, overlay map[string][]byte) (*source.File, error) {
	if raw, ok := overlay[path]; ok {
		return source.FromBytes(path, raw)
	}
	return source.Read(path)
}

func scriptFindings(file *source.File, code string) []finding.Finding {
	var out []finding.Finding
	for _, r := range scriptRules {
		if r.code != code {
			continue
		}
		for n, m := range r.pattern.FindAllSubmatchIndex(file.Text, -1) {
			if strings.HasSuffix(string(file.Text[m[0]:m[1]]), "1e-8") {
				continue
			}
			f := finding.Finding{Code: code, Message: r.message, Evidence: r.evidence, Range: scriptRange(file, m[2], m[3])}
			f.NoqaRow = f.Range.Start.Row
			f.Fingerprint = finding.Fingerprint(code, "", file.LineText(m[0]), n)
			if r.fix != "none" {
				text := string(r.pattern.Expand(nil, []byte(r.replacement), file.Text, m))
				f.Fix = &finding.Fix{Message: "Apply " + r.name, Edits: []finding.Edit{{Range: scriptRange(file, m[0], m[1]), Content: text}}}
			}
			if at := strings.Index(string(file.Text), "rewards ="); at >= 0 && code == "ADV009" {
				f.Related = []finding.Related{{Range: scriptRange(file, at, at+len("rewards")), Message: "rewards, since line 1"}}
			}
			out = append(out, f)
		}
	}
	return out
}

func scriptRange(file *source.File, start, end int) finding.Range {
	r := finding.Range{File: file.Path, StartByte: start, EndByte: end}
	r.Cell, r.Start, r.End = file.Span(start, end)
	return r
}

// newApp returns a program with the rules of scripts whose streams are in
// memory.
func newApp(stdin string) (a *app, stdout, stderr *strings.Builder) {
	stdout, stderr = &strings.Builder{}, &strings.Builder{}
	env := Env{Stdin: strings.NewReader(stdin), Stdout: stdout, Stderr: stderr, Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return false }}
	return scriptApp(env), stdout, stderr
}

// Colour follows --color, then NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and CLICOLOR, then the terminal.
func TestColour(t *testing.T) {
	for _, c := range []struct {
		flag     string
		env      map[string]string
		terminal bool
		want     bool
	}{
		{"auto", nil, true, true}, {"auto", nil, false, false}, {"never", nil, true, false}, {"always", nil, false, true},
		{"auto", map[string]string{"NO_COLOR": "1"}, true, false}, {"always", map[string]string{"NO_COLOR": "1"}, false, true},
		{"auto", map[string]string{"FORCE_COLOR": "1"}, false, true}, {"auto", map[string]string{"FORCE_COLOR": "0"}, false, false},
		{"never", map[string]string{"FORCE_COLOR": "1"}, false, false}, {"auto", map[string]string{"TERM": "dumb"}, true, false},
		{"auto", map[string]string{"NO_COLOR": "1", "FORCE_COLOR": "1"}, true, false}, {"auto", map[string]string{"CLICOLOR_FORCE": "1"}, false, true},
		{"auto", map[string]string{"CLICOLOR": "0"}, true, false}, {"auto", map[string]string{"CLICOLOR": "1"}, true, true}, {"auto", map[string]string{"CLICOLOR": "0", "FORCE_COLOR": "1"}, false, true},
	} {
		a := &app{color: c.flag, Env: Env{Getenv: func(k string) string { return c.env[k] }, IsTerminal: func(any) bool { return c.terminal }}}
		if got := a.coloured(io.Discard); got != c.want {
			t.Errorf("--color %s, %v, terminal %v: %v", c.flag, c.env, c.terminal, got)
		}
	}
}

// A fingerprint is the same from whatever folder, and by whatever path, a file
// is checked: baselines and code hosts rely on it.
func TestFingerprintsDoNotDependOnTheFolder(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{".git", "src"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	text := "import torch\n\ndef norm(r: torch.Tensor):\n    return (r - r.mean()) / r.std()\n\nnorm(torch.ones(4))  # rlvet: ignore[LOOP020] nothing\n"
	write(t, filepath.Join(dir, "src", "train.py"), text)
	want := ""
	for _, c := range [][2]string{{"", "src/train.py"}, {"src", "train.py"}, {"src", "."}, {"", filepath.Join(dir, "src", "train.py")}} {
		t.Chdir(filepath.Join(dir, c[0]))
		var out strings.Builder
		env := Process()
		env.Stdout = &out
		if code := Main([]string{"check", "--preview", "--select", "ADV009,RLV,LOOP020", "--output-format", "json-lines", c[1]}, env); code != exitFindings {
			t.Fatalf("exit code %d: %s", code, out.String())
		}
		prints := regexp.MustCompile(`"code":"\w+"|"fingerprint":"\w+"`).FindAllString(out.String(), -1)
		if got := strings.Join(prints, " "); want == "" {
			want = got
		} else if got != want {
			t.Errorf("in %q, %s:\n%s\nwant %s", c[0], c[1], got, want)
		}
	}
	if n := strings.Count(want, "fingerprint"); n != 2 {
		t.Errorf("%d findings, want ADV009 and RLV001: %s", n, want)
	}
}

// A page on a terminal goes through the reader's pager; where there is no terminal it does not.
func TestRulePages(t *testing.T) {
	t.Setenv("PAGER", "sed s/std-without-eps/PAGED/")
	for _, terminal := range []bool{true, false} {
		for _, args := range [][]string{{"rule", "ADV009"}, {"rules", "ADV"}} {
			var stdout, stderr strings.Builder
			env := Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return terminal }}
			if code := Main(args, env); code != exitClean || stderr.Len() > 0 {
				t.Fatalf("%v: exit code %d, %s", args, code, stderr.String())
			}
			if strings.Contains(stdout.String(), "PAGED") != terminal || strings.Contains(stdout.String(), "std-without-eps") == terminal {
				t.Errorf("%v on a terminal %t: paged otherwise:\n%s", args, terminal, stdout.String())
			}
		}
	}
}
