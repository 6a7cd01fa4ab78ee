package linttest

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
)

// Unreached checks programs of which nothing that a function does is ever come to: each raises first. There is syntax then that no value
// belongs to, as behind a return, and no rule may fail on it.
func Unreached(t *testing.T, programs map[string]string, analyzers ...*analysis.Analyzer) {
	t.Helper()
	o := engine.Options{Analyzers: analyzers, Overlay: map[string][]byte{}, Trace: func(stack []byte) { t.Errorf("%s", stack) }}
	var paths []string
	tried := 0
	for name, text := range programs {
		variant := header.ReplaceAllString(text, "${0}${1}    raise NotImplementedError\n")
		tried += strings.Count(variant, "raise NotImplementedError") - strings.Count(text, "raise NotImplementedError")
		o.Overlay[name] = []byte(variant)
		paths = append(paths, name)
	}
	if tried == 0 {
		t.Fatal("no program has a function")
	}
	t.Chdir(t.TempDir())
	res, err := engine.Check(context.Background(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range res.Problems {
		if strings.Contains(p.Message, "internal error") {
			t.Errorf("%s: %s", p.File, p.Message)
		}
	}
}

// header is the line with which a function begins.
var header = regexp.MustCompile(`(?m)^( *)def \w+\(.*\)(?: -> .*)?:\n`)
