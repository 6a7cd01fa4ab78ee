package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/report/sarif"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/schematest"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/suppress"
	"github.com/rlvet/rlvet/internal/vet"
)

var update = flag.Bool("update", false, "rewrite golden files")

const train = `import torch

def advantages(rewards):
    centred = rewards - rewards.mean()
	# ünïcode and 報酬, and a tab
    報酬 = centred / rewards.std()
    return 報酬

loss = compute(
    ratio,
    old,
)
x = 1
`

const book = `{"cells": [{"cell_type": "markdown", "source": ["# A"]}, {"cell_type": "code", "source": ["y = 1\n", "x = r / r.std()"]}],
"metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}`

// sample returns a report with a finding of each kind: with origin and fix, over
// several lines, in a notebook, and a note.
func sample(t testing.TB) *vet.Result {
	t.Helper()
	files := map[string]*source.File{}
	for path, text := range map[string]string{"src/train.py": train, "a,b/book: 1%.ipynb": book} {
		f, err := source.FromBytes(path, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		files[path] = f
	}
	at := func(path, text string) finding.Range { return rangeOf(t, files[path], text) }
	std := at("src/train.py", "rewards.std()")
	r := &vet.Result{Files: files, Rules: registry(t), Version: "0.1.0", Dir: "/home/user/project", Hidden: 1, Baselined: 2}
	r.Findings = []finding.Finding{
		{Code: "ADV009", Message: "division by a std\nthat can be zero", Why: "a group of equal rewards gives NaN advantages", Help: "add `+ 1e-8` to the denominator", Evidence: finding.Derived,
			Range: std, NoqaRow: 6, Fingerprint: "0123456789abcdef",
			Related: []finding.Related{{Range: at("src/train.py", "rewards"), Message: "rewards: a parameter"}, {Range: at("src/train.py", "centred"), Message: "centred: rewards minus their mean"}},
			Fix:     &finding.Fix{Applicability: finding.Safe, Message: "Add an epsilon to the denominator", Edits: []finding.Edit{{Range: std, Content: "(rewards.std() + 1e-8)"}}}},
		{Code: "OBJ001", Message: "log-ratio used as ratio: 100% of the time", Evidence: finding.Table, Range: at("src/train.py", "compute(\n    ratio,\n    old,\n)"), NoqaRow: 12, Fingerprint: "1",
			Fix: &finding.Fix{Applicability: finding.Unsafe, Message: "Take the exponential", Edits: []finding.Edit{{Range: at("src/train.py", "ratio"), Content: "ratio.exp()"}}}},
		{Code: "ADV009", Message: "division by a standard deviation", Evidence: finding.Derived, Range: at("a,b/book: 1%.ipynb", "r.std()"), NoqaRow: 2, Fingerprint: "2",
			Fix: &finding.Fix{Applicability: finding.DisplayOnly, Message: "Add an epsilon", Edits: []finding.Edit{{Range: at("a,b/book: 1%.ipynb", "r.std()"), Content: "(r.std() + 1e-8)"}}}},
		{Code: "KL018", Message: "nothing holds the policy", Evidence: finding.Derived, Range: at("src/train.py", "x"), NoqaRow: 13, Fingerprint: "3"},
	}
	for i := range r.Findings {
		r.Rules.Complete(&r.Findings[i])
	}
	hidden := r.Findings[3]
	hidden.Fingerprint = "4"
	r.Suppressed = []suppress.Suppressed{{Finding: hidden, Reason: "a toy"}}
	r.Problems = []finding.Problem{{File: "broken.py", Line: 3, Message: "not Python", Fatal: true}, {Message: "slow", Fatal: false}}
	return r
}

func rangeOf(t testing.TB, f *source.File, text string) finding.Range {
	t.Helper()
	start := bytes.Index(f.Text, []byte(text))
	if start < 0 {
		t.Fatalf("%q is not in %s", text, f.Path)
	}
	r := finding.Range{File: f.Path, StartByte: start, EndByte: start + len(text)}
	r.Cell, r.Start, r.End = f.Span(start, start+len(text))
	return r
}

func registry(t testing.TB) *rule.Registry {
	t.Helper()
	page, err := os.ReadFile("../rule/testdata/page.md")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := rule.Parse("page.md", page)
	if err != nil {
		t.Fatal(err)
	}
	other := func(code, name, family string, s finding.Severity, f rule.FixLevel) rule.Entry {
		d := *doc
		d.Code, d.Name, d.Family, d.Severity, d.Fix = code, name, family, s, f
		return rule.Entry{Doc: &d}
	}
	r, err := rule.NewRegistry([]rule.Entry{{Doc: doc}, other("OBJ001", "log-ratio-as-ratio", "objective", finding.Warning, rule.FixUnsafe), other("KL018", "no-kl-no-clip", "kl", finding.Note, rule.FixNone)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func render(t testing.TB, format string, coloured bool, r *vet.Result) string {
	t.Helper()
	return renderAs(t, format, Look{Coloured: coloured}, r)
}

func renderAs(t testing.TB, format string, look Look, r *vet.Result) string {
	t.Helper()
	w, err := New(format, look)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := w.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (rewrite with -update):\n%s", path, diff)
	}
}

// The same report in every format.
func TestFormats(t *testing.T) {
	for _, format := range []string{"concise", "full", "grouped", "agent", "json", "json-lines", "github", "sarif", "gitlab", "azure", "junit", "pylint", "rdjson"} {
		golden(t, format+".golden", render(t, format, false, sample(t)))
	}
	golden(t, "full.ansi", render(t, "full", true, sample(t)))
	golden(t, "concise.ansi", render(t, "concise", true, sample(t)))
}

func TestUnknownFormat(t *testing.T) {
	if _, err := New("xml", Look{}); err == nil {
		t.Error("xml is accepted")
	}
}

func TestStatistics(t *testing.T) {
	for _, format := range []string{"full", "json"} {
		var b bytes.Buffer
		if err := WriteStatistics(&b, sample(t), format, Look{}); err != nil {
			t.Fatal(err)
		}
		golden(t, "statistics."+format, b.String())
	}
}

// sarifLog reads a log, which must be valid by the official schema of SARIF 2.1.0.
func sarifLog(t *testing.T, text string) sarif.Log {
	t.Helper()
	schematest.Holds(t, schematest.SARIF(t), "the log", []byte(text))
	var log sarif.Log
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatal(err)
	}
	return log
}

// The report is valid where there is something to report, and where there is nothing; what
// is not SARIF is not.
func TestSARIFIsValid(t *testing.T) {
	for _, r := range []*vet.Result{sample(t), {Rules: registry(t), Version: "0.1.0"}} {
		sarifLog(t, render(t, "sarif", false, r))
	}
	wrong := map[string]any{"version": "2.1.0", "runs": []any{map[string]any{"tool": map[string]any{"driver": map[string]any{"name": 7.0}}}}}
	if schematest.SARIF(t).Validate(wrong) == nil {
		t.Error("the schema holds of anything")
	}
}

// Every rule that a result names is described, at the index that it names.
func TestSARIFRuleIndexes(t *testing.T) {
	log := sarifLog(t, render(t, "sarif", false, sample(t)))
	rules := log.Runs[0].Tool.Driver.Rules
	if n := len(log.Runs[0].Results); n != 5 {
		t.Fatalf("%d results, want 5", n)
	}
	for _, res := range log.Runs[0].Results {
		if got := rules[res.RuleIndex].ID; got != res.RuleID {
			t.Errorf("result of %s points to rule %s", res.RuleID, got)
		}
	}
}

// JSON gives arrays where there is nothing, so that readers need not test for null.
func TestJSONOfNothing(t *testing.T) {
	if got := render(t, "json", false, &vet.Result{}); got != "[]\n" {
		t.Errorf("no findings give %q", got)
	}
	var list []map[string]any
	if err := json.Unmarshal([]byte(render(t, "json", false, sample(t))), &list); err != nil {
		t.Fatal(err)
	}
	note := list[3]
	if note["fix"] != nil || note["cell"] != nil || note["confirmation"] != nil || len(note["related"].([]any)) != 0 {
		t.Errorf("absent parts: %v", note)
	}
	if list[2]["cell"] != 2.0 || list[0]["filename"] != "/home/user/project/src/train.py" {
		t.Errorf("cell %v, filename %v", list[2]["cell"], list[0]["filename"])
	}
}

// The closing lines.
func TestSummary(t *testing.T) {
	one := func(s finding.Severity, a finding.Applicability) finding.Finding {
		f := finding.Finding{Severity: s}
		if a != "" {
			f.Fix = &finding.Fix{Applicability: a}
		}
		return f
	}
	e, w, n := one("error", ""), one("warning", "unsafe"), one("note", "safe")
	for _, c := range []struct {
		r    vet.Result
		want string
	}{
		{vet.Result{Held: 12}, "Nothing was checked.\n"},
		{vet.Result{Checked: 1}, "All checks passed!\n"},
		{vet.Result{Findings: []finding.Finding{e}}, "Found 1 error.\n"},
		{vet.Result{Findings: []finding.Finding{e, e, w}}, "Found 2 errors and 1 warning.\n[*] 1 fixable with --fix --unsafe-fixes.\n"},
		{vet.Result{Findings: []finding.Finding{e, w, n}}, "Found 1 error, 1 warning and 1 note.\n[*] 1 fixable with --fix (1 more with --unsafe-fixes).\n"},
		{vet.Result{Findings: []finding.Finding{w, w}, UnsafeFixes: true}, "Found 2 warnings.\n[*] 2 fixable with --fix.\n"},
		{vet.Result{Fixed: 2}, "Found 2 findings (2 fixed, 0 remaining).\n"},
		{vet.Result{Fixed: 1, Findings: []finding.Finding{e}}, "Found 2 findings (1 fixed, 1 remaining): 1 error.\n"},
		{vet.Result{Checked: 1, Problems: []finding.Problem{{Fatal: true}}}, "No findings in the files that could be checked.\n"},
		{vet.Result{Problems: []finding.Problem{{Fatal: true}}}, ""},
		{vet.Result{Checked: 1, Gone: 1, Old: 1}, "All checks passed!\n1 baseline entry no longer occurs; `rlvet baseline prune` removes it.\n1 finding on old lines not shown.\n"},
		{vet.Result{Checked: 1, Unheard: []finding.Finding{{Message: "only 1 of 9", Why: "call of build", Range: finding.Range{File: "a.py", Start: source.Position{Row: 3, Column: 5}}}}}, "All checks passed!\nnote: a.py:3:5: only 1 of 9; most of all: call of build.\nFor this loss, no finding does not mean no bug; `rlvet debug coverage PATH` shows what is missing.\n"},
		{vet.Result{Findings: []finding.Finding{e}, Unheard: []finding.Finding{e}}, "Found 1 error.\n"},
		{vet.Result{Checked: 1, Held: 12}, "All checks passed!\nThe 12 rules in preview find nothing either.\n"},
		{vet.Result{Checked: 1, Held: 1}, "All checks passed!\nThe rule in preview finds nothing either.\n"},
		{vet.Result{Checked: 1, Held: 12, More: []finding.Finding{e}}, "All checks passed!\n1 finding with --preview.\n"},
		{vet.Result{Held: 12, Findings: []finding.Finding{e}, More: []finding.Finding{e, w}}, "Found 1 error.\n2 more with --preview.\n"},
		{vet.Result{Held: 12, Explicit: true, Findings: []finding.Finding{e}, More: []finding.Finding{e, w}}, "Found 1 error.\n2 more with --preview and their rules selected by code.\n"},
		{vet.Result{Held: 12, Explicit: true, Preview: true, Checked: 1, More: []finding.Finding{w}}, "All checks passed!\n1 finding with its rule selected by code.\n"},
		{vet.Result{Held: 12, Findings: []finding.Finding{e}}, "Found 1 error.\n"},
		{vet.Result{Checked: 1, Hidden: 2}, "All checks passed!\n2 hints not shown: they rest on names alone (--show-hints shows them).\n"},
	} {
		var b bytes.Buffer
		summarise(&printer{w: &b}, newPalette(Look{}), &c.r)
		if b.String() != c.want {
			t.Errorf("got  %q\nwant %q", b.String(), c.want)
		}
		b.Reset()
		if summarise(&printer{w: &b}, newPalette(Look{Quiet: true}), &c.r); b.Len() > 0 {
			t.Errorf("quiet, and yet %q", b.String())
		}
	}
}

// frameText renders the frame of text in a file as Full shows it.
func frameText(t testing.TB, text, marked string, context int) string {
	t.Helper()
	f, err := source.FromBytes("a.py", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	full := &Full{newPalette(Look{})}
	full.frame(&printer{w: &b}, 2, f, rangeOf(t, f, marked), context, func(a ...any) string { return a[0].(string) })
	return b.String()
}

// Carets stand under what is meant, whatever stands before it.
func TestFrames(t *testing.T) {
	long := strings.Repeat("a + ", 100) + "x.std()" + strings.Repeat(" + b", 100)
	for _, c := range []struct{ name, text, marked, want string }{
		{"start of the file", "x.std()\ny\n", "x.std()", "   |\n 1 | x.std()\n   | ^^^^^^^\n 2 | y\n   |\n"},
		{"end without line end", "y\nx.std()", "x.std()", "   |\n 1 | y\n 2 | x.std()\n   | ^^^^^^^\n   |\n"},
		{"tabs", "\tif a:\n\t\tx.std()\n", "x.std()", "   |\n 1 |     if a:\n 2 |         x.std()\n   |         ^^^^^^^\n   |\n"},
		{"wide characters", "報酬 = é + x.std()\n", "x.std()", "   |\n 1 | 報酬 = é + x.std()\n   |            ^^^^^^^\n   |\n"},
		{"wide characters marked", "報酬 = 1\n", "報酬", "   |\n 1 | 報酬 = 1\n   | ^^^^\n   |\n"},
		{"escapes", "'\x1b[31m' + x.std()\n", "x.std()", "   |\n 1 | '\ufffd[31m' + x.std()\n   |           ^^^^^^^\n   |\n"},
		{"several lines", "f(\n    x,\n)\n", "f(\n    x,\n)", "   |\n 1 | f(\n   | ^^\n 2 |     x,\n   |     ^^\n 3 | )\n   | ^\n   |\n"},
		{"many lines", "f(\n1,\n2,\n3,\n4,\n5,\n6,\n7)\n", "f(\n1,\n2,\n3,\n4,\n5,\n6,\n7)",
			"   |\n 1 | f(\n   | ^^\n 2 | 1,\n   | ^^\n 3 | 2,\n   | ^^\n 4 | 3,\n   | ^^\n...\n 7 | 6,\n   | ^^\n 8 | 7)\n   | ^^\n   |\n"},
		{"carriage returns", "a\r\nx.std()\r\n", "x.std()", "   |\n 1 | a\n 2 | x.std()\n   | ^^^^^^^\n   |\n"},
	} {
		if diff := cmp.Diff(c.want, frameText(t, c.text, c.marked, 1)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
	lines := strings.Split(frameText(t, long, "x.std()", 0), "\n")
	if at := strings.Index(lines[2], "^"); len([]rune(lines[1])) > maxColumns+6 || string([]rune(lines[1])[at:at+7]) != "x.std()" {
		t.Errorf("a long line is cut wrongly:\n%s\n%s", lines[1], lines[2])
	}
}

// Whatever the text and the place: the marks lie under the line, no control
// character is written, and nothing is wider than it may be.
func TestFrameProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.StringMatching("[ab\té報\x1b\u200d ]{0,40}|(xyz ){60}"), 1, 6).Draw(r, "lines"), "\n")
		f, err := source.FromBytes("a.py", []byte(text))
		if err != nil {
			return // the decoder calls it binary
		}
		start := rapid.IntRange(0, len(f.Text)).Draw(r, "start")
		end := rapid.IntRange(start, len(f.Text)).Draw(r, "end")
		at := finding.Range{File: "a.py", StartByte: start, EndByte: end}
		_, at.Start, at.End = f.Span(start, end)
		for _, l := range frameLines(f, at, 2) {
			if strings.ContainsAny(l.text, "\x1b\t\r\n") || columns(l.text) > maxColumns+1 {
				r.Fatalf("line %q is %d wide", l.text, columns(l.text))
			}
			if l.marks > 0 && (l.indent < 0 || l.indent+l.marks > max(columns(l.text), l.indent)+maxColumns) {
				r.Fatalf("marks %d+%d under %q", l.indent, l.marks, l.text)
			}
		}
	})
}

