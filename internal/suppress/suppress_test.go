package suppress

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
)

// rules returns the rules of this package and two that are suppressed.
func rules(t testing.TB) (*rule.Registry, rule.Set) {
	t.Helper()
	entries := Rules()
	for code, name := range map[string]string{"ADV009": "std-without-eps", "KL016": "kl-missing-in-loss"} {
		family := map[byte]string{'A': "advantage", 'K': "kl"}[code[0]]
		entries = append(entries, rule.Entry{Doc: &rule.Doc{Meta: rule.Meta{Code: code, Name: name, Family: family, Status: rule.Stable}, Path: name}, Analyzer: &analysis.Analyzer{Name: code}})
	}
	r, err := rule.NewRegistry(entries, nil)
	if err != nil {
		t.Fatal(err)
	}
	on, err := r.Resolve([]rule.Selection{{Select: []string{"ALL"}}}, rule.Previews)
	if err != nil {
		t.Fatal(err)
	}
	return r, on.Enabled
}

func file(t testing.TB, path, text string) *source.File {
	t.Helper()
	f, err := source.FromBytes(path, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// findings makes a finding ADV009 for each ".std()" without an epsilon and KL016
// for each "kl(", with the noqa row of the last line of the bracket it stands in.
func findings(f *source.File) []finding.Finding {
	var out []finding.Finding
	text := string(f.Text)
	for code, what := range map[string]string{"ADV009": ".std()", "KL016": "kl("} {
		for from := 0; ; {
			i := strings.Index(text[from:], what)
			if i < 0 {
				break
			}
			start := from + i
			from = start + len(what)
			if strings.HasPrefix(text[from:], " + 1e-8") {
				continue
			}
			cell, pos, end := f.Span(start, from)
			last := start
			if close := strings.Index(text[start:], "\n)"); close >= 0 {
				last = start + close + 1
			}
			_, noqa, _ := f.Span(last, last)
			out = append(out, finding.Finding{Code: code, NoqaRow: noqa.Row,
				Range: finding.Range{File: f.Path, Cell: cell, Start: pos, End: end, StartByte: start, EndByte: from}})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Range.StartByte < out[j].Range.StartByte })
	return out
}

func apply(t testing.TB, path, text string) (*source.File, Outcome) {
	t.Helper()
	registry, enabled := rules(t)
	f := file(t, path, text)
	return f, Apply(f, findings(f), Options{Rules: registry, Enabled: enabled})
}

// summary is "ADV009@1 RLV001@2 | hidden ADV009@3".
func summary(o Outcome) string {
	var kept, hidden []string
	for _, f := range o.Kept {
		kept = append(kept, fmt.Sprintf("%s@%d", f.Code, f.Range.Start.Row))
	}
	for _, s := range o.Suppressed {
		hidden = append(hidden, fmt.Sprintf("%s@%d", s.Finding.Code, s.Finding.Range.Start.Row))
	}
	out := strings.Join(kept, " ")
	if hidden != nil {
		out = strings.TrimSpace(out + " | hidden " + strings.Join(hidden, " "))
	}
	return out
}

func TestApply(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no comment", "x.std()\n", "ADV009@1"},
		{"by code", "x.std()  # rlvet: ignore[ADV009] noise\n", "| hidden ADV009@1"},
		{"by name", "x.std()  # rlvet: ignore[std-without-eps] noise\n", "| hidden ADV009@1"},
		{"in lower case", "x.std()  #rlvet:ignore[adv009] noise\n", "| hidden ADV009@1"},
		{"other rule", "x.std()  # rlvet: ignore[KL016] noise\n", "ADV009@1 RLV001@1"},
		{"two rules, one unused", "x.std()  # rlvet: ignore[ADV009, KL016] noise\n", "RLV001@1 | hidden ADV009@1"},
		{"two rules, both used", "x.std() + kl(y)  # rlvet: ignore[ADV009, KL016] noise\n", "| hidden ADV009@1 KL016@1"},
		{"other line", "y = 1  # rlvet: ignore[ADV009] noise\nx.std()\n", "ADV009@2 RLV001@1"},
		{"no reason", "x.std()  # rlvet: ignore[ADV009]\n", "RLV002@1 | hidden ADV009@1"},
		{"reason after a dash", "x.std()  # rlvet: ignore[ADV009] -- noise\n", "| hidden ADV009@1"},
		{"another comment is no reason", "x.std()  # rlvet: ignore[ADV009]  # noise\n", "RLV002@1 | hidden ADV009@1"},
		{"behind another comment", "x.std()  # noise # rlvet: ignore[ADV009] noise\n", "| hidden ADV009@1"},
		{"behind a foreign noqa", "x.std()  # noqa: E501  # noqa: ADV009\n", "| hidden ADV009@1"},
		{"one behind the other", "x.std() + kl(y)  # rlvet: ignore[ADV009] noise  # rlvet: ignore[KL016] none\n", "| hidden ADV009@1 KL016@1"},
		{"twice the same", "x.std()  # noqa: ADV009  # noqa: ADV009\n", "RLV001@1 | hidden ADV009@1"},
		{"unknown rule", "x.std()  # rlvet: ignore[ADV099] noise\n", "ADV009@1 RLV003@1"},
		{"no brackets", "x.std()  # rlvet: ignore ADV009\n", "ADV009@1 RLV004@1"},
		{"empty brackets", "x.std()  # rlvet: ignore[] noise\n", "ADV009@1 RLV004@1"},
		{"misspelt", "x.std()  # rlvet: ingore[ADV009] noise\n", "ADV009@1 RLV004@1"},
		{"not ours", "x.std()  # rlvet: found by it\n", "ADV009@1"},
		{"in a string", "x.std() + '# rlvet: ignore[ADV009] noise'\n", "ADV009@1"},
		{"in a long string", "x = '''\n# rlvet: ignore[ADV009] noise\n'''\nx.std()\n", "ADV009@4"},
		{"last line of the statement", "adv = (\n  x.std()\n)  # rlvet: ignore[ADV009] noise\n", "| hidden ADV009@2"},
		{"first line of the statement is another line", "adv = (  # rlvet: ignore[ADV009] noise\n  x.std()\n)\n", "ADV009@2 RLV001@1"},
		{"line above", "# rlvet: ignore[ADV009] noise\nx.std()\n", "| hidden ADV009@2"},
		{"line above the whole statement", "# rlvet: ignore[ADV009] noise\n\n# more\nadv = (1,\n  x.std(),\n)\n", "| hidden ADV009@5"},
		{"line above, next statement only", "# rlvet: ignore[ADV009] noise\ny = 1\nx.std()\n", "ADV009@3 RLV001@1"},
		{"line above in a block", "def f(x):\n    # rlvet: ignore[ADV009] noise\n    return x.std()\n", "| hidden ADV009@3"},
		{"line above an unclosed bracket", "# rlvet: ignore[ADV009] noise\nf(\nx.std()\n", "ADV009@3 RLV001@1"},
		{"joined by backslash", "# rlvet: ignore[ADV009] noise\ny = 1 + \\\n  x.std()\n", "| hidden ADV009@3"},
		{"file", "# rlvet: ignore-file[ADV009] noise\nx.std()\ny = 1\nz.std()\n", "| hidden ADV009@2 ADV009@4"},
		{"file, unused", "# rlvet: ignore-file[KL016] noise\nx.std()\n", "ADV009@2 RLV001@1"},
		{"file and line: the line is used", "# rlvet: ignore-file[ADV009] a\nx.std()  # rlvet: ignore[ADV009] b\n", "RLV001@1 | hidden ADV009@2"},
		{"noqa", "x.std()  # noqa\n", "| hidden ADV009@1"},
		{"noqa, unused and bare", "y = 1  # noqa\n", ""},
		{"noqa with our code", "x.std()  # noqa: E501,ADV009\n", "| hidden ADV009@1"},
		{"noqa with our code, unused", "y = 1  # noqa: E501, ADV009\n", "RLV001@1"},
		{"noqa with foreign codes", "x.std()  # noqa: E501 F401\n", "ADV009@1"},
		{"noqa in capitals", "x.std()  # NOQA:adv009\n", "| hidden ADV009@1"},
		{"noqa does not reach down", "# noqa: ADV009\nx.std()\n", "ADV009@2 RLV001@1"},
		{"carriage returns", "y = 1\r\nx.std()  # rlvet: ignore[ADV009] noise\r\n", "| hidden ADV009@2"},
		{"half a string", "y = 'open\nx.std()  # rlvet: ignore[ADV009] noise\n", "| hidden ADV009@2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, o := apply(t, "train.py", c.text); summary(o) != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.text, summary(o), c.want)
			}
		})
	}
}

