package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/view"
	"github.com/rlvet/rlvet/internal/words"
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

// follow audits again and again: until an alert (exit code 1), until nothing was written for
// --until-idle, or until it is interrupted (exit code 0). Then it reports.
func (u *auditing) follow(ctx context.Context) error {
	l := &live{auditing: u, written: time.Now()}
	if watcher, err := fsnotify.NewWatcher(); err == nil { // else the sizes tell
		defer watcher.Close()
		l.watcher, l.events, l.overflows = watcher, watcher.Events, watcher.Errors
	}
	u.announce()
	for {
		begun := time.Now()
		l.looked = l.traces()
		if err := l.round(ctx); err != nil {
			return err
		}
		if l.last != nil && l.last.Level == audit.Alert || !l.await(ctx, max(livePause, liveShare*time.Since(begun))) {
			return l.end()
		}
	}
}

// announce says what is followed, and how often an alert is false.
func (u *auditing) announce() {
	if !u.flags.quiet {
		f := audit.FalseAlarms
		fmt.Fprintf(u.Stderr, "Following %s; stop with Ctrl-C. False alarms of these borders: of %d simulated runs in which nothing is wrong, %d alerted and %d warned.\n", u.dir, f.Runs, f.Alerted, f.Warned)
	}
}

// live is a run that is followed.
type live struct {
	*auditing
	watcher   *fsnotify.Watcher // nil where the system has none
	events    <-chan fsnotify.Event
	overflows <-chan error
	looked    traces
	written   time.Time // when something was last seen to be written
	last      *audit.Result
	waiting   string // why there is no result yet, said once
}

// round audits, and says what changed. That nothing can be read yet is waited for, and so is a
// log that is gone for a moment, as where a writer replaces it.
func (l *live) round(ctx context.Context) error {
	r, err := l.audit(ctx)
	switch {
	case ctx.Err() != nil:
		return nil // which await sees
	case err == nil:
		var before []audit.Signal
		if l.last != nil {
			before = l.last.Signals
		}
		for _, line := range view.Changes(before, r.Signals) {
			fmt.Fprintln(l.changes(), line)
		}
		l.last = r
	case errors.As(err, new(unread)) && (l.last == nil || isFolder(l.dir)):
		if l.waiting != err.Error() && !l.flags.quiet {
			fmt.Fprintf(l.Stderr, "Waiting: %s\n", words.Plain(err.Error()))
		}
		l.waiting = err.Error()
	default:
		return err
	}
	return nil
}

// changes is where changes of level are printed: standard output, where that does not hold
// JSON.
func (l *live) changes() io.Writer {
	if l.flags.format == "json" {
		return l.Stderr
	}
	return l.Stdout
}

// end reports what the last round found.
func (l *live) end() error {
	if l.last == nil {
		return errors.New(l.waiting)
	}
	return l.report(l.last)
}

// await returns true once something was written and the pause is over, false where the run
// has ended.
func (l *live) await(ctx context.Context, pause time.Duration) bool {
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
		case <-l.events:
		case <-l.overflows:
		case <-tick.C:
		}
		if rested && l.grown() {
			return true
		}
		if l.flags.untilIdle > 0 && time.Since(l.written) >= l.flags.untilIdle && !l.grown() {
			return false
		}
	}
}

// grown reports whether something was written since the last round looked.
func (l *live) grown() bool {
	now := l.traces()
	if now == l.looked {
		return false
	}
	l.written = time.Now()
	return true
}

// traces are what tells that a folder was written to.
type traces struct {
	files, bytes int64
	newest       time.Time
}

// traces looks at the folder, and has the system watch the folders in it.
func (l *live) traces() (t traces) {
	filepath.WalkDir(l.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is said by the round
		}
		if d.IsDir() {
			if l.watcher != nil {
				l.watcher.Add(path) // fails where there are too many: then the sizes tell
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
