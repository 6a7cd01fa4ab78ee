//go:build unix

package main

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// peakMemory is the most memory that a process had, in bytes.
func peakMemory(p *os.ProcessState) (int64, error) {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("this system does not account for memory")
	}
	if runtime.GOOS == "darwin" { // getrusage(2) counts bytes there, and kilobytes elsewhere
		return usage.Maxrss, nil
	}
	return usage.Maxrss * 1024, nil
}
