package rule

import (
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/finding"
)

// A rule yields to others and to itself, and never in a circle, in which nobody would speak.
func TestYields(t *testing.T) {
	entry := func(code string, yields ...string) Entry {
		m := Meta{Code: code, Name: "rule-" + strings.ToLower(code), Family: "advantage", Severity: finding.Error}
		for _, text := range yields {
			y, ok := parseYield(text)
			if !ok || y.To+" at the same "+string(y.At) != text {
				t.Fatalf("%q is read as %v", text, y)
			}
			m.Yields = append(m.Yields, y)
		}
		return Entry{Doc: &Doc{Meta: m, Path: code}}
	}
	for _, c := range []struct {
		entries []Entry
		want    string
	}{
		{[]Entry{entry("ADV001", "ADV001 at the same statement", "ADV002 at the same origin"), entry("ADV002", "ADV003 at the same expression"), entry("ADV003")}, ""},
		{[]Entry{entry("ADV001", "ADV002 at the same origin"), entry("ADV002", "ADV003 at the same origin"), entry("ADV003", "ADV001 at the same origin")}, "ADV001: it yields to ADV002, which yields to it"},
	} {
		_, err := NewRegistry(c.entries, nil)
		if got := errorText(err); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
