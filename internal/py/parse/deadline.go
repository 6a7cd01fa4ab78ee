package parse

// #include "export.h"
import "C"

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
)

// A parse is limited in processor time, since what the clock on the wall says
// depends on what else the machine does: on a busy one a thread may not run for
// seconds, and a dense but valid file would be given up by chance. Tree-sitter
// itself only knows the wall. So a timer looks, from another thread, at how much
// of the processor the parse had, and cancels its context when that was enough.
// Nothing is begun again or cut into pieces, so the tree of a file is always the
// same.
//
// Processor time is worth less, too, where cores are shared by virtual machines
// or the caches by other programs: a fifth, as was measured. So before a file is
// given up, a short dense text is parsed on the side. If that takes longer than
// on a quiet machine, the file has as many times the limit.

// deadline is the limit of one parse.
type deadline struct {
	clock  threadClock
	start  time.Duration
	limit  time.Duration
	cancel context.CancelFunc

	mu       sync.Mutex
	over     bool
	weighted bool // the limit is what this machine makes of it
	timer    *time.Timer
}

// recheck is the shortest time between two looks.
const recheck = 10 * time.Millisecond

// begin starts to watch the calling thread, which the caller has locked. The
// context is cancelled only if the limit is reached: the binding's parser is
// spoiled by a context that ends when its parse does.
func begin(limit time.Duration) (context.Context, *deadline) {
	ctx, cancel := context.WithCancel(context.Background())
	d := &deadline{clock: newThreadClock(), limit: limit, cancel: cancel}
	d.start = d.clock.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer = time.AfterFunc(max(limit, 0), d.look)
	return ctx, d
}

// look cancels the parse if it has had its time, and else comes back.
func (d *deadline) look() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return
	}
	if d.used() >= d.limit && !d.weighted {
		d.weighted = true
		d.limit = time.Duration(float64(d.limit) * slowness())
	}
	if left := d.limit - d.used(); left > 0 {
		d.timer.Reset(max(left, recheck))
		return
	}
	d.over = true
	d.cancel()
}

// denseTime is what a MiB of the densest valid source takes on a quiet machine:
// a quarter of the default limit.
const denseTime = DefaultTimePerMiB / 4

var dense = bytes.Repeat([]byte("x=1\n"), 4096)

// slowness returns how many times as long as on a quiet machine tree-sitter takes
// here and now, at least 1.
func slowness() float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := sitter.NewParser()
	defer p.Close()
	p.SetLanguage(grammar)
	clock := newThreadClock()
	start := clock.now()
	tree, err := p.ParseCtx(context.Background(), nil, dense)
	took := clock.now() - start
	if err != nil {
		return 1
	}
	tree.Close()
	return max(1, took.Seconds()/denseTime.Seconds()*(1<<20)/float64(len(dense)))
}

func (d *deadline) used() time.Duration { return d.clock.now() - d.start }

// end stops watching, and returns what the parse used and what the limit was in
// the end.
func (d *deadline) end() (used, limit time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	d.timer.Stop()
	return d.used(), d.limit
}

// threadClock tells the processor time of one thread to any other; where the
// system does not, the time on the wall.
type threadClock struct {
	thread C.int64_t
	began  time.Time
}

// newThreadClock returns the clock of the calling thread.
func newThreadClock() threadClock {
	return threadClock{thread: C.rlvet_thread(), began: time.Now()}
}

func (c threadClock) now() time.Duration {
	if n := C.rlvet_thread_nanos(c.thread); n >= 0 {
		return time.Duration(n)
	}
	return time.Since(c.began)
}
