package lsp

import (
	"context"
	"maps"
	"time"

	"github.com/rlvet/rlvet/internal/lsp/protocol"
)

// pause is how long the user must not type before what is not open is checked.
const pause = 150 * time.Millisecond

// checks is where checking stands. It is guarded by server.mu.
type checks struct {
	revision int // of the state
	near     int // revision for which the open files were checked
	whole    int // revision for which everything was
	results  map[string]*result
	cancel   context.CancelFunc // of the check at hand
	wake     chan struct{}      // has an element when there may be something to check
	news     chan struct{}      // closed when near or whole changes
	// checkNow ends a pause; everything checks folders in which no file is open.
	checkNow   chan struct{}
	everything bool
	published  map[protocol.DocumentURI]publication
}

func (c *checks) init() {
	c.results, c.published = map[string]*result{}, map[protocol.DocumentURI]publication{}
	c.wake, c.checkNow, c.news = make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{})
}

// revise notes that the state changed.
func (s *server) revise() {
	s.revision++
	s.interrupt()
	prod(s.wake)
}

// interrupt ends the check at hand.
func (c *checks) interrupt() {
	if c.cancel != nil {
		c.cancel()
	}
}

// prod makes the next receive from a channel go through.
func prod(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// check checks whenever there is something new, until ctx ends.
func (s *server) check(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		t := s.begin(ctx)
		if t == nil {
			continue
		}
		s.take(t)
		t.cancel()
	}
}

// take checks what a turn is for: first what is near, then everything.
func (s *server) take(t *turn) {
	defer s.rescue(func(mistake error) {
		s.complain(mistake)
		s.settle(t, map[string]*result{}, true)
	})
	if s.round(t, false) && s.paused(t) {
		s.round(t, true)
	}
}

// paused waits for a pause of the user; it is false if the turn ends before.
func (s *server) paused(t *turn) bool {
	select {
	case <-t.ctx.Done():
		return false
	case <-time.After(pause):
	case <-s.checkNow:
	}
	return true
}

// turn is one revision of the state, to be checked.
type turn struct {
	ctx      context.Context
	cancel   context.CancelFunc
	revision int
	looks    int
	buffers  map[string]*buffer
	programs []*program
	setup    setup
}

// begin takes what is to be checked; nil where there is nothing.
func (s *server) begin(ctx context.Context) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stage != running || s.revision == s.whole {
		return nil
	}
	t := &turn{revision: s.revision, buffers: s.buffers()}
	t.ctx, t.cancel = context.WithCancel(ctx)
	s.cancel = t.cancel
	t.setup = setup{rules: s.Rules, resolver: s.settingsResolver(), trace: s.Trace, fresh: s.fresh}
	t.looks = s.looks
	t.programs = s.group(t.buffers)
	return t
}

// round checks the open files and those that had something to say about them, or
// everything. It is false where the turn was overtaken.
func (s *server) round(t *turn, whole bool) bool {
	results := map[string]*result{}
	complete := true
	for _, p := range t.programs {
		if whole && !s.client.watches {
			p.looks = 0
		}
		done, err := p.check(t, whole, results)
		if t.ctx.Err() != nil {
			return false
		}
		if err != nil {
			s.complain(err)
		}
		complete = complete && done
	}
	return s.settle(t, results, whole || complete)
}

// complain says what is wrong with the settings.
func (s *server) complain(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell(protocol.MessageError, "%v", err)
}

// settle makes the results of a round known, unless a newer revision is there.
func (s *server) settle(t *turn, results map[string]*result, whole bool) bool {
	s.mu.Lock()
	if s.revision != t.revision {
		s.mu.Unlock()
		return false
	}
	s.near = t.revision
	if whole {
		s.whole, s.results = t.revision, results
	} else { // others may be reading the old map
		next := maps.Clone(s.results)
		maps.Copy(next, results)
		s.results = next
	}
	close(s.news)
	s.news = make(chan struct{})
	s.mu.Unlock()
	s.show(t)
	return !whole
}

// await returns the result for an open file as the client has it now, nil where the
// file is not checked.
func (s *server) await(ctx context.Context, path string) (*result, error) {
	for {
		s.mu.Lock()
		r, current, news := s.results[path], s.near == s.revision, s.news
		s.mu.Unlock()
		if current {
			return r, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-news:
		}
	}
}

// awaitWhole returns all results of the newest revision.
func (s *server) awaitWhole(ctx context.Context) (map[string]*result, error) {
	for {
		s.mu.Lock()
		if !s.everything {
			s.everything = true
			s.revise()
		}
		results, current, news := s.results, s.whole == s.revision, s.news
		s.mu.Unlock()
		if current {
			return results, nil
		}
		prod(s.checkNow)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-news:
		}
	}
}
