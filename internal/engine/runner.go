package engine

import "context"

// runner runs functions one after the other on a goroutine of its own, which is
// given up when a function overruns its time. Keeping the goroutine keeps its
// stack, which deep recursion has grown.
type runner struct{ jobs chan job }

type job struct {
	f    func()
	done chan struct{}
}

// do runs f and reports whether it ended before ctx.
func (r *runner) do(ctx context.Context, f func()) bool {
	if r.jobs == nil {
		r.jobs = make(chan job)
		go serve(r.jobs)
	}
	j := job{f, make(chan struct{})}
	r.jobs <- j
	select {
	case <-j.done:
		return true
	case <-ctx.Done():
	}
	select {
	case <-j.done: // both were ready
		return true
	default:
		r.close() // the goroutine ends when f does
		return false
	}
}

func (r *runner) close() {
	if r.jobs != nil {
		close(r.jobs)
		r.jobs = nil
	}
}

func serve(jobs <-chan job) {
	for j := range jobs {
		j.f()
		close(j.done)
	}
}
