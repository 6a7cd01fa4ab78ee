//go:build unix

package harness

import (
	"os"
	"syscall"
)

// openPipe makes a pipe with a path, so that all processes of a program can tell what
// they see, however they were started. The reader sees no end while the writer is open.
func openPipe(path string) (reader, writer *os.File, err error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	if reader, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0); err != nil {
		return nil, nil, err
	}
	if writer, err = os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err != nil {
		reader.Close()
		return nil, nil, err
	}
	return reader, writer, nil
}

// signalGroup sends a signal to a process group.
func signalGroup(group int, s syscall.Signal) error { return syscall.Kill(-group, s) }
