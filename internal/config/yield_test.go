package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
)

// Of two findings at one cause that speaks to which the other's page yields: not where the cause is another, where it is weaker, or
// hidden, and not for all findings of a loss, though backward() is named with each.
func TestYields(t *testing.T) {
	doc := func(code string, yields ...rule.Yield) rule.Entry {
		return rule.Entry{Doc: &rule.Doc{Meta: rule.Meta{Code: code, Name: "rule-" + strings.ToLower(code), Family: "value", Severity: finding.Error, Status: rule.Stable, Yields: yields}, Path: code}}
	}
	rules, err := rule.NewRegistry([]rule.Entry{
		doc("VAL001", rule.Yield{To: "VAL002", At: rule.Origin}), doc("VAL002"),
		doc("VAL003", rule.Yield{To: "VAL002", At: rule.Statement}), doc("VAL004", rule.Yield{To: "VAL002", At: rule.Expression}),
		doc("VAL005", rule.Yield{To: "VAL005", At: rule.Statement}), doc("RLV001"),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tree(t, "-- rlvet.toml --\n")
	s, err := (&Resolver{Rules: rules}).For(".")
	if err != nil {
		t.Fatal(err)
	}
	file, err := source.FromBytes("train.py", []byte("a = net(x)\nb = f(a) + g(a)\nloss.backward()\n"))
	if err != nil {
		t.Fatal(err)
	}
	where := func(text string) finding.Range {
		at := strings.Index(string(file.Text), text)
		if at < 0 {
			t.Fatalf("no %q", text)
		}
		_, from, to := file.Span(at, at+len(text))
		return finding.Range{File: "train.py", Start: from, End: to, StartByte: at, EndByte: at + len(text)}
	}
	f := func(code, text string, related ...string) finding.Finding {
		out := finding.Finding{Code: code, Evidence: finding.Derived, Range: where(text)}
		out.NoqaRow = out.Range.Start.Row
		for _, r := range related {
			out.Related = append(out.Related, finding.Related{Range: where(r), Message: "from here"})
		}
		return out
	}
	weak, hint := f("VAL002", "f(a)"), f("VAL002", "f(a)")
	weak.Severity, hint.Evidence = finding.Note, finding.NameOnly
	for _, c := range []struct {
		name string
		list []finding.Finding
		want string
	}{
		{"its origin is the other's place", []finding.Finding{f("VAL002", "net(x)"), f("VAL001", "f(a)", "net(x)")}, "VAL002"},
		{"both come from one place", []finding.Finding{f("VAL002", "g(a)", "a = net(x)"), f("VAL001", "f(a)", "net(x)")}, "VAL002"},
		{"both are in one loss", []finding.Finding{f("VAL002", "g(a)", "loss.backward()"), f("VAL001", "f(a)", "loss.backward()")}, "VAL001 VAL002"},
		{"other origins", []finding.Finding{f("VAL002", "net(x)"), f("VAL001", "f(a)")}, "VAL002 VAL001"},
		{"one statement", []finding.Finding{f("VAL002", "g(a)"), f("VAL003", "f(a)")}, "VAL002"},
		{"two statements", []finding.Finding{f("VAL002", "net(x)"), f("VAL003", "f(a)")}, "VAL002 VAL003"},
		{"one expression", []finding.Finding{f("VAL002", "f(a) + g(a)"), f("VAL004", "f(a)")}, "VAL002"},
		{"two expressions", []finding.Finding{f("VAL002", "g(a)"), f("VAL004", "f(a)")}, "VAL004 VAL002"},
		{"one rule, one statement", []finding.Finding{f("VAL005", "f(a)"), f("VAL005", "g(a)")}, "VAL005 and 1 more place"},
		{"a weaker one", []finding.Finding{weak, f("VAL004", "f(a) + g(a)")}, "VAL002 VAL004"},
		{"a hint", []finding.Finding{hint, f("VAL004", "f(a) + g(a)")}, "VAL004"},
	} {
		var got []string
		for _, x := range s.Judge(rules, Checked{Path: "train.py", File: file, Findings: c.list}).Findings {
			text := x.Code
			if n := len(x.Related); n > 0 && x.Related[n-1].Message == "the same here" {
				text += fmt.Sprintf(" and %d more place", n)
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %v, want %s", c.name, got, c.want)
		}
	}
}
