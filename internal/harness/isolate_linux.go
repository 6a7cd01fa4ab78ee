package harness

import (
	"os"
	"os/exec"
	"syscall"
)

// separate starts a command in a user and a network namespace of its own.
func separate(cmd *exec.Cmd) {
	attr := attributes(cmd)
	attr.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	attr.AmbientCaps = []uintptr{capNetAdmin} // to bring the loopback up
}

const capNetAdmin = 12

func attributes(cmd *exec.Cmd) *syscall.SysProcAttr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	return cmd.SysProcAttr
}

// group gives a command a process group of its own, which dies with this process.
func group(cmd *exec.Cmd) {
	attr := attributes(cmd)
	attr.Setpgid = true
	attr.Pdeathsig = syscall.SIGKILL
}
