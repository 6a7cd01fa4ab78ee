package cli

import (
	"os"
	"strings"
	"testing"
)

// At a terminal init asks, and takes nothing but a yes for one.
func TestInitAsks(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "Yes\n": true, "n\n": false, "\n": false, "": false, "y": false} {
		t.Chdir(t.TempDir())
		a, stdout, _ := newApp(answer)
		a.IsTerminal = func(any) bool { return true }
		if code := run([]string{"init"}, a); code != exitClean || !strings.Contains(stdout.String(), "Write this? [y/N] ") {
			t.Errorf("exit %d: %s", code, stdout)
		}
		if _, err := os.Stat("rlvet.toml"); (err == nil) != want {
			t.Errorf("%q: written %v", answer, err == nil)
		}
	}
}

// The page on suppressing shows the same setting of ruff as init.
func TestRuffExternal(t *testing.T) {
	page, err := os.ReadFile("../../docs/suppressing.md")
	if err != nil || !strings.Contains(string(page), "[tool.ruff.lint]\n"+ruffExternal()+"\n") {
		t.Errorf("docs/suppressing.md lacks %s (%v)", ruffExternal(), err)
	}
}
