package engine

import (
	"fmt"
	"time"

	"golang.org/x/tools/go/analysis"
)

// # Analyzers that do not end
//
// Go cannot stop a goroutine. So each run of an analyzer is an attempt, and a
// watch looks at all attempts from time to time: one that is over its time is
// marked so, and a new goroutine goes on with the worker's next analyzer. The old
// one, should it ever come back, sees the mark and ends; what it found is lost.
// Looking costs nothing where nothing is wrong, while a goroutine and a timer for
// each of a hundred thousand runs would cost more than many rules do.

// attempt is one analyzer at work on one module.
type attempt struct {
	analyzer *analysis.Analyzer
	unit     *unit
	begun    time.Time
	over     bool // guarded by run.mu: given up

	value       any
	err         error
	diagnostics []analysis.Diagnostic
}

// start notes that a worker begins an analyzer.
func (w *worker) start(u *unit, a *analysis.Analyzer) *attempt {
	at := &attempt{analyzer: a, unit: u, begun: time.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attempt = at
	return at
}

// end notes that an attempt ended; it is false if that came too late.
func (w *worker) end(at *attempt) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !at.over {
		w.attempt = nil
	}
	return !at.over
}

// watch gives up attempts that are over their time, and all when the context is
// done, until the check is over.
func (r *run) watch(over <-chan struct{}) {
	tick := time.NewTicker(min(max(r.limit/8, time.Millisecond), time.Second/10))
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case now := <-tick.C:
			r.abandonLate(now)
		case <-r.ctx.Done():
			r.abandonAll()
			<-tick.C // a worker may have begun an attempt just now
		}
	}
}

// abandonAll lets no worker wait for its analyzer.
func (r *run) abandonAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.team {
		if w.attempt != nil {
			w.attempt.over = true
			w.attempt = nil
			r.workers.Done()
		}
	}
	r.wake.Broadcast()
}

// abandonLate hands the work of late attempts to new goroutines.
func (r *run) abandonLate(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.team {
		at := w.attempt
		if at == nil || now.Sub(at.begun) < r.limit {
			continue
		}
		at.over = true
		if at.analyzer.ResultType != nil {
			at.unit.cancel() // inference listens
		}
		w.attempt = nil
		at.unit.failed(at.analyzer, at.unit.internal(at.analyzer, fmt.Sprintf("it takes more than %v", r.limit)))
		go w.work()
	}
}
