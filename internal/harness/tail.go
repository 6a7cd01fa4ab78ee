package harness

import (
	"os"
	"sync"
)

// tail is a file that keeps the beginning and the end of what is written to it, about
// half of its limit each: a program may print gigabytes.
type tail struct {
	mu    sync.Mutex
	file  *os.File
	limit int64
	size  int64
	ring  []byte // the end, once the beginning is full
	at    int
	lost  bool
}

func newTail(path string, limit int64) (*tail, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	return &tail{file: f, limit: limit}, err
}

// Write never fails, so that the program is not disturbed.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if left := t.limit/2 - t.size; left > 0 {
		k := min(int64(len(p)), left)
		t.file.Write(p[:k])
		t.size += k
		p = p[k:]
	}
	if len(p) > 0 {
		t.keep(p)
	}
	return n, nil
}

// keep puts p at the end of the ring.
func (t *tail) keep(p []byte) {
	if t.ring == nil {
		t.ring = make([]byte, 0, t.limit/2)
	}
	if over := len(p) - cap(t.ring); over > 0 {
		p, t.lost = p[over:], true
	}
	room := min(len(p), cap(t.ring)-len(t.ring))
	t.ring, p = append(t.ring, p[:room]...), p[room:]
	for len(p) > 0 {
		n := copy(t.ring[t.at:], p)
		t.at, p, t.lost = (t.at+n)%cap(t.ring), p[n:], true
	}
}

// Close writes the end.
func (t *tail) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lost {
		t.file.WriteString("\n[... output left out ...]\n")
	}
	t.file.Write(t.ring[t.at:])
	t.file.Write(t.ring[:t.at])
	return t.file.Close()
}

// text closes the file and returns what it holds.
func (t *tail) text() string {
	t.Close()
	text, _ := os.ReadFile(t.file.Name())
	return string(text)
}
