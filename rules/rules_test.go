package rules

import (
	"flag"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/suppress"
)

// What the tests allocate is of one small program, and soon forgotten: to collect less often saves a fifth of their time.
// Benchmarks go at the usual pace.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("GOGC") == "" && flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}

// The catalogue is sound: no code or name is used twice or is retired, every
// analyzer is named by its code, and go/analysis accepts all of them together.
func TestCatalogue(t *testing.T) {
	if _, err := rule.NewRegistry(slices.Concat(All(), suppress.Rules()), Retired()); err != nil {
		t.Fatal(err)
	}
	var analyzers []*analysis.Analyzer
	for _, e := range All() {
		if e.Analyzer == nil {
			t.Errorf("%s has no analyzer", e.Doc.Code)
			continue
		}
		analyzers = append(analyzers, e.Analyzer)
	}
	if len(analyzers) == 0 {
		t.Fatal("the catalogue is empty")
	}
	if err := analysis.Validate(analyzers); err != nil {
		t.Error(err)
	}
}

// Every rule brings the probe by which its findings are confirmed, unless a table is the evidence, and its page says how.
func TestEveryRuleHasAProbe(t *testing.T) {
	for _, e := range All() {
		if Probe(e.Doc.Code) == "" && !slices.Contains(e.Analyzer.Requires, pass.Runs) {
			t.Errorf("%s has no probe.py whose docstring begins with its code", e.Doc.Code)
		}
		if (Probe(e.Doc.Code) == "") != (len(e.Doc.Watches) == 0) {
			t.Errorf("%s: the page of a rule with a probe, and of no other, says by watches: what is flagged", e.Doc.Code)
		}
		if !slices.ContainsFunc(e.Doc.Sections(), func(s rule.Section) bool { return s.Title == "How it is confirmed" }) {
			t.Errorf("the page of %s does not say how it is confirmed", e.Doc.Code)
		}
	}
}

// Pages name only rules that exist, so that readers never look for one in vain.
func TestPagesNameRulesThatExist(t *testing.T) {
	registry, err := rule.NewRegistry(slices.Concat(All(), suppress.Rules()), Retired())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range All() {
		for _, s := range e.Doc.Sections() {
			for _, p := range s.Parts {
				for _, word := range strings.FieldsFunc(strings.Join(p.Prose, " "), notCode) {
					if looksLikeCode(word) {
						if _, ok := registry.Lookup(word); !ok {
							t.Errorf("%s, %q: there is no rule %s", e.Doc.Code, s.Title, word)
						}
					}
				}
			}
		}
	}
}

// Pages read once: no clause hangs on "of which", no sentence begins with the place where it holds ("Where X, Y"), and rules report, they do not hear.
func TestPagesReadOnce(t *testing.T) {
	for _, e := range All() {
		texts := []string{e.Doc.Headline, e.Doc.Why, e.Doc.Help}
		for _, s := range e.Doc.Sections() {
			for _, p := range s.Parts {
				texts = append(texts, strings.Join(p.Prose, " "))
			}
		}
		for _, text := range texts {
			if clause := readTwice.FindString(text); clause != "" {
				t.Errorf("the page of %s has readers read twice: %q; write a short sentence, or \"if\"", e.Doc.Code, clause)
			}
		}
	}
}

var readTwice = regexp.MustCompile(`(?i:\b(of which|of whom|heard|hears)\b)|(?:^|[.:;] )(?:[Ww]here|[Ii]n which|[Ff]rom which) [^?]{0,80}`)

// What the tests read of a page, marks and how right code is run, is not shown to readers.
func TestPagesShowNoMarks(t *testing.T) {
	for _, e := range All() {
		var terminal strings.Builder
		if err := e.Doc.Render(&terminal, false); err != nil {
			t.Fatal(err)
		}
		for where, text := range map[string]string{"on the terminal": terminal.String(), "elsewhere": e.Doc.Markdown()} {
			if mark := testMark.FindString(text); mark != "" {
				t.Errorf("the page of %s shows %q %s", e.Doc.Code, mark, where)
			}
		}
	}
}

var testMark = regexp.MustCompile(`# *(want|ok|todo-want|todo-ok|watch)( line \d+)?[:"]? .*`)

func notCode(c rune) bool { return !('A' <= c && c <= 'Z' || '0' <= c && c <= '9') }

// looksLikeCode reports whether a word is a family's prefix and three digits.
func looksLikeCode(word string) bool {
	digits := strings.TrimLeft(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	prefix := strings.TrimSuffix(word, digits)
	return len(digits) == 3 && slices.ContainsFunc(rule.Families, func(f rule.Family) bool { return f.Prefix == prefix })
}

// TestEveryYield: a rule yields to rules that there are.
func TestEveryYield(t *testing.T) {
	r, err := rule.NewRegistry(All(), Retired())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Entries() {
		for _, y := range e.Doc.Yields {
			if _, ok := r.Lookup(y.To); !ok {
				t.Errorf("%s yields to %s, which is no rule", e.Doc.Code, y.To)
			}
		}
	}
}
