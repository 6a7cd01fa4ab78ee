//go:build !linux

package harness

import (
	"os/exec"
	"syscall"
)

// separate cannot separate here: the command fails to start.
func separate(cmd *exec.Cmd) { cmd.Err = exec.ErrNotFound }

func attributes(cmd *exec.Cmd) *syscall.SysProcAttr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	return cmd.SysProcAttr
}

// group gives a command a process group of its own.
func group(cmd *exec.Cmd) { attributes(cmd).Setpgid = true }
