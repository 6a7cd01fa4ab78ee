package read

import (
	"cmp"
	"slices"
)

// # Order
//
// Rows come nearly in the order of their steps. Two things look alike that are not: a row
// that another process wrote late, which belongs where its step says, and training that went
// back to a checkpoint, after which all that had been logged from there on no longer holds.
// A row that goes back is therefore held until the next ones tell: those of a restart ascend
// from there, and log again, with other values, what was logged before.

// Bounds of the lanes.
const (
	rowWindow   = 4096 // rows that wait for late ones, where a row has all metrics
	valueWindow = 64   // the same where each metric has a lane of its own
	lateRun     = 12   // rows that ascend below the top: a restart, whatever they log
	lateRepeats = 3    // the same where they log again what was logged
)

// sample is a value of a metric.
type sample struct {
	track *track
	value float64
}

// row is what was logged at one step.
type row struct {
	step    int64
	samples []sample
}

// lane brings the rows of one clock into order.
type lane struct {
	width int
	// ready are rows in order, held back for late ones; late are those that went back.
	ready, late []row
	// top is the highest step, low the highest that was passed on to the series.
	top, low int64
	began    bool
	// tracks are those that a restart rewinds.
	tracks func() []*track

	// again says that another writer went on: a step that goes back is a restart.
	again bool

	sorted, dropped int64
	restarts        []restart
	free            [][]sample
}

// restart says that training went back from a step to one.
type restart struct{ from, to int64 }

// add takes a row; its samples are copied.
func (l *lane) add(step int64, samples []sample) {
	r := row{step, append(l.space(), samples...)}
	again := l.again
	l.again = false
	if l.began && step < l.top {
		if l.late = append(l.late, r); again {
			l.restart()
		} else {
			l.judge()
		}
		return
	}
	l.settle()
	l.top, l.began = step, true
	l.ready = append(l.ready, r)
	l.drain(l.width)
}

// space returns room for samples, used before where there is some.
func (l *lane) space() []sample {
	if n := len(l.free); n > 0 {
		s := l.free[n-1]
		l.free = l.free[:n-1]
		return s[:0]
	}
	return nil
}

// judge decides what the late rows are as soon as that is plain.
func (l *lane) judge() {
	ascend := slices.IsSortedFunc(l.late, byStep)
	switch n := len(l.late); {
	case ascend && n >= lateRepeats && l.allRepeat(), ascend && n >= lateRun:
		l.restart()
	case n >= lateRun || !ascend && n >= lateRepeats:
		l.insert()
	}
}

// settle decides what the late rows were, now that one came that does not go back.
func (l *lane) settle() {
	switch {
	case len(l.late) == 0:
	case slices.IsSortedFunc(l.late, byStep) && l.allRepeat():
		l.restart()
	default:
		l.insert()
	}
}

// allRepeat reports whether each late row logs again, with another value, what was logged.
func (l *lane) allRepeat() bool {
	return !slices.ContainsFunc(l.late, func(r row) bool { return !l.repeats(r) })
}

func (l *lane) repeats(r row) bool {
	first, _ := slices.BinarySearchFunc(l.ready, r, byStep)
	for _, s := range r.samples {
		if s.track.logged && r.step <= s.track.last {
			return true // it is no longer known with which value
		}
		for i := first; i < len(l.ready) && l.ready[i].step == r.step; i++ {
			for _, old := range l.ready[i].samples {
				if old.track == s.track && old.value != s.value {
					return true
				}
			}
		}
	}
	return false
}

// restart drops what was logged at the first late step and after it.
func (l *lane) restart() {
	back := l.late[0].step
	l.restarts = append(l.restarts, restart{l.top, back})
	keep, _ := slices.BinarySearchFunc(l.ready, l.late[0], byStep)
	l.release(l.ready[keep:])
	l.ready = append(l.ready[:keep], l.late...)
	l.top, l.low = l.late[len(l.late)-1].step, min(l.low, back-1)
	l.late = l.late[:0]
	for _, t := range l.tracks() {
		t.rewind(back)
	}
	l.drain(l.width)
}

// purge drops the rows at a step and after it that wait.
func (l *lane) purge(step int64) {
	l.settle()
	keep, _ := slices.BinarySearchFunc(l.ready, row{step: step}, byStep)
	l.release(l.ready[keep:])
	l.ready = l.ready[:keep]
	l.low, l.top = min(l.low, step-1), min(l.top, step-1)
}

// insert puts the late rows where they belong; those too late for that are dropped.
func (l *lane) insert() {
	for _, r := range l.late {
		if r.step < l.low {
			l.dropped++
			continue
		}
		at, _ := slices.BinarySearchFunc(l.ready, row{step: r.step + 1}, byStep)
		l.ready = slices.Insert(l.ready, at, r)
		l.sorted++
	}
	l.late = l.late[:0]
	l.drain(l.width)
}

// drain passes on rows until at most keep wait. It does so in bulk, so that moving the rest
// costs little.
func (l *lane) drain(keep int) {
	if len(l.ready) <= keep+keep/2 {
		return
	}
	n := len(l.ready) - keep
	for _, r := range l.ready[:n] {
		l.low = r.step
		for _, s := range r.samples {
			s.track.add(r.step, s.value)
		}
	}
	l.release(l.ready[:n])
	l.ready = append(l.ready[:0], l.ready[n:]...)
}

// release keeps the room of rows that are gone.
func (l *lane) release(rows []row) {
	for _, r := range rows {
		if len(l.free) < l.width {
			l.free = append(l.free, r.samples)
		}
	}
}

// close passes on all that waits.
func (l *lane) close() {
	l.settle()
	l.drain(0)
	l.free = nil
}

func byStep(a, b row) int { return cmp.Compare(a.step, b.step) }
