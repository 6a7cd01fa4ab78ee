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

// OnlyLimit is the limit of time that ends all episodes of the program, as a number of steps, and the id of a task that says so: all ids that
// the program writes are of such tasks, be they defaults or not, and nothing in it changes or asks when an episode ends. Of several limits it
// is the largest. It parses files that import this one, so rules ask it last.
func (p *Pass) OnlyLimit() (id string, limit int64) {
	for tree := range p.trees(func([]byte) bool { return true }) {
		if query.ChangesEnds(tree) {
			return "", 0
		}
		for _, task := range query.TasksIn(tree) {
			n, endless := query.EndlessAfter(task)
			if !endless {
				return "", 0
			}
			if n > limit {
				id, limit = task, n
			}
		}
	}
	return id, limit
}

// CutsAreEnds reports whether to be cut off may be an end of the task as the agent sees it: the program shows the clock in its observations, its
// environment means something else by the flag, or its tasks have no limit of time. It parses files that import this one, so rules ask it last.
func (p *Pass) CutsAreEnds() bool {
	p.Source.cutsOnce.Do(func() { p.Source.cutsAreEnds = p.findCuts() })
	return p.Source.cutsAreEnds
}

func (p *Pass) findCuts() bool {
	some, limited := false, false
	for tree := range p.trees(func([]byte) bool { return true }) {
		if query.CutsAreEnds(tree) {
			return true
		}
		limited = limited || query.SetsLimit(tree)
		for _, task := range query.TasksIn(tree) {
			some, limited = true, limited || !query.HasNoLimit(task)
		}
	}
	return some && !limited
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
