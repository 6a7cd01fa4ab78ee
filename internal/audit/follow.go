package audit

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/rlvet/rlvet/internal/paths"
)

// # Following a run
//
// A log that grows is read anew as a whole: what a reader knows of a file (its steps, its
// restarts, which trainer wrote it) may change with what comes. So that this stays cheap
// whatever the size, the pause between two rounds is a multiple of what a round took. The
// system's notes of changes make rounds prompt; where there are none, as on network file
// systems, the sizes are looked at all the same.
const (
	livePause = 2 * time.Second // between rounds, at least
	liveShare = 5               // and so many times as long as a round took
)

// Round is what came of reading a run that goes on once more.
type Round struct {
	// Result is nil where there is nothing to read yet, or for a moment not; Waiting says why.
	Result  *Result
	Waiting string
}

// Follow audits again and again: until an alert, until nothing was written for a time (0: however
// long), or until ctx ends. The error is one that ends it too.
func (j *Job) Follow(ctx context.Context, untilIdle time.Duration) iter.Seq2[Round, error] {
	return func(yield func(Round, error) bool) {
		f := &follower{Job: j, untilIdle: untilIdle, written: time.Now()}
		if watcher, err := fsnotify.NewWatcher(); err == nil { // else the sizes tell
			defer watcher.Close()
			f.watcher, f.events, f.overflows = watcher, watcher.Events, watcher.Errors
		}
		for {
			begun := time.Now()
			f.looked = f.traces()
			round, err := f.round(ctx)
			if ctx.Err() != nil {
				return
			}
			if !yield(round, err) || err != nil || round.Result != nil && round.Result.Level == Alert {
				return
			}
			if !f.await(ctx, max(livePause, liveShare*time.Since(begun))) {
				return
			}
		}
	}
}

// follower is a run that is followed.
type follower struct {
	*Job
	untilIdle time.Duration
	watcher   *fsnotify.Watcher // nil where the system has none
	events    <-chan fsnotify.Event
	overflows <-chan error
	looked    traces
	written   time.Time // when something was last seen to be written
	found     bool      // there was a result
}

// round audits. That nothing can be read yet is waited for, and so is a log that is gone for a
// moment, as where a writer replaces it.
func (f *follower) round(ctx context.Context) (Round, error) {
	r, err := f.audit(ctx, true)
	if errors.As(err, new(unread)) && (!f.found || paths.IsFolder(f.Dir)) {
		return Round{Waiting: err.Error()}, nil
	}
	f.found = f.found || r != nil
	return Round{Result: r}, err
}

// await returns true once something was written and the pause is over, false where the run
// has ended.
func (f *follower) await(ctx context.Context, pause time.Duration) bool {
	rest := time.NewTimer(pause)
	defer rest.Stop()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	rested := false
	for {
		select {
		case <-ctx.Done():
			return false
		case <-rest.C:
			rested = true
		case <-f.events:
		case <-f.overflows:
		case <-tick.C:
		}
		if rested && f.grown() {
			return true
		}
		if f.untilIdle > 0 && time.Since(f.written) >= f.untilIdle && !f.grown() {
			return false
		}
	}
}

// grown reports whether something was written since the last round looked.
func (f *follower) grown() bool {
	now := f.traces()
	if now == f.looked {
		return false
	}
	f.written = time.Now()
	return true
}

// traces are what tells that a folder was written to.
type traces struct {
	files, bytes int64
	newest       time.Time
}

// traces looks at the folder, and has the system watch the folders in it.
func (f *follower) traces() (t traces) {
	filepath.WalkDir(f.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is said by the round
		}
		if d.IsDir() {
			if f.watcher != nil {
				f.watcher.Add(path) // fails where there are too many: then the sizes tell
			}
			return nil
		}
		if info, err := d.Info(); err == nil {
			t.files, t.bytes = t.files+1, t.bytes+info.Size()
			if info.ModTime().After(t.newest) {
				t.newest = info.ModTime()
			}
		}
		return nil
	})
	return t
}
