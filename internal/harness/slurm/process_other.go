//go:build !unix

package slurm

import (
	"errors"
	"os"
	"syscall"
)

// lock fails: Slurm is not to be had on Windows.
func lock(dir string) (*os.File, error) {
	return nil, errors.New("--launcher slurm works on Linux and macOS; on Windows, run this in WSL")
}

func ownGroup() *syscall.SysProcAttr { return nil }
