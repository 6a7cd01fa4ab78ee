package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// The tests of this file hold a format to what its reader documents.

// drawn returns a report with any texts in it.
func drawn(r *rapid.T) *vet.Result {
	out := &vet.Result{Dir: "/home/user/project"}
	for range rapid.IntRange(0, 30).Draw(r, "findings") {
		path := rapid.StringMatching(`[a-zé :,;%|\]\n]{1,9}\.py`).Draw(r, "path")
		edit := finding.Edit{Range: finding.Range{File: path}, Content: rapid.String().Draw(r, "content")}
		out.Findings = append(out.Findings, finding.Finding{
			Code: "ADV009", Name: "std-without-eps", Severity: rapid.SampledFrom([]finding.Severity{"error", "warning", "note"}).Draw(r, "severity"),
			Message: rapid.String().Draw(r, "message"), URL: "https://example.org/ADV009", Fix: &finding.Fix{Message: "Apply it", Edits: []finding.Edit{edit}}, Fingerprint: rapid.StringMatching("[ab]").Draw(r, "fingerprint"),
			Range: finding.Range{File: path, Start: source.Position{Row: 2, Column: 3}, End: source.Position{Row: 4, Column: 1}},
		})
	}
	return out
}

// One line a finding, whatever the texts hold.
func TestLineFormats(t *testing.T) {
	shape := map[string]*regexp.Regexp{
		"agent":  regexp.MustCompile(`^.+:2:3: (error|warning|note) ADV009 std-without-eps: .*; page: https://example.org/ADV009$`),
		"pylint": regexp.MustCompile(`^.+:2: \[ADV009\] .*$`),
		"azure":  regexp.MustCompile(`^##vso\[task\.logissue type=(error|warning);sourcepath=[^;\]]+;linenumber=2;columnnumber=3;code=ADV009;\][^\];]*$`),
	}
	rapid.Check(t, func(r *rapid.T) {
		report := drawn(r)
		for format, want := range shape {
			text := render(t, format, false, report)
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			if text == "" {
				lines = nil
			}
			if len(lines) != len(report.Findings) {
				r.Fatalf("%s: %d lines for %d findings:\n%s", format, len(lines), len(report.Findings), text)
			}
			for _, l := range lines {
				if !want.MatchString(l) {
					r.Fatalf("%s: %q", format, l)
				}
			}
		}
	})
}

// What the agent of Azure Pipelines reads is what was meant.
func TestAzureEscaping(t *testing.T) {
	unescape := strings.NewReplacer("%3B", ";", "%0D", "\r", "%0A", "\n", "%5D", "]", "%AZP25", "%")
	rapid.Check(t, func(r *rapid.T) {
		f := finding.Finding{Code: "ADV009", Message: rapid.String().Draw(r, "message"), Range: finding.Range{File: rapid.StringMatching(`[a;\]%\n]{1,9}`).Draw(r, "path")}}
		head, text, ok := strings.Cut(strings.TrimSuffix(render(t, "azure", false, &vet.Result{Findings: []finding.Finding{f}}), "\n"), ";]")
		_, path, _ := strings.Cut(head, "sourcepath=")
		path, _, _ = strings.Cut(path, ";")
		if !ok || unescape.Replace(path) != f.Range.File || unescape.Replace(text) != f.Message {
			r.Fatalf("read back %q and %q", unescape.Replace(path), unescape.Replace(text))
		}
	})
}

// GitLab's documentation of Code Quality: an array of objects with a description, a
// name, a unique fingerprint, a relative path that does not start with ./, a line, and
// one of five severities.
func TestGitLabReads(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		report := drawn(r)
		var issues []struct {
			Description, Fingerprint, Severity string
			CheckName                          string `json:"check_name"`
			Location                           struct {
				Path  string
				Lines struct{ Begin, End int }
			}
		}
		d := json.NewDecoder(strings.NewReader(render(t, "gitlab", false, report)))
		d.DisallowUnknownFields()
		if err := d.Decode(&issues); err != nil || issues == nil || len(issues) != len(report.Findings) {
			r.Fatalf("%v, %d issues", err, len(issues))
		}
		seen := map[string]bool{}
		for _, i := range issues {
			if i.Description == "" || i.CheckName == "" || seen[i.Fingerprint] || i.Location.Lines.Begin < 1 || strings.HasPrefix(i.Location.Path, "./") ||
				!slices.Contains([]string{"info", "minor", "major", "critical", "blocker"}, i.Severity) {
				r.Fatalf("not an issue: %+v", i)
			}
			seen[i.Fingerprint] = true
		}
	})
}

