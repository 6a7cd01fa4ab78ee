package cli

import (
	"bytes"
	"strings"
	"testing"
)

// Findings, the steps of their explanations, fixes and fingerprints do not depend
// on chance: all programs of testdata, checked by one worker and by several,
// give the same bytes.
func TestOutputIsDetermined(t *testing.T) {
	jobs := []string{"4", "1", "2", "8", "3"}
	if testing.Short() {
		jobs = jobs[:3]
	}
	var first string
	for i, n := range jobs {
		var stdout, stderr bytes.Buffer
		env := Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return false }}
		args := []string{"check", "--isolated", "--preview", "--select", "ALL", "--show-hints", "--jobs", n, "--output-format", "json", "../../testdata"}
		if code := Main(args, env); code != exitFindings {
			t.Fatalf("exit %d: %s", code, &stderr)
		}
		switch got := stdout.String() + stderr.String(); {
		case i == 0:
			first = got
			if n := strings.Count(got, `"code"`); n < 100 || !strings.Contains(got, `"related"`) {
				t.Fatalf("%d findings: too few to compare", n)
			}
		case got != first:
			t.Fatalf("the run of %s workers differs from the first:\n%s", n, difference(first, got))
		}
	}
}

// difference returns the first line in which two texts differ.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\n" + y[i]
		}
	}
	return "one is longer"
}
