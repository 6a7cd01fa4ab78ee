//go:build !unix

package harness

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// errPlatform says why no program is run here: it would tell what it sees by a named pipe
// of the file system, and be ended as a process group.
var errPlatform = errors.New("programs are run on Linux and macOS; on Windows, run this in WSL")

func openPipe(path string) (reader, writer *os.File, err error) { return nil, nil, errPlatform }

func signalGroup(group int, s syscall.Signal) error { return errPlatform }

func group(cmd *exec.Cmd) {}
