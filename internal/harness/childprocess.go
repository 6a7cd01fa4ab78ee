package harness

import (
	"os/exec"
	"syscall"
)

// childProcess is a program under way: in a process that was started for it, or in one that a
// server forked.
type childProcess struct {
	pid    int
	done   chan struct{} // closed when it has ended
	status syscall.WaitStatus
	lost   bool // the server ended first: how the program would have ended is not known
}

// startAlone starts a command in a process of its own.
func startAlone(cmd *exec.Cmd) (*childProcess, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &childProcess{pid: cmd.Process.Pid, done: make(chan struct{})}
	go func() {
		cmd.Wait()
		if cmd.ProcessState != nil {
			p.status = cmd.ProcessState.Sys().(syscall.WaitStatus)
		}
		close(p.done)
	}()
	return p, nil
}

// exitCode is that of a program that has ended, -1 where a signal ended it.
func (p *childProcess) exitCode() int { return p.status.ExitStatus() }