// Paths are relative to the folder of the run, as GitLab wants them, however the user
// named the files.
func TestPathsFromRoot(t *testing.T) {
	for _, c := range [][2]string{{"src/a.py", "src/a.py"}, {"./a.py", "a.py"}, {"/home/user/project/b.py", "b.py"}, {"/elsewhere/b.py", "/elsewhere/b.py"}, {"../b.py", "../b.py"}} {
		if got := fromRoot("/home/user/project", c[0]); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}

// The rules of JUnit's schema that servers hold to: counts that are those of the tests,
// at least one test, a name and a class for each, and a failure or an error at most.
func TestJUnitReads(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		report := drawn(r)
		if rapid.Bool().Draw(r, "problem") {
			report.Problems = []finding.Problem{{File: "broken.py", Line: 3, Message: "not\x00 Python", Fatal: true}}
		}
		var got junitReport
		if err := xml.Unmarshal([]byte(render(t, "junit", false, report)), &got); err != nil {
			r.Fatal(err)
		}
		tests, failures, errors := 0, 0, 0
		names := map[string]bool{}
		for _, s := range got.Suites {
			if names[s.Name] || len(s.Cases) != s.Tests {
				r.Fatalf("suite %q: %d of %d tests", s.Name, len(s.Cases), s.Tests)
			}
			names[s.Name] = true
			tests, failures, errors = tests+s.Tests, failures+s.Failures, errors+s.Errors
			for _, c := range s.Cases {
				if c.Name == "" || c.Class == "" && c.File != "" || c.Failure != nil && c.Error != nil {
					r.Fatalf("test %+v", c)
				}
			}
		}
		if tests != got.Tests || failures != got.Failures || errors != got.Errors || failures != severe(report) || errors != len(report.Problems) || tests == 0 {
			r.Fatalf("%d tests, %d failures, %d errors of %+v", tests, failures, errors, got)
		}
	})
}

// severe counts the findings that are no notes.
func severe(r *vet.Result) (n int) {
	for _, f := range r.Findings {
		if f.Severity != finding.Note {
			n++
		}
	}
	return n
}

// The Reviewdog Diagnostic Format: columns are bytes of UTF-8 from 1, ends are exclusive,
// and a suggestion is the text of the range after the fix.
func TestRDJSONReads(t *testing.T) {
	r := sample(t)
	var got rdResult
	d := json.NewDecoder(strings.NewReader(render(t, "rdjson", false, r)))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	at := *got.Diagnostics[0].Location.Range
	if text := cut(r.Files["src/train.py"].Text, at); text != "rewards.std()" {
		t.Errorf("the range is that of %q", text)
	}
	if s := got.Diagnostics[0].Suggestions; len(s) != 1 || s[0].Text != "(rewards.std() + 1e-8)" || s[0].Range != at {
		t.Errorf("suggestions: %+v", s)
	}
	book := got.Diagnostics[2]
	if book.Location.Range != nil || len(book.Suggestions) > 0 || !strings.HasPrefix(book.Message, "cell 2:2:9: ") {
		t.Errorf("in a notebook: %+v", book)
	}
}

// cut returns the text of a range as Reviewdog counts.
func cut(text []byte, at rdRange) string {
	lines := bytes.SplitAfter(text, []byte("\n"))
	offset := func(p rdPosition) int {
		n := p.Column - 1
		for _, l := range lines[:p.Line-1] {
			n += len(l)
		}
		return n
	}
	return string(text[offset(at.Start):offset(at.End)])
}

// A step of GitHub shows ten annotations of a level: the most severe are among them, and
// nothing is lost.
func TestGitHubLimits(t *testing.T) {
	r := &vet.Result{}
	for i := range 40 {
		s := []finding.Severity{finding.Note, finding.Error}[i%2]
		r.Findings = append(r.Findings, finding.Finding{Code: "ADV009", Severity: s, Message: fmt.Sprintf("number %d.", i), Range: finding.Range{File: "a.py", Start: source.Position{Row: 1 + i, Column: 1}, End: source.Position{Row: 1 + i, Column: 2}}})
	}
	text := render(t, "github", false, r)
	if e, n := strings.Count(text, "::error "), strings.Count(text, "::notice "); e != 10 || n != 10 {
		t.Errorf("%d errors, %d notices", e, n)
	}
	if strings.Index(text, "::notice") < strings.LastIndex(text, "::error") {
		t.Error("a note comes before an error")
	}
	for i := range 40 {
		if !strings.Contains(text, fmt.Sprintf("number %d.", i)) {
			t.Errorf("finding %d is lost", i)
		}
	}
}

func markdown(t testing.TB, r *vet.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteMarkdown(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The summary of a job.
func TestMarkdown(t *testing.T) {
	golden(t, "summary.md", markdown(t, sample(t)))
	for checked, want := range []string{"Nothing was checked.", "All checks passed!"} {
		if got := markdown(t, &vet.Result{Checked: checked}); got != "### rlvet\n\n"+want+"\n" {
			t.Errorf("of %d files: %q", checked, got)
		}
	}
	many := &vet.Result{}
	for range 20000 {
		many.Findings = append(many.Findings, finding.Finding{Severity: "error", Message: strings.Repeat("x", 100)})
	}
	if got := markdown(t, many); len(got) > 1<<20 || !strings.HasSuffix(got, " findings more.\n") {
		t.Errorf("%d bytes, ending in %q", len(got), got[len(got)-40:])
	}
}

// Whatever the texts: a row is a line of four cells.
func TestMarkdownRows(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		report := drawn(r)
		_, table, _ := strings.Cut(markdown(t, report), "| --- | --- | --- | --- |\n")
		for row := range strings.Lines(table) {
			if bars := strings.Count(strings.ReplaceAll(row, `\|`, ""), "|"); bars != 5 {
				r.Fatalf("%d bars in %q", bars, row)
			}
		}
		if strings.Count(table, "\n") != len(report.Findings) {
			r.Fatalf("not a line a finding: %q", table)
		}
	})
}
