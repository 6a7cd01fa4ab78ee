package pager

import (
	"os/exec"
	"strings"
	"testing"
)

// What the reader sees is what the pager makes of the text; without a pager, the text.
func TestShow(t *testing.T) {
	const text = "one\ntwo\n"
	if _, err := exec.LookPath("sed"); err != nil {
		t.Skipf("SKIPPED: a pager with arguments is NOT tried: %v", err)
	}
	for _, c := range []struct{ pager, want string }{
		{"sed s/two/three/", "one\nthree\n"},
		{"  ", text},
		{"cat -n", text},
		{"no-such-pager -R", text},
		{"false", ""}, // one that stops early is the reader's affair
	} {
		t.Setenv("PAGER", c.pager)
		var terminal, stderr strings.Builder
		if err := Show(text, &terminal, &stderr); err != nil || terminal.String() != c.want || stderr.Len() > 0 {
			t.Errorf("PAGER=%q shows %q and says %q, %v; want %q", c.pager, terminal.String(), stderr.String(), err, c.want)
		}
	}
}

// less gets the options of git only where the reader has none.
func TestOptionsOfLess(t *testing.T) {
	t.Setenv("PAGER", `printenv LESS`)
	for own, want := range map[string]string{"": "FRX\n", "-N": "-N\n"} {
		t.Setenv("LESS", own)
		var terminal, stderr strings.Builder
		if err := Show("", &terminal, &stderr); err != nil || terminal.String() != want {
			t.Errorf("LESS=%q becomes %q (%s, %v), want %q", own, terminal.String(), stderr.String(), err, want)
		}
	}
}