// A rule that did not run leaves its suppressions alone.
func TestUnusedOnlyWhereTheRuleRan(t *testing.T) {
	registry, _ := rules(t)
	f := file(t, "train.py", "y = 1  # rlvet: ignore[ADV009] noise\n")
	o := Apply(f, nil, Options{Rules: registry, Enabled: rule.Set{"RLV001": true}})
	if len(o.Kept) != 0 {
		t.Errorf("reported: %s", summary(o))
	}
}

// Equal comments have findings of their own, which code hosts and baselines tell apart.
func TestEqualCommentsHaveTheirOwnFingerprints(t *testing.T) {
	_, o := apply(t, "a.py", "x = 1  # rlvet: ignore[ADV009] why\ny = 2  # rlvet: ignore[ADV009] why\n")
	if len(o.Kept) != 2 || o.Kept[0].Fingerprint == o.Kept[1].Fingerprint {
		t.Errorf("findings: %+v", o.Kept)
	}
}

// Where not all was checked that may lead to findings in a file, no suppression of what
// an analyzer finds is called unused; one of these rules is, which only read comments.
func TestWhatIsUnusedInAFileCheckedPartly(t *testing.T) {
	registry, enabled := rules(t)
	f := file(t, "train.py", "y = 1  # rlvet: ignore[ADV009] noise\nz = 1  # rlvet: ignore[XXX] noise\nw = 1  # rlvet: ignore[RLV002, ADV009] noise\n")
	for partly, want := range map[bool]string{false: "RLV001@1 RLV003@2 RLV001@3", true: "RLV003@2 RLV001@3"} {
		o := Apply(f, nil, Options{Rules: registry, Enabled: enabled, Partly: func() bool { return partly }})
		if summary(o) != want {
			t.Errorf("partly %v: reported %s, want %s", partly, summary(o), want)
		}
		fix := o.Kept[len(o.Kept)-1].Fix
		if got := fix.Edits[0].Content; partly && got != "ADV009" || fix.Applicability != finding.Safe {
			t.Errorf("partly %v: the fix %s leaves %q", partly, fix.Applicability, got)
		}
	}
}

