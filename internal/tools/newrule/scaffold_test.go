package main

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/rule"
)

// A new rule's document can be read as it stands, and its Go files are Go.
func TestScaffold(t *testing.T) {
	root := t.TempDir()
	dir, err := scaffold(root, "ADV999", "return-not-centred")
	if err != nil {
		t.Fatal(err)
	}
	if want := "analyzers/advantage/returnnotcentred"; dir != want {
		t.Fatalf("folder %s, want %s", dir, want)
	}
	page := read(t, root, dir, "rule.md")
	doc, err := rule.Parse("rule.md", page)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Code != "ADV999" || doc.Name != "return-not-centred" || doc.Family != "advantage" {
		t.Errorf("front matter %+v", doc.Meta)
	}
	text := read(t, root, dir, "returnnotcentred.go")
	if formatted, err := format.Source(text); err != nil || string(formatted) != string(text) {
		t.Errorf("the analyzer is not formatted Go: %v", err)
	}
	if probe := string(read(t, root, dir, "probe.py")); !strings.HasPrefix(probe, `"""ADV999: `) || !strings.Contains(probe, "class ReturnNotCentred(Probe):") {
		t.Errorf("the probe is\n%s", probe)
	}
	if _, err := scaffold(root, "ADV999", "another"); err == nil || !strings.Contains(err.Error(), "never used twice") {
		t.Errorf("the code is used twice: %v", err)
	}
	if _, err := scaffold(root, "ADV998", "return-not-centred"); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("the folder is used twice: %v", err)
	}
}

// A new rule compiles against the packages as they are: the
// scaffold cannot fall behind them.
func TestScaffoldCompiles(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	made := t.TempDir()
	dir, err := scaffold(made, "ADV999", "return-not-centred")
	if err != nil {
		t.Fatal(err)
	}
	replace := make(map[string]string)
	for _, name := range []string{"rule.md", "returnnotcentred.go"} {
		replace[filepath.Join(root, dir, name)] = filepath.Join(made, dir, name)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(made, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-overlay", file, "./"+dir)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("compiling a new rule: %v\n%s", err, out)
	}
}

// What cannot become a rule is refused, with what to write instead.
func TestScaffoldRefuses(t *testing.T) {
	for _, test := range []struct{ code, name, want string }{
		{"adv1", "x", "prefix of capitals and three digits"},
		{"QQQ001", "x", "the prefixes are DIST, OBJ, ADV"},
		{"ADV021", "StdOfOne", "lower-case words with hyphens"},
		{"ADV021", "../x", "lower-case words with hyphens"},
	} {
		root := t.TempDir()
		_, err := scaffold(root, test.code, test.name)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: error %v, want one with %q", test.code, test.name, err, test.want)
		}
		if left, _ := os.ReadDir(root); len(left) > 0 {
			t.Errorf("%s %s: left %v behind", test.code, test.name, left)
		}
	}
}

func read(t *testing.T, root, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(dir), name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