// The runner of GitHub reads back what was written.
func TestGitHubEscaping(t *testing.T) {
	unescape := strings.NewReplacer("%3A", ":", "%2C", ",", "%0A", "\n", "%0D", "\r", "%25", "%")
	rapid.Check(t, func(r *rapid.T) {
		message, path := rapid.String().Draw(r, "message"), rapid.StringMatching(`[a-z:,%\n]{1,9}`).Draw(r, "path")
		f := finding.Finding{Code: "ADV009", Severity: "error", Message: message, Range: finding.Range{File: path, Start: source.Position{Row: 1, Column: 1}, End: source.Position{Row: 1, Column: 2}}}
		line := render(t, "github", false, &vet.Result{Findings: []finding.Finding{f}})
		head, text, ok := strings.Cut(strings.TrimSuffix(line[2:], "\n"), "::")
		if !ok || strings.Count(line, "\n") != 1 || strings.Contains(line, "\r") {
			r.Fatalf("not one command: %q", line)
		}
		_, file, _ := strings.Cut(head, ",file=")
		file, _, _ = strings.Cut(file, ",line=")
		if unescape.Replace(file) != path || !strings.HasSuffix(unescape.Replace(text), "ADV009 "+message) {
			r.Fatalf("read back: file %q, message %q", unescape.Replace(file), unescape.Replace(text))
		}
	})
}