// A comment above what it is to suppress is told its place, and is no rubbish to remove; a
// family is called one.
func TestHelpOfMisplacedSuppressions(t *testing.T) {
	_, o := apply(t, "train.py", "y = 1  # rlvet: ignore[ADV009] noise\nx.std()\nz = 1  # rlvet: ignore[ADV] noise\n")
	if got := summary(o); got != "ADV009@2 RLV001@1 RLV003@3" {
		t.Fatal(got)
	}
	if f := o.Kept[1]; f.Help != "move it to the end of line 2" || f.Fix != nil {
		t.Errorf("%q, fix %v", f.Help, f.Fix)
	}
	if f := o.Kept[2]; f.Message != "suppression of a family, which is not one rule" || !strings.Contains(f.Help, "is a family, not a rule") {
		t.Errorf("%q, %q", f.Message, f.Help)
	}
}

// Rows of a notebook count within the cell.
func TestNotebookCells(t *testing.T) {
	_, o := apply(t, "a.ipynb", `{"cells":[
{"cell_type":"code","source":["y = 1\n","x.std()"]},
{"cell_type":"code","source":["x.std()  # rlvet: ignore[ADV009] noise"]},
{"cell_type":"code","source":["z = 1\n","f(1,\n","  x.std()\n",")  # rlvet: ignore[ADV009] noise\n","q  # rlvet: ignore[KL016] old"]}],
"metadata":{"language_info":{"name":"python"}},"nbformat":4,"nbformat_minor":5}`)
	if got, want := summary(o), "ADV009@2 RLV001@5 | hidden ADV009@1 ADV009@3"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if unused := o.Kept[1]; unused.Range.Cell != 3 || unused.NoqaRow != 5 {
		t.Errorf("cell %d, row %d; want cell 3, row 5", unused.Range.Cell, unused.NoqaRow)
	}
}

