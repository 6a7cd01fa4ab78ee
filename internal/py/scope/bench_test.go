package scope_test

import (
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/py/parsetest"
	"github.com/rlvet/rlvet/internal/py/scope"
)

// BenchmarkParse and BenchmarkAnalyze read the same files, so that the ratio of
// their times is the cost of name resolution against parsing.
func BenchmarkParse(b *testing.B) {
	files, size := corpus(b)
	p := parse.New()
	defer p.Close()
	b.SetBytes(size)
	for b.Loop() {
		for _, f := range files {
			parsetest.ParseFile(p, f)
		}
	}
}

func BenchmarkAnalyze(b *testing.B) {
	files, size := corpus(b)
	p := parse.New()
	defer p.Close()
	var mods []*ast.Module
	for _, f := range files {
		if m := parsetest.ParseFile(p, f); m != nil {
			mods = append(mods, m)
		}
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range mods {
			scope.Analyze(m, "pkg.mod", false)
		}
	}
}

func corpus(b *testing.B) (files []parsetest.File, size int64) {
	files = parsetest.Stdlib(b, 150)
	for _, f := range files {
		size += int64(len(f.Text))
	}
	return files, size
}
