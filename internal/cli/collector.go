package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// # Memory for time
//
// A check lives for seconds, and while little memory is in use, most of what Go's
// collector does for it is in vain. So it is told to let the heap grow to a size that
// every machine has, and beyond that by a part of what is in use: a million lines stay
// within some hundred megabytes. Programs that stay, the server and --watch, are left to
// the usual pace.

const (
	// freeHeap is the size in bytes up to which the heap grows unhindered.
	freeHeap = 340 << 20
	// leastPace is how far it may grow in any case, in percent of what is in use.
	leastPace = 60
	// mostPace keeps the first collection, before which nothing is known to be in use,
	// from coming late.
	mostPace = 1000
)

// paceOf returns how far the heap may grow beyond some bytes in use, in percent of them.
func paceOf(inUse uint64) int {
	if inUse >= freeHeap {
		return leastPace
	}
	return int(min(max(100*(freeHeap-inUse)/max(inUse, 1), leastPace), mostPace))
}

// relaxCollector lets the collector follow paces from now on. It looks after each collection,
// from the finalizer of an object that every collection finds unused. One that looks is enough for all checks of a process.
var relaxCollector = sync.OnceFunc(func() {
	current := paceOf(0)
	debug.SetGCPercent(current)
	type sentinel struct{ _ [16]byte }
	var look func(*sentinel)
	look = func(*sentinel) {
		if next := paceOf(inUse()); next != current {
			current = next
			debug.SetGCPercent(current)
		}
		runtime.SetFinalizer(&sentinel{}, look)
	}
	runtime.SetFinalizer(&sentinel{}, look)
})

// inUse is what the last collection found in use, in bytes.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