// The fix of RLV001 removes what is unused and nothing else.
func TestRemoval(t *testing.T) {
	for before, want := range map[string]string{
		"y = 1  # rlvet: ignore[ADV009] noise\n":                  "y = 1\n",
		"y = 1  # keep  # rlvet: ignore[ADV009] noise\n":          "y = 1  # keep\n",
		"y = 1  # rlvet: ignore[ADV009] noise  # keep\n":          "y = 1  # keep\n",
		"def f():\n    # rlvet: ignore[ADV009] noise\n    pass\n": "def f():\n    pass\n",
		"x.std()  # rlvet: ignore[KL016, ADV009] noise\n":         "x.std()  # rlvet: ignore[ADV009] noise\n",
		"y = 1  # noqa: E501, ADV009\n":                           "y = 1  # noqa: E501\n",
		"y = 1  # noqa:ADV009,E501\n":                             "y = 1  # noqa:E501\n",
		"y = 1  # noqa: ADV009 as agreed\n":                       "y = 1  # as agreed\n",
		"y = 1 \\\n  # noqa: ADV009":                              "y = 1 \\\n  #",
		"y = (1  # noqa: ADV009)\r\n)\r\n":                        "y = (1  #)\r\n)\r\n",
	} {
		f, o := apply(t, "train.py", before)
		if len(o.Kept) != 1 || o.Kept[0].Fix == nil {
			t.Errorf("%q: %s, want one finding with a fix", before, summary(o))
			continue
		}
		e := o.Kept[0].Fix.Edits[0]
		got := string(f.Text[:e.Range.StartByte]) + e.Content + string(f.Text[e.Range.EndByte:])
		if got != want {
			t.Errorf("%q became %q, want %q", before, got, want)
		}
	}
}

// The pages of these rules are true: what they call bad is reported as they
// say, the rest is silent.
func TestPages(t *testing.T) {
	for _, e := range Rules() {
		for _, x := range e.Doc.Examples() {
			for _, f := range x.Files {
				t.Run(e.Doc.Name, func(t *testing.T) { checkMarks(t, e.Doc, f) })
			}
		}
	}
}

func checkMarks(t *testing.T, d *rule.Doc, f rule.File) {
	_, o := apply(t, f.Name, f.Text)
	reported := map[int][]string{}
	for _, x := range o.Kept {
		if x.Code == d.Code {
			reported[x.Range.Start.Row] = append(reported[x.Range.Start.Row], x.Line())
		}
	}
	for _, m := range f.Marks {
		if m.Kind != rule.Want {
			continue
		}
		list := reported[m.Line]
		if len(list) == 0 || !m.Pattern.MatchString(list[0]) {
			t.Errorf("line %d: reported %q, want %s", m.Line, list, m.Pattern)
			continue
		}
		reported[m.Line] = list[1:]
	}
	for row, list := range reported {
		if len(list) > 0 {
			t.Errorf("line %d: not expected: %q", row, list)
		}
	}
}

