package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/rlvet/rlvet/internal/harness/protocol"
	"github.com/rlvet/rlvet/internal/paths"
)

// server is a Python from which programs are forked.
type server struct {
	users int       // runs under way, under the lock of the pool
	used  time.Time // last

	ready   chan struct{} // closed when it serves or refuses
	refusal error
	over    chan struct{} // closed when it has ended

	conn    *net.UnixConn
	mu      sync.Mutex
	last    int
	waiting map[int]chan answer // for what becomes of a request
	running map[int]*childProcess
}

// answer is what becomes of a request: a program, or why there is none.
type answer struct {
	program *childProcess
	refusal string
	lost    bool // the server has ended; the program may have begun
}

// serverMessage is what a server tells: ready, started, refused or ended.
type serverMessage struct {
	Event  string `json:"event"`
	ID     int    `json:"id"`
	PID    int    `json:"pid"`
	Status int    `json:"status"`
	Reason string `json:"reason"`
}

// forkRequest is a program to fork; it goes to the server in a file.
type forkRequest struct {
	ID          int               `json:"id"`
	Folder      string            `json:"folder"`      // in which the program starts
	Python      string            `json:"python"`      // of the Python side
	Request     string            `json:"request"`     // the path of what the Python side is told
	Environment map[string]string `json:"environment"` // all of it
	Separate    bool              `json:"separate"`    // whether it gets namespaces of its own
}

func newServer() *server {
	return &server{
		ready: make(chan struct{}), over: make(chan struct{}), waiting: map[int]chan answer{}, running: map[int]*childProcess{},
		used: time.Now(),
	}
}

func (s *server) hasEnded() bool {
	select {
	case <-s.over:
		return s.refusal == nil // one that refused is kept for a while, as it would do so again
	default:
		return false
	}
}

// start starts the process, and returns when it serves or has refused.
func (s *server) start(python string, env []string) {
	defer close(s.ready)
	if s.refusal = s.connect(python, env); s.refusal != nil {
		close(s.over)
	}
}

// connect starts the process and reads its first message.
func (s *server) connect(python string, env []string) error {
	text, err := files.ReadFile("py/rlvet_harness/serve.py")
	if err != nil {
		return err
	}
	dir, err := paths.Temporary()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// By its path the socket takes no descriptor that programs may have inherited.
	path := filepath.Join(dir, "server")
	listener, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		return err
	}
	defer listener.Close()
	printed, print, err := os.Pipe()
	if err != nil {
		return err
	}
	defer printed.Close()
	defer print.Close()
	side := filepath.Join(dir, "py.zip")
	if err := writePythonSide(side); err != nil {
		return err
	}
	cmd := exec.Command(python, "-c", string(text), path, side)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = "/", env, print, print
	group(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	print.Close()
	go func() {
		cmd.Wait()
		listener.Close() // which ends the wait for it below
	}()
	listener.SetDeadline(time.Now().Add(askTimeout))
	conn, err := listener.AcceptUnix()
	if err != nil {
		cmd.Process.Kill()
		return err
	}
	conn.SetReadDeadline(time.Now().Add(askTimeout))
	first, err := readMessage(conn)
	printed.SetReadDeadline(time.Now())
	n, _ := printed.Read(make([]byte, 1))
	switch {
	case err != nil:
	case n > 0:
		err = errors.New("importing torch prints something")
	case first.Event != "ready":
		err = errors.New(first.Reason)
	}
	if err != nil {
		conn.Close()
		cmd.Process.Kill()
		return err
	}
	conn.SetReadDeadline(time.Time{})
	s.conn = conn
	go s.listen()
	return nil
}

func readMessage(conn *net.UnixConn) (m serverMessage, err error) {
	buf := make([]byte, 4096)
	n, err := conn.Read(buf)
	if err != nil {
		return m, err
	}
	return m, protocol.ReadMessage(buf[:n], &m)
}

// listen hands what the server tells to those who wait for it, until it ends.
func (s *server) listen() {
	for {
		m, err := readMessage(s.conn)
		s.mu.Lock()
		if err != nil {
			s.lose()
			s.mu.Unlock()
			return
		}
		if m.Event == "started" {
			s.running[m.ID] = &childProcess{pid: m.PID, done: make(chan struct{})}
		}
		if w := s.waiting[m.ID]; w != nil { // one that ends before it was started tells no reason
			w <- answer{program: s.running[m.ID], refusal: m.Reason}
			delete(s.waiting, m.ID)
		}
		if p := s.running[m.ID]; m.Event == "ended" && p != nil {
			p.status = syscall.WaitStatus(m.Status)
			close(p.done)
			delete(s.running, m.ID)
		}
		s.mu.Unlock()
	}
}

// lose tells all who wait that the server has ended.
func (s *server) lose() {
	s.conn.Close()
	close(s.over)
	for _, w := range s.waiting {
		w <- answer{refusal: "the server has ended", lost: true}
	}
	for _, p := range s.running {
		p.lost = true
		close(p.done)
	}
	s.waiting, s.running = nil, nil
}

// end ends a server that nobody uses, once it has started.
func (s *server) end() {
	go func() {
		if <-s.ready; s.conn != nil {
			s.conn.Close()
		}
	}()
}

// fork starts a program that prints to print. The error is errNotServed where the
// server cannot, and errServerLost where it ended meanwhile.
func (s *server) fork(w *runFolder, r forkRequest, print *os.File) (*childProcess, error) {
	s.mu.Lock()
	if s.waiting == nil {
		s.mu.Unlock()
		return nil, errNotServed
	}
	s.last++
	r.ID = s.last
	answered := make(chan answer, 1)
	s.waiting[r.ID] = answered
	s.mu.Unlock()
	if err := s.send(w.forkRequest(), r, print); err != nil {
		s.mu.Lock()
		delete(s.waiting, r.ID)
		s.mu.Unlock()
		return nil, err
	}
	a := <-answered
	switch {
	case a.lost:
		return nil, errServerLost
	case a.program == nil:
		return nil, fmt.Errorf("%w: %s", errNotServed, a.refusal)
	}
	return a.program, nil
}

func (s *server) send(path string, r forkRequest, print *os.File) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := write(path, text); err != nil {
		return err
	}
	if _, _, err := s.conn.WriteMsgUnix([]byte(path), syscall.UnixRights(int(print.Fd())), nil); err != nil {
		return errNotServed
	}
	return nil
}
