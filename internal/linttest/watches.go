package linttest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rule"
)

// watches holds the page's "watches" to the findings of its Bad examples: they are the forms of
// what is flagged, all of them and no others. A call of the program's own function is "call".
func (r *runner) watches(t *testing.T, examples []rule.Example) {
	if len(r.doc.Watches) == 0 {
		return // a rule without a probe, which TestEveryRuleHasAProbe knows of
	}
	seen := map[string]bool{}
	for _, e := range examples {
		files := texts(e)
		for _, f := range r.check(t, files).Findings {
			form := formAt(t, f, files[f.Range.File])
			if strings.HasPrefix(form, "call ") && !slices.Contains(r.doc.Watches, form) {
				form = "call"
			}
			seen[form] = true
			if !slices.Contains(r.doc.Watches, form) {
				t.Errorf("rule.md: a finding is %q, which watches: does not name", form)
			}
		}
	}
	for _, form := range r.doc.Watches {
		if !seen[form] {
			t.Errorf("rule.md: watches: names %q, which no Bad example has", form)
		}
	}
}

// formAt is how what a finding flags is written.
func formAt(t *testing.T, f finding.Finding, text string) string {
	t.Helper()
	p := parse.New()
	defer p.Close()
	m, err := p.Parse(context.Background(), f.Range.File, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	span := ast.Span{Start: uint32(f.Range.StartByte), End: uint32(f.Range.EndByte)}
	for _, place := range claim.Places(m) {
		if place.Span == span {
			return place.Form
		}
	}
	return ""
}