// What the diff of a fix shows is what the fix does: the shown lines are those
// of the file before and after.
func TestDiffLines(t *testing.T) {
	r := sample(t)
	f := r.Files["src/train.py"]
	edits := r.Findings[0].Fix.Edits
	after, err := edit.Apply(f.Text, finding.Plain(edits))
	if err != nil {
		t.Fatal(err)
	}
	old, fresh := strings.Split(string(f.Text), "\n"), strings.Split(string(after), "\n")
	for _, l := range diffLines(f, edits) {
		switch {
		case l.sign == '-':
			if layOut(old[5]) != l.text {
				t.Errorf("removed %q, the line is %q", l.text, old[5])
			}
		case layOut(fresh[l.row-1]) != l.text:
			t.Errorf("row %d shown as %q, is %q", l.row, l.text, fresh[l.row-1])
		}
	}
	if got := diffLines(f, []finding.Edit{edits[0], {Range: edits[0].Range, Content: "else"}}); got != nil {
		t.Errorf("edits that do not fit together are shown: %v", got)
	}
}

// The diff of a fix in a notebook is that of its cell: what stands in the next one is
// no part of it, and a command of IPython is shown as it is written.
func TestDiffOfACell(t *testing.T) {
	const text = `{"cells": [
{"cell_type": "code", "source": ["def scale(r):\n", "    !nvidia-smi\n", "    return r / r.std()"]},
{"cell_type": "code", "source": ["adv = scale(r)"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`
	f, err := source.FromBytes("a.ipynb", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	at := rangeOf(t, f, "r.std()")
	want := []diffLine{
		{sign: ' ', row: 2, text: "    !nvidia-smi", gap: true},
		{sign: '-', text: "    return r / r.std()"},
		{sign: '+', row: 3, text: "    return r / (r.std() + 1e-8)"},
	}
	got := diffLines(f, []finding.Edit{{Range: at, Content: "(r.std() + 1e-8)"}})
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(diffLine{})); diff != "" {
		t.Error(diff)
	}
}

