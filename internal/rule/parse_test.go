package rule

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func page(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("testdata/page.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func mustParse(t *testing.T, text string) *Doc {
	t.Helper()
	d, err := Parse("rule.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A page that is opened says what one that is parsed says, and a mistake in it shows when its sections are asked for, no sooner: every
// start of the program opens all pages.
func TestOpenReadsSectionsWhenAsked(t *testing.T) {
	parsed := mustParse(t, page(t))
	d := Open("rule.md", parsed.Meta, []byte(page(t)))
	if diff := cmp.Diff(parsed.Markdown(), d.Markdown()); diff != "" {
		t.Error(diff)
	}
	broken := Open("rule.md", parsed.Meta, []byte(strings.Replace(page(t), "## Bad\n", "## Worse\n", 1)))
	defer func() {
		if e, ok := recover().(*ParseError); !ok || !strings.Contains(e.Msg, `unknown section "Worse"`) {
			t.Errorf("asking for the sections of a broken page panics with %v", e)
		}
	}()
	broken.Sections()
	t.Error("the sections of a broken page can be read")
}

func TestParseReadsFrontMatterAndSummary(t *testing.T) {
	d := mustParse(t, page(t))
	want := Meta{Code: "ADV009", Name: "std-without-eps", Family: "advantage", Severity: "error", Status: Stable,
		Evidence: "derived", Fix: FixSafe, Since: "0.1.0",
		Headline: "division by a std that can be zero", Why: "equal rewards give NaN advantages", Help: "add `+ 1e-8` to the denominator",
		Refs: []string{"Schulman et al., Proximal Policy Optimization Algorithms, 2017"}}
	if diff := cmp.Diff(want, d.Meta); diff != "" {
		t.Error(diff)
	}
	if got, want := d.Summary(), "A division by `x.std()`, e.g. of rewards, with nothing added."; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	if got, want := d.URL(), "https://rlvet.github.io/rlvet/rules/ADV009/"; got != want {
		t.Errorf("URL %s, want %s", got, want)
	}
}

// TestSite: findings lead to where the site is published, and each rule has a page there.
func TestSite(t *testing.T) {
	settings, err := os.ReadFile("../../packaging/site/mkdocs.yml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(settings), "\nsite_url: "+Site+"\n") || strings.Contains(string(settings), "use_directory_urls") {
		t.Errorf("the site is not at %s, with a folder a page", Site)
	}
}

// What was read of a rule's findings in public code is said with its facts.
func TestParseReadsJudgements(t *testing.T) {
	d := mustParse(t, strings.Replace(page(t), "fix: safe", "fix: safe\njudged: 14/3/1", 1))
	if want := (Judgement{Harmful: 14, Idle: 3, Wrong: 1}); d.Judged != want {
		t.Errorf("judged %+v, want %+v", d.Judged, want)
	}
	for judged, want := range map[Judgement]string{
		d.Judged:   "18 findings; 17 were right, 14 of them harmful",
		{Wrong: 1}: "1 finding; it was wrong", {Wrong: 4}: "4 findings; none was right",
		{Harmful: 1}: "1 finding; it was right, and harmful", {Idle: 1, Wrong: 2}: "3 findings; 1 was right, and harmless there",
		{Idle: 34}: "34 findings; all were right, none of them harmful", {Harmful: 3, Wrong: 1}: "4 findings; 3 were right, all of them harmful",
	} {
		if got := judged.String(); got != want {
			t.Errorf("%+v is said as %q, not %q", judged, got, want)
		}
	}
	if !strings.Contains(d.Markdown(), "\n\n**Read in public code**: 18 findings; 17 were right") {
		t.Error("the page does not say what was read")
	}
}

// An example is one program: a block, or blocks with titles that follow each
// other. Its recorded output and verdict stand behind it.
func TestParseGroupsBlocksIntoExamples(t *testing.T) {
	d := mustParse(t, page(t))
	bad := d.Examples(Bad)
	if len(bad) != 2 {
		t.Fatalf("%d examples in Bad, want 2", len(bad))
	}
	if bad[0].Output == nil || bad[0].Verdict == nil || bad[1].Output != nil {
		t.Error("output and verdict belong to the first example")
	}
	var names []string
	for _, f := range bad[1].Files {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{"losses.py", "train.py"}, names); diff != "" {
		t.Error(diff)
	}
	if n := len(d.Examples()); n != 5 {
		t.Errorf("%d examples in all, want 5", n)
	}
}

func TestParseReadsMarks(t *testing.T) {
	type mark struct {
		Kind MarkKind
		Line int
		Text string
	}
	var got []mark
	for _, e := range mustParse(t, page(t)).Examples() {
		for _, f := range e.Files {
			for _, m := range f.Marks {
				text := ""
				if m.Pattern != nil {
					text = m.Pattern.String()
				}
				got = append(got, mark{m.Kind, m.Line, text})
			}
		}
	}
	want := []mark{{Want, 1, "no epsilon"}, {Want, 1, "std"}, {Want, 2, "no epsilon"}, {OK, 2, ""}, {OK, 2, ""}, {TodoWant, 1, "epsilon"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFileLineIsThatOfTheFirstLine(t *testing.T) {
	text := page(t)
	for _, e := range mustParse(t, text).Examples() {
		for _, f := range e.Files {
			first, _, _ := strings.Cut(f.Text, "\n")
			if got := strings.Split(text, "\n")[f.Line-1]; got != first {
				t.Errorf("%s: line %d is %q, want %q", f.Name, f.Line, got, first)
			}
		}
	}
}

// A txtar archive in one block is the other way to write several modules.
func TestParseReadsArchives(t *testing.T) {
	text := strings.Replace(page(t), "adv = (r - r.mean()) / (r.std() + 1e-8)\n", "-- a.py --\nx = 1\n-- b/c.py --\ny = 2  # ok\n", 1)
	files := mustParse(t, text).Examples(Good)[0].Files
	if len(files) != 2 || files[1].Name != "b/c.py" || files[1].Text != "y = 2  # ok\n" || len(files[1].Marks) != 1 {
		t.Errorf("files %+v", files)
	}
	if got := strings.Split(text, "\n")[files[1].Line-1]; got != "y = 2  # ok" {
		t.Errorf("line of b/c.py is %q", got)
	}
}

func TestStripMarksKeepsOtherComments(t *testing.T) {
	for in, want := range map[string]string{
		"x = 1  # want \"a\"":           "x = 1",
		"x = 1  # note  # ok: bounded":  "x = 1  # note",
		"x = 1  # okay, says the paper": "x = 1  # okay, says the paper",
		"x = '# wanted'":                "x = '# wanted'",
		"# todo-ok":                     "",
	} {
		if got := StripMarks(in); got != want {
			t.Errorf("StripMarks(%q) = %q, want %q", in, got, want)
		}
	}
}

// Only the recorded blocks change when tests are run with -update.
func TestRewriteReplacesFences(t *testing.T) {
	text := page(t)
	bad := mustParse(t, text).Examples(Bad)[0]
	got := string(Rewrite([]byte(text), map[*Fence]string{bad.Verdict: "refuted", bad.Output: ""}))
	want := strings.Replace(text, "confirmed: NaN at the first step, 3 of 3 seeds\n", "refuted\n", 1)
	want = strings.Replace(want, "example.py:1:7: ADV009 [*] division by a standard deviation with no epsilon\n", "", 1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	mustParse(t, got)
}

// Every mistake in a page is reported with its line and what to write.
func TestParseReportsMistakes(t *testing.T) {
	good := page(t)
	for _, c := range []struct{ name, old, new, want string }{
		{"no front matter", "---\ncode", "code", `rule.md:1: a rule.md starts with front matter: a line "---"`},
		{"unclosed front matter", "2017\n---\n", "2017\n", `rule.md:1: the front matter is never closed; end it with a line "---"`},
		{"not YAML", "code: ADV009", "code: [", "rule.md:3: front matter is not YAML"},
		{"not a mapping", good[:strings.Index(good, "## ")], "---\n- x\n---\n", "rule.md:2: front matter must be a list"},
		{"unknown key", "status:", "statsu:", `rule.md:6: unknown front matter key "statsu"; did you mean "status"?`},
		{"key twice", "fix: safe", "fix: safe\nfix: none", `rule.md:9: front matter key "fix" stands twice`},
		{"key missing", "since: 0.1.0\n", "", `rule.md:1: front matter key "since" is missing`},
		{"bad value", "severity: error", "severity: fatal", `rule.md:5: severity: "fatal" does not match`},
		{"refs not a list", "refs:\n  - Schulman", "refs:\n  Schulman", "rule.md:14: refs must be a list of texts"},
		{"yields in words", "fix: safe", "fix: safe\nyields: [ADV010 somewhere]", `rule.md:9: yields: "ADV010 somewhere" does not match`},
		{"yields to no list", "fix: safe", "fix: safe\nyields: ADV010 at the same origin", `rule.md:9: yields must be a list of texts`},
		{"judged in words", "fix: safe", "fix: safe\njudged: three of four", `rule.md:9: judged: "three of four" does not match`},
		{"unknown family", "family: advantage", "family: advantages", `rule.md:1: unknown family "advantages"; did you mean "advantage"?`},
		{"foreign code", "code: ADV009", "code: KL009", "rule.md:1: code KL009 does not belong to family advantage, whose codes start with ADV"},
		{"text first", "\n## Symptom", "\nHello.\n\n## Symptom", `rule.md:17: text before the first section; start with "## Symptom"`},
		{"unknown section", "## Known gaps", "## Gaps", `unknown section "Gaps"; the sections are Symptom, What it finds,`},
		{"order", "## Good", "## Not flagged", `section "Not flagged" where "Good" is expected`},
		{"missing", good[strings.Index(good, "## How"):], "", `section "How it is confirmed" is missing`},
		{"empty", "The probe watches the denominator.\n", "", `section "How it is confirmed" is empty`},
		{"unclosed block", "adv = r / s  # ok: bounded away from 0\n```", "adv = r / s", "this block is never closed; add a line ```"},
		{"unknown attribute", `python title="losses.py"`, `python torch="2"`, `only title="FILE" is known`},
		{"output without example", "## Bad\n", "## Bad\n\n```output\nx\n```\n", "an output block belongs to the program before it"},
		{"two outputs", "```verdict\n", "```output\nx\n```\n\n```verdict\n", "a second output block for one example"},
		{"bad with no want", " # want \"no epsilon\" `std`", "", ""},
		{"good with want", "(r.std() + 1e-8)", "(r.std() + 1e-8)  # want \"x\"", `section "Good" must not have # want marks`},
		{"todo elsewhere", "# ok: bounded", "# todo-ok: bounded", `todo marks stand in "Known gaps" only`},
		{"want without text", "# want \"no epsilon\" `std`", "# want", "needs a regular expression in quotes"},
		{"want without quotes", "# want \"no epsilon\" `std`", "# want epsilon", "write regular expressions in double quotes"},
		{"bad regexp", `"no epsilon"`, `"("`, "bad regular expression in a mark"},
		{"ok with text", "# ok: bounded", "# ok bounded", "write nothing, or a colon and the reason"},
		{"no example", good[strings.Index(good, "```python\ns = "):strings.Index(good, "## Known")], "Nothing.\n\n", `section "Not flagged" needs a block of a program: python, yaml, toml, json or bash`},
		{"code before archive", "adv = (r - r.mean()) / (r.std() + 1e-8)\n", "x = 1\n-- a.py --\n", `code before the first "-- FILE --" line`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(good, c.old) {
				t.Fatalf("the page does not contain %q", c.old)
			}
			_, err := Parse("rule.md", []byte(strings.Replace(good, c.old, c.new, 1)))
			if c.want == "" {
				if err != nil {
					t.Errorf("error %v, want none", err) // the other example has a want
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v\nwant %s", err, c.want)
			}
		})
	}
}

// No page crashes the parser, and what parses can be shown and rewritten.
func FuzzParse(f *testing.F) {
	data, err := os.ReadFile("testdata/page.md")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("---\n---\n"))
	f.Add([]byte("---\ncode: &a [*a]\n---\n## What it finds\n```"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse("rule.md", data)
		if err != nil {
			return
		}
		if _, err := Parse("rule.md", Rewrite(data, nil)); err != nil {
			t.Errorf("a page that nothing rewrote no longer parses: %v", err)
		}
		if d.Markdown() == "" || len(d.Sections()) < len(sectionOrder)-1 {
			t.Error("a parsed page shows nothing")
		}
	})
}

func BenchmarkParse(b *testing.B) {
	data, err := os.ReadFile("testdata/page.md")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Parse("rule.md", data); err != nil {
			b.Fatal(err)
		}
	}
}
