package pass

import (
	"bytes"
	"iter"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Tasks are the names of environments, as CartPole-v1, that the program writes anywhere: in its modules, and in the files that import
// this one, which often choose the task. It parses these, so rules ask it last.
func (p *Pass) Tasks() (out []string) {
	for tree := range p.trees(func(text []byte) bool { return bytes.Contains(text, []byte("-v")) }) {
		out = append(out, query.TasksIn(tree)...)
	}
	return out
}

// trees are the modules of the program, and the files that import this one, as far as their texts are wanted: these are parsed for it.
func (p *Pass) trees(want func(text []byte) bool) iter.Seq[*ast.Module] {
	return func(yield func(*ast.Module) bool) {
		known := map[string]bool{}
		for m := range p.Modules() {
			if !yield(m.AST) {
				return
			}
			known[m.Path] = true
		}
		if p.Source.Texts == nil {
			return
		}
		parser := parse.New()
		defer parser.Close()
		for path, text := range p.Source.Texts(p.Source.File.Path) {
			if known[path] || !want(text) {
				continue
			}
			if tree, err := parser.Parse(p.Source.Context, path, text); err == nil && !yield(tree) {
				return
			}
		}
	}
}
