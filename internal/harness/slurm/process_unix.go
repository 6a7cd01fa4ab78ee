//go:build unix

package slurm

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lock takes the lock of a job folder; it is nil where another program holds it. File
// systems without locks are as good as those on which nobody else holds it.
func lock(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		file.Close()
		return nil, nil
	}
	return file, nil
}

// ownGroup starts a command in a process group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
