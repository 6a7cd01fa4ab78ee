package engine

import (
	"context"
	"time"

	"github.com/rlvet/rlvet/internal/pass"
)

// # Parsing ahead
//
// Modules that import each other in a long chain leave one worker work and the others
// none. A worker that waits for a group parses what comes later, since that needs
// nothing of other modules: it is a good third of the work.

// maxAhead bounds the texts whose trees wait for their group, in bytes.
const maxAhead = 1 << 20

// ahead is what is parsed before its turn.
type ahead struct {
	rest  []*module // in the order of groups
	begun map[*module]*early
	size  int // of the texts that are parsed and wait
}

// early is a module that a waiting worker parses.
type early struct {
	module *module
	parsed parsed
	done   chan struct{}
}

// parsed is a syntax tree, or the error.
type parsed struct {
	src    *pass.Source
	err    error
	cancel context.CancelFunc // of the source's context
}

// newAhead lists the modules of all groups that have to be evaluated.
func newAhead(groups []*group) ahead {
	a := ahead{begun: map[*module]*early{}}
	for _, g := range groups {
		if g.known == nil {
			a.rest = append(a.rest, g.members...)
		}
	}
	return a
}

// next begins the next module that nobody has begun; nil where there is none, or enough
// was parsed already.
func (a *ahead) next() *early {
	for len(a.rest) > 0 && a.size < maxAhead {
		m := a.rest[0]
		a.rest = a.rest[1:]
		if _, ok := a.begun[m]; !ok {
			e := &early{module: m, done: make(chan struct{})}
			a.begun[m] = e
			a.size += len(m.File.Text)
			return e
		}
	}
	return nil
}

// parsed returns the tree of a module whose turn has come.
func (w *worker) parsed(m *module) parsed {
	w.mu.Lock()
	e := w.ahead.begun[m]
	w.ahead.begun[m] = nil
	w.mu.Unlock()
	if e == nil {
		return w.parse(m)
	}
	<-e.done
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ahead.size -= len(m.File.Text)
	w.wake.Signal() // there is room again
	return e.parsed
}

// parse parses a module.
func (w *worker) parse(m *module) parsed {
	start := time.Now()
	ctx, cancel := context.WithCancel(w.ctx)
	w.parser.Keep(w.options.keptOf(m.abs))
	src, err := pass.Parse(ctx, w.parser, m.File, w.aroundOf(m))
	w.note(func(s *Stats) { s.Parse += time.Since(start); s.Modules++; s.Bytes += len(m.File.Text) })
	return parsed{src, err, cancel}
}
