// Package unanswered knows which requests of a client have no answer yet, so that one that says no
// more, as a program at the end of a pipe, still gets its answers.
//
// Input: the ids of requests and of answers. Output: the moment when nothing is left to answer.
package unanswered

import (
	"sync"
	"time"
)

// Patience bounds how long the calls of a client go on that says no more: it may be gone, and
// a server must not survive it for long.
const Patience = 30 * time.Second

// Requests are those without an answer. They may be used by several goroutines.
type Requests struct {
	mu   sync.Mutex
	ids  map[any]bool
	less chan struct{} // closed by the next answer
}

// New has no requests.
func New() *Requests {
	return &Requests{ids: map[any]bool{}, less: make(chan struct{})}
}

// Asked notes a request.
func (r *Requests) Asked(id any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids[id] = true
}

// Answered notes an answer.
func (r *Requests) Answered(id any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.ids, id)
	close(r.less)
	r.less = make(chan struct{})
}

// Wait waits until every request has its answer, for so long at most, or until over is closed.
func (r *Requests) Wait(over <-chan struct{}, most time.Duration) {
	late := time.After(most)
	for {
		left, less := r.left()
		if left == 0 {
			return
		}
		select {
		case <-less:
		case <-over:
			return
		case <-late:
			return
		}
	}
}

func (r *Requests) left() (int, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ids), r.less
}
