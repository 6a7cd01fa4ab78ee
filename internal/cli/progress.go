package cli

import (
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progressDelay is how long a check runs before the bar appears: most are done
// by then.
const progressDelay = time.Second

// progressBar shows how many files are done, on a terminal and for long checks
// only. Its methods may be called by several goroutines.
type progressBar struct {
	mu     sync.Mutex
	pool   *mpb.Progress
	bar    *mpb.Bar
	timer  *time.Timer
	done   int
	total  int
	closed bool
}

func (s *session) progress(total int) *progressBar {
	b := &progressBar{total: total}
	if s.IsTerminal(s.Stderr) && !s.flags.quiet && s.Getenv("TERM") != "dumb" {
		b.timer = time.AfterFunc(progressDelay, func() { b.show(s) })
	}
	return b
}

func (b *progressBar) show(s *session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.pool = mpb.New(mpb.WithOutput(s.Stderr), mpb.WithWidth(40))
	b.bar = b.pool.AddBar(int64(b.total), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name("checking ")), mpb.AppendDecorators(decor.CountersNoUnit("%d / %d files")))
	b.bar.SetCurrent(int64(b.done))
}

// set moves the bar.
func (b *progressBar) set(done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done, b.total = done, total
	if b.bar != nil && !b.closed {
		b.bar.SetTotal(int64(total), false)
		b.bar.SetCurrent(int64(done))
	}
}

// close removes the bar.
func (b *progressBar) close() {
	b.mu.Lock()
	b.closed = true
	pool, bar := b.pool, b.bar
	b.mu.Unlock()
	if b.timer != nil {
		b.timer.Stop()
	}
	if pool != nil {
		bar.Abort(true)
		pool.Wait()
	}
}
