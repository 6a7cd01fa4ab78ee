package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJoin: a notice that two share stands once, below both names.
func TestJoin(t *testing.T) {
	got := string(join([]part{{"a", "MIT\n"}, {"b", "BSD\n"}, {"c", "MIT\n"}}))
	if strings.Count(got, "MIT\n") != 1 || !strings.Contains(got, "\na\nc\n---") || !strings.Contains(got, "\nb\n---") {
		t.Errorf("%s", got)
	}
}

// TestNotices: all notices of a module are found under the names that people give them, and a module without one is an error.
func TestNotices(t *testing.T) {
	dir := t.TempDir()
	if _, err := noticesIn(dir); err == nil {
		t.Error("a module without a license is no error")
	}
	for name, text := range map[string]string{"LICENCE.md": "one \r\n\r\n", "NOTICE": "two", "main.go": "package main"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := noticesIn(dir); err != nil || text != "one\n\ntwo\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestForeign: what is C has its notices, too.
func TestForeign(t *testing.T) {
	parts, err := foreign()
	if err != nil || len(parts) != 4 {
		t.Fatalf("%v, %v", parts, err)
	}
	for _, p := range parts {
		if strings.Contains(p.name, "\n") || !strings.Contains(p.text, "Copyright") {
			t.Errorf("%q: %s", p.name, p.text)
		}
	}
}
