//go:build unix

package benchtest

import (
	"syscall"
	"time"
)

// ProcessorTime is what the process has used so far, in all threads.
func ProcessorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
