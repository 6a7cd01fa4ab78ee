package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// # Memory for time
//
// A check lives for seconds, and while little memory is in use, most of what Go's
// collector does for it is in vain. So it is told to let the heap grow to several
// times of what is in use, the less the more there is: a million lines stay within
// some hundred megabytes. Programs that stay, the server and --watch, are left to
// the usual pace.

// paces are how far the heap may grow beyond what is in use, in percent of it.
var paces = []struct {
	above   uint64 // megabytes in use
	percent int
}{{260, 30}, {200, 50}, {130, 75}, {90, 100}, {50, 200}, {0, 400}}

// paceOf returns the percentage for some bytes in use.
func paceOf(inUse uint64) int {
	for _, p := range paces {
		if inUse>>20 >= p.above {
			return p.percent
		}
	}
	return 100
}

// relaxCollector lets the collector follow paces from now on. It looks after each collection,
// from the finalizer of an object that every collection finds unused.
func relaxCollector() {
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
}

// inUse is what the last collection found in use, in bytes.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
