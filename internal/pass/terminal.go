package pass

import (
	"bytes"

	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// NeverTerminal reports whether the program makes environments that never come to a terminal state, and no other; and whether one of them
// restarts within a step, so that the step yields an observation of the next episode. A module that has
// nothing to do with environments itself, as that of an agent, is asked of by the files that import it: there the task is chosen.
// It parses these, so rules ask it last.
func (p *Pass) NeverTerminal() (never, restarts bool) {
	p.Source.terminalOnce.Do(func() { p.Source.ends = p.findEnds() })
	return p.Source.ends.Never && !p.Source.ends.Maybe, p.Source.ends.Restarts
}

func (p *Pass) findEnds() query.Ends {
	if p.Graph.Endless() {
		return query.Ends{Never: true}
	}
	var own query.Ends
	known := map[string]bool{}
	for m := range p.Modules() {
		own = own.And(query.EndsIn(m.AST))
		known[m.Path] = true
	}
	if own.Never || own.Maybe || len(p.Made("make", "make_vec", "GymEnv")) > 0 || p.Source.Texts == nil {
		return own
	}
	parser := parse.New()
	defer parser.Close()
	for path, text := range p.Source.Texts(p.Source.File.Path) {
		if known[path] || !namesTask(text) {
			continue
		}
		if tree, err := parser.Parse(p.Source.Context, path, text); err == nil {
			own = own.And(query.EndsIn(tree))
		}
		if own.Maybe {
			break
		}
	}
	return own
}

// namesTask reports whether a text may say what environments a program has.
func namesTask(text []byte) bool {
	for _, word := range []string{"-v", "def step", "MultiAgentEnv", "simple_"} {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}
