package cfg_test

import (
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/cfg"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/py/parsetest"
)

// functions returns all functions of a corpus, modules among them, and its size.
func functions(b *testing.B) (list []*ast.FunctionDef, size int64) {
	p := parse.New()
	defer p.Close()
	for _, f := range parsetest.Stdlib(b, 150) {
		m := parsetest.ParseFile(p, f)
		if m == nil {
			continue
		}
		size += int64(len(f.Text))
		list = append(list, &ast.FunctionDef{Body: m.Body})
		ast.WalkModule(m, func(n ast.Node) bool {
			if fn, ok := n.(*ast.FunctionDef); ok {
				list = append(list, fn)
			}
			return true
		})
	}
	return list, size
}

func BenchmarkNew(b *testing.B) {
	list, size := functions(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, fn := range list {
			cfg.New(fn.Body)
		}
	}
}

func BenchmarkReaching(b *testing.B) {
	list, size := functions(b)
	var graphs []*cfg.Graph
	for _, fn := range list {
		graphs = append(graphs, cfg.New(fn.Body))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for i, fn := range list {
			cfg.Reaching(graphs[i], fn.Params)
		}
	}
}
