package pass

import (
	"bytes"

	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Tasks are the names of environments, as CartPole-v1, that the program writes anywhere: in its modules, and in the files that import
// this one, which often choose the task. It parses these, so rules ask it last.
func (p *Pass) Tasks() (out []string) {
	known := map[string]bool{}
	for m := range p.Modules() {
		out = append(out, query.TasksIn(m.AST)...)
		known[m.Path] = true
	}
	if p.Source.Texts == nil {
		return out
	}
	parser := parse.New()
	defer parser.Close()
	for path, text := range p.Source.Texts(p.Source.File.Path) {
		if known[path] || !bytes.Contains(text, []byte("-v")) {
			continue
		}
		if tree, err := parser.Parse(p.Source.Context, path, text); err == nil {
			out = append(out, query.TasksIn(tree)...)
		}
	}
	return out
}
