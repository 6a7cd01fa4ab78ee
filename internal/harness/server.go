package harness

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// # Servers
//
// To import torch takes longer than most runs. A server is a Python that has imported it,
// and from which programs are forked (py/rlvet_harness/serve.py). It is started for the
// first run that can use it, serves those with the same Python and the same environment,
// and ends when nobody has used it for a while or when this process ends. The hash seed
// is part of the environment and cannot change later, so that each seed has its server.
//
// A fork must be what a fresh process is. So there are no servers where CUDA is used, whose
// state does not survive a fork, under bubblewrap, which isolates from the start, and on
// systems other than Linux. The Python side refuses more. Whatever a server does not serve
// gets a process of its own.

// ofTheRun are the variables of the environment that differ from run to run, and that
// nothing reads while torch is imported.
var ofTheRun = []string{"TMPDIR", "RLVET_EVENTS", "RLVET_LOOPBACK", "CUDA_VISIBLE_DEVICES", "PWD", mark}

const (
	mostServers = 6           // at a time; each holds some 200 MB
	idleTime    = time.Minute // after which a server ends
)

// pool are the servers of this process.
type pool struct {
	mu      sync.Mutex
	servers map[[32]byte]*server
}

var servers = pool{servers: map[[32]byte]*server{}}

// errNotServed says that a server could not start a run, or ended during it.
var errNotServed = errors.New("the server does not serve this run")

// errServerLost says that a server ended while it started a run. The program may have begun,
// and have printed, so that nothing of the run can be used.
var errServerLost = fmt.Errorf("%w: it has ended", errNotServed)

// served reports whether a run may be forked from a server.
func (u Unit) served(isolation Isolation) bool {
	p := u.Plan
	return runtime.GOOS == "linux" && isolation != Bubblewrap && filepath.IsAbs(p.Python.Path) && (p.Device == "cpu" || len(p.Python.Devices) == 0)
}

// environmentOfServer are the variables that programs with the environment env share, and
// with them the import of torch; it is false where the import depends on the folder in which
// a program starts. own is the archive that the harness puts on the path.
func environmentOfServer(env []string, own string) (shared []string, ok bool) {
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case name == "PYTHONPATH":
			value = strings.TrimPrefix(strings.TrimPrefix(value, own), string(filepath.ListSeparator))
			if value == "" {
				continue
			}
			if slices.ContainsFunc(filepath.SplitList(value), func(p string) bool { return !filepath.IsAbs(p) }) {
				return nil, false
			}
			shared = append(shared, name+"="+value)
		case !slices.Contains(ofTheRun, name):
			shared = append(shared, kv)
		}
	}
	slices.Sort(shared)
	return append(shared, mark+"="+strings.Repeat("-", roomForMark)), true
}

// roomForMark is the length of the place for the mark in the memory of a server.
const roomForMark = 64

// acquire returns a server for programs of a Python in an environment, starting it where there
// is none, or nil where none serves them. Whoever gets one releases it.
func (p *pool) acquire(ctx context.Context, python string, env []string) *server {
	key := sha256.Sum256([]byte(python + "\x00" + strings.Join(env, "\x00")))
	p.mu.Lock()
	s := p.servers[key]
	if s == nil || s.hasEnded() {
		if !p.makeRoom() {
			p.mu.Unlock()
			return nil
		}
		s = newServer()
		p.servers[key] = s
		go s.start(python, env)
	}
	s.users++
	p.mu.Unlock()
	select {
	case <-s.ready:
	case <-ctx.Done():
	}
	if ctx.Err() != nil || s.refusal != nil {
		p.release(s)
		return nil
	}
	return s
}

// acquireServer returns a server for a run with the environment env, or nil.
func acquireServer(ctx context.Context, python string, env []string, w *runFolder) *server {
	shared, ok := environmentOfServer(env, w.python())
	if !ok {
		return nil
	}
	return servers.acquire(ctx, python, shared)
}

// release hands a server back.
func (p *pool) release(s *server) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.users--
	s.used = time.Now()
	time.AfterFunc(idleTime, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if s.users == 0 && time.Since(s.used) >= idleTime {
			p.remove(s)
		}
	})
}

// makeRoom ends the server that was not used for longest where there are too many. It is
// false where all are in use.
func (p *pool) makeRoom() bool {
	for len(p.servers) >= mostServers {
		var oldest *server
		for _, s := range p.servers {
			if s.users == 0 && (oldest == nil || s.used.Before(oldest.used)) {
				oldest = s
			}
		}
		if oldest == nil {
			return false
		}
		p.remove(oldest)
	}
	return true
}

func (p *pool) remove(s *server) {
	for key, other := range p.servers {
		if other == s {
			delete(p.servers, key)
		}
	}
	s.end()
}