// TestFullIsWrapped holds why and help to the width of the terminal, each line below the
// first indented behind its label.
func TestFullIsWrapped(t *testing.T) {
	r := sample(t)
	got := renderAs(t, "full", Look{Width: 40}, r)
	want := "why: a group of equal rewards gives NaN\n     advantages\n"
	if !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	if !strings.Contains(got, "help: add `+ 1e-8` to the denominator\n") {
		t.Errorf("what fits was wrapped:\n%s", got)
	}
}

// TestCodesAreLinks: on a terminal a code leads to its page, and elsewhere nothing is hidden in it.
func TestCodesAreLinks(t *testing.T) {
	r := sample(t)
	link := "\x1b]8;;" + r.Findings[0].URL + "\x1b\\"
	for _, format := range []string{"full", "concise", "grouped"} {
		if got := renderAs(t, format, Look{Coloured: true, Width: 80}, r); !strings.Contains(got, link) || strings.Count(got, "\x1b]8;;\x1b\\") != len(r.Findings) {
			t.Errorf("%s: no link %q in\n%q", format, link, got)
		}
		for _, look := range []Look{{Width: 80}, {Coloured: true}} {
			if got := renderAs(t, format, look, r); strings.Contains(got, "\x1b]8") {
				t.Errorf("%s, %+v: %q", format, look, got)
			}
		}
	}
}

// TestLine joins headline and help, where there is one.
func TestLine(t *testing.T) {
	f := finding.Finding{Message: "division by a std that can be zero"}
	if got := f.Line(); got != f.Message {
		t.Errorf("without help: %q", got)
	}
	f.Help = "add `+ 1e-8`"
	if got, want := f.Line(), "division by a std that can be zero; add `+ 1e-8`"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
