//go:build unix && !linux

package harness

import (
	"os/exec"
	"syscall"
)

// group gives a command a process group of its own.
func group(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}
