package lsp

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// outlive ends the session when the client's process is gone, even if somebody
// else keeps its end of our streams open.
func (s *server) outlive(process int) {
	if runtime.GOOS == "windows" {
		return // streams tell enough there
	}
	tick := time.NewTicker(time.Second / 2)
	defer tick.Stop()
	for range tick.C {
		p, err := os.FindProcess(process)
		if err != nil || p.Signal(syscall.Signal(0)) == os.ErrProcessDone {
			s.leave()
			return
		}
	}
}
