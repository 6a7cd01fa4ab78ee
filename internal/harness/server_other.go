//go:build !linux

package harness

import (
	"os"
	"time"
)

// server is not there: Windows has no fork, and on macOS a fork is not safe once
// frameworks of the system are loaded, as torch loads them.
type server struct {
	users   int
	used    time.Time
	ready   chan struct{}
	refusal error
}

// forkRequest is a program to fork.
type forkRequest struct {
	Folder, Python, Request string
	Environment             map[string]string
	Separate                bool
}

func newServer() *server { return &server{ready: make(chan struct{}), refusal: errNotServed} }

func (s *server) hasEnded() bool                    { return false }
func (s *server) start(python string, env []string) { close(s.ready) }
func (s *server) end()                              {}
func (s *server) fork(*runFolder, forkRequest, *os.File) (*childProcess, error) {
	return nil, errNotServed
}