// Comments are found where Python's own tokenizer finds them; the table has
// the cases that mislead simpler scanners.
func TestScan(t *testing.T) {
	for text, want := range map[string][]string{
		"x # a\n# b":                     {"# a", "# b"},
		"'#' # a":                        {"# a"},
		`"\"#" # a`:                      {"# a"},
		`r"\" # in` + "\n# a":            {"# a"},
		"'''\n# in\n''' # a":             {"# a"},
		"'''it's \"# in\"''' # a":        {"# a"},
		"'open # in\n# a":                {"# a"},
		"'joined \\\n# in' # a":          {"# a"},
		"f'{x!r}#' # a":                  {"# a"},
		"x = \"\"\"unfinished\n# in":     nil,
		"# a\r# b\r\n# c":                {"# a", "# b", "# c"},
		"\ufeff# a":                      {"# a"},
		"x = 1 \\\n  + 2 # a":            {"# a"},
		"''''# in'''# a\n":               {"# a"},
		"b'#' rb'#' F\"#\" u'''#''' # a": {"# a"},
	} {
		var got []string
		for _, c := range scan(text) {
			got = append(got, text[c.start:c.end])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}

// Whatever the text: directives lie in it, in order, rows are those of their
// bytes, and names are their bytes.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"x.std()  # rlvet: ignore[ADV009, std-of-one] noise  # noqa: E501 ADV009\n",
		"# rlvet: ignore-file[KL] x\r\n'''\n# noqa\r'''", "# rlvet: ignore[", "# rlvet: ignore]", "#noqa:", "# rlvet:ignoer",
		"f(\n# rlvet: ignore[A] b\n)\\\n", "\ufeff# NOQA : a1,b2", "\"\"\"# rlvet", "# rlvet: ignore[é,\x00] \xff",
		"#!/bin/sh\n# rlvet: ignore[A] b\n\n# c\npython x \\\n  y='1\n2' # noqa\nif a; then # rlvet: ignore-file[B] c\n b\nfi\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name := "a.py"
		if strings.HasPrefix(text, "#!") {
			name = "a.sh"
		}
		file, err := source.FromBytes(name, []byte(text))
		if err != nil {
			t.Skip(err)
		}
		text = string(file.Text)
		rows := 1 + strings.Count(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
		for _, d := range Parse(file) {
			if d.Start < 0 || d.Start >= d.End || d.End > len(text) || text[d.Start] != '#' {
				t.Fatalf("directive at %d:%d of %d bytes", d.Start, d.End, len(text))
			}
			if d.Row < 1 || d.First < d.Row || d.Last < d.First || d.Last > rows {
				t.Fatalf("rows %d, %d-%d of %d", d.Row, d.First, d.Last, rows)
			}
			for _, n := range d.Rules {
				if text[n.Start:n.End] != n.Text || n.Start < d.Start || n.End > d.End {
					t.Fatalf("name %q at %d:%d", n.Text, n.Start, n.End)
				}
			}
			if strings.ContainsAny(d.Reason, "\r\n#") {
				t.Fatalf("reason %q", d.Reason)
			}
		}
	})
}

// Removing every unused suppression leaves nothing to remove, and no finding
// appears that was hidden.
func TestRemovalSettles(t *testing.T) {
	line := rapid.SampledFrom([]string{"x.std()", "y = 1", "kl(z)", "", "    w = 2"})
	comment := rapid.SampledFrom([]string{"", "  # rlvet: ignore[ADV009] a", "  # rlvet: ignore[ADV009, KL016] b", "  # noqa: ADV009, E501", "  # c  # rlvet: ignore[KL016] d", "  # noqa: ADV009) # noqa: KL016; # noqa: E501, ADV009 # f", "  # rlvet: ignore-file[KL016] e"})
	rapid.Check(t, func(r *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 6).Draw(r, "lines") {
			b.WriteString(line.Draw(r, "line") + comment.Draw(r, "comment") + "\n")
		}
		text := b.String()
		_, first := apply(t, "train.py", text)
		for range 40 {
			f, o := apply(t, "train.py", text)
			fixed := false
			for _, x := range o.Kept {
				if x.Fix != nil {
					e := x.Fix.Edits[0].Range
					text = string(f.Text[:e.StartByte]) + x.Fix.Edits[0].Content + string(f.Text[e.EndByte:])
					fixed = true
					break
				}
			}
			if !fixed {
				if len(o.Suppressed) != len(first.Suppressed) {
					r.Fatalf("%d hidden, then %d:\n%s", len(first.Suppressed), len(o.Suppressed), text)
				}
				return
			}
		}
		r.Fatalf("not settled: %q", text)
	})
}
