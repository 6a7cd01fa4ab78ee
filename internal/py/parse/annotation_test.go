package parse

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// annotations are types in every shape that the grammar reads in its own way, and
// combinations of them.
func annotations() []string {
	bases := []string{"A", "a.b", "'A'", "(A)", "A()", "None", "é"}
	tails := []string{"", "[c]", ".d", "(e)", "[c, d]", "[c:d]", "[*c]", " [ c ]", "[A[b][c]]", "[None]", "[[c], d]", "[lambda: c[d][e]]"}
	var out []string
	for _, b := range bases {
		for _, t := range tails {
			for _, u := range tails[:6] {
				out = append(out, b+t+u, b+t+u+"[x]", b+t+u+" | "+b+u+t)
			}
		}
	}
	return append(out, unstarred...)
}

// unstarred are annotations that no star may stand before, those that operators make among them.
var unstarred = func() []string {
	out := []string{"A[b][c] if d[e][f] else g", "A[b] if c else d", "x in [a][b]", "not [a][b]", "lambda: A[b][c]", "-A[b]"}
	for _, op := range strings.Split("or|and|==|!=|<|>=|is|is not|in|not in|+|-|*|**|/|//|%|@|&|^|<<|>>", "|") {
		out = append(out, "A[b] "+op+" None", "None "+op+" A[b]", "A[B[c]] "+op+" a.b[c]", "a.b[c]\t"+op+" A[d][e]")
	}
	return out
}()

// TestAnnotationsAgreeWithCPython compares annotations in all places where one
// may stand with CPython's reading, and those with a star, which are newer than
// 3.10.
func TestAnnotationsAgreeWithCPython(t *testing.T) {
	if out, err := pythonSays("import sys; print(sys.version_info >= (3, 11))"); err != nil || strings.TrimSpace(out) != "True" {
		t.Skipf("SKIPPED: %s is no Python of 3.11 or later, so nothing to compare with: %v", systemPython, err)
	}
	dir := t.TempDir()
	var files []string
	for i, a := range annotations() {
		star := "*"
		if slices.Contains(unstarred, a) {
			star = ""
		}
		text := "x: " + a + "\ny.z: " + a + " = w[v][u]\nclass C:\n    x: " + a + "\ndef f(p, q: " + a + ", r: " + a + " = s[t][u], *args: " + star + a +
			", **kw: " + a + ") -> " + a + ": v: " + a + "\ndef g(*args: " + a + ", k): pass\n"
		path := filepath.Join(dir, strconv.Itoa(i)+".py")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	p := New()
	defer p.Close()
	compared := 0
	eachFile(t, files, func(path string, theirs []string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if theirs[0][0] == '!' {
			t.Errorf("CPython rejects\n%s", text)
			return
		}
		mod, err := p.Parse(context.Background(), path, text)
		if err != nil || len(mod.Errors) > 0 {
			t.Errorf("%v %v in\n%s", err, mod.Errors, text)
			return
		}
		if missing, extra := difference(theirs, ours(mod, true)); len(missing)+len(extra) > 0 {
			t.Errorf("%q, %q in\n%s", missing, extra, text)
		}
		compared++
	})
	if compared < 1000 {
		t.Errorf("%d annotations compared only", compared)
	}
}
