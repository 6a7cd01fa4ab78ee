//go:build !unix

package main

import (
	"errors"
	"os"
)

// peakMemory is the most memory that a process had, in bytes.
func peakMemory(*os.ProcessState) (int64, error) {
	return 0, errors.New("this system does not account for memory")
}
