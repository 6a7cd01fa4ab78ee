package cli

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progressDelay is how long a check runs before the bar appears: most are done
// by then.
const progressDelay = time.Second

// progressBar shows how much is done, on a terminal and for long work only. Its methods may
// be called by several goroutines.
type progressBar struct {
	mu     sync.Mutex
	out    io.Writer
	name   string
	counts decor.Decorator
	pool   *drawing
	bar    *mpb.Bar
	timer  *time.Timer
	done   int64
	total  int64
	closed bool
}

// drawing is what mpb draws on a terminal, a line below the cursor. mpb erases from its first line to
// the end of the screen, and tmux puts a screen that is erased as a whole into its scrollback: a
// copy each time that something is drawn on a screen that was just cleared.
type drawing struct {
	*mpb.Progress
	out     io.Writer
	written atomic.Bool
}

func draw(out io.Writer, options ...mpb.ContainerOption) *drawing {
	d := &drawing{Progress: mpb.New(append(options, mpb.WithOutput(out))...), out: out}
	if runtime.GOOS == "windows" { // which has no tmux, and may know no escape sequences
		d.written.Store(true)
	} else {
		io.WriteString(out, "\n")
	}
	return d
}

// Write writes above what is drawn.
func (d *drawing) Write(p []byte) (int, error) {
	d.written.Store(true)
	return d.Progress.Write(p)
}

// Wait waits until nothing is drawn any more, and goes back to where it began.
func (d *drawing) Wait() {
	d.Progress.Wait()
	if !d.written.Load() {
		io.WriteString(d.out, "\x1b[1A")
	}
}

// checkBar shows how many files are checked. There is a bar from the first of them until
// close, after which there may be another.
type checkBar struct {
	*app
	quiet bool
	bar   *progressBar
}

func (c *checkBar) set(done, total int) {
	if c.bar == nil {
		c.bar = c.newProgress("checking ", decor.CountersNoUnit("%d / %d files"), int64(total), c.quiet)
	}
	c.bar.set(int64(done), int64(total))
}

func (c *checkBar) close() {
	if c.bar != nil {
		c.bar.close()
		c.bar = nil
	}
}

// newProgress shows how much of a total is done.
func (a *app) newProgress(name string, counts decor.Decorator, total int64, quiet bool) *progressBar {
	b := &progressBar{out: a.Stderr, name: name, counts: counts, total: total}
	if a.IsTerminal(a.Stderr) && !quiet && a.Getenv("TERM") != "dumb" {
		b.timer = time.AfterFunc(progressDelay, b.show)
	}
	return b
}

func (b *progressBar) show() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.pool = draw(b.out, mpb.WithWidth(40))
	b.bar = b.pool.AddBar(b.total, mpb.BarRemoveOnComplete(), mpb.PrependDecorators(decor.Name(b.name)), mpb.AppendDecorators(b.counts))
	b.bar.SetCurrent(b.done)
}

// set moves the bar.
func (b *progressBar) set(done, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done, b.total = done, total
	if b.bar != nil && !b.closed {
		b.bar.SetTotal(total, false)
		b.bar.SetCurrent(done)
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
