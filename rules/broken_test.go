package rules_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/rules"
)

// A rule that says that something is missing is silent where the file holds source that nobody can read: it may be what is missing. A
// statement print of Python 2 hides nothing.
func TestMissingInBrokenSource(t *testing.T) {
	t.Chdir(t.TempDir())
	o := engine.Options{Analyzers: analyzers(), Overlay: map[string][]byte{}}
	var paths []string
	type variant struct{ code, end string }
	of := map[string]variant{}
	for _, entry := range rules.All() {
		d := entry.Doc
		if !d.OfMissing {
			continue
		}
		for _, e := range d.Examples(rule.Bad) {
			if len(e.Files) != 1 || !strings.HasSuffix(e.Files[0].Name, ".py") {
				continue
			}
			for _, end := range []string{"", "print \"end\"\n", "last = = 1\n"} {
				name := fmt.Sprintf("%s_%d_%d.py", d.Code, e.Line, len(end))
				o.Overlay[name] = []byte(e.Files[0].Text + end)
				paths, of[name] = append(paths, name), variant{fmt.Sprint(d.Code, " ", e.Line), end}
			}
		}
	}
	res, err := engine.Check(context.Background(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	found := map[variant]int{}
	for _, f := range res.Findings {
		// What is wrong since torch 2.0 only is not, in Python 2.
		if v := of[f.Range.File]; strings.HasPrefix(v.code, f.Code) && !strings.Contains(f.Message, "handed on") {
			found[v]++
		}
	}
	whole := 0
	for _, v := range of {
		n := found[variant{v.code, ""}]
		switch {
		case v.end == "":
			whole += n
		case strings.HasPrefix(v.end, "print") && found[v] != n:
			t.Errorf("%s: %d findings beside a print of Python 2, %d without it", v.code, found[v], n)
		case strings.HasPrefix(v.end, "last") && found[v] != 0:
			t.Errorf("%s: reported in a file that cannot be read in full", v.code)
		}
	}
	if whole < 50 {
		t.Errorf("the examples have %d findings", whole)
	}
}
