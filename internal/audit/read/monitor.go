package read

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// # Monitors
//
// Stable-Baselines3 writes a monitor.csv for each environment: a line of JSON with the time
// of the start, then an episode a row: return, length, seconds since the start. No row says
// the step. It is the number of steps of all environments together, in the order of time:
// so the files of a folder are merged, as SB3's own load_results does.

// maxMonitors bounds the environments whose files are open at once.
const maxMonitors = 512

// isMonitor reports whether it is an environment's monitor.
func isMonitor(f candidate) bool {
	return strings.HasSuffix(f.name(), "monitor.csv") && bytes.HasPrefix(f.head, []byte("#{"))
}

// addMonitor remembers a monitor; they are read when all of a folder are known.
func addMonitor(_ context.Context, c *collector, f candidate) error {
	group := f.dir()
	if len(c.monitors[group]) == maxMonitors {
		return errors.New("is one of more than 512 monitors in one folder")
	}
	c.monitors[group] = append(c.monitors[group], f)
	return nil
}

// episodes are the rows of one monitor.
type episodes struct {
	file  candidate
	table *table
	close io.Closer
	start float64
	at    float64 // when the row's episode ended
	rows  int64
	err   error
}

// readMonitors reads the monitors of a folder.
func (c *collector) readMonitors(ctx context.Context, files []candidate) error {
	var all []*episodes
	defer func() {
		for _, e := range all {
			e.close.Close()
		}
	}()
	for _, f := range files {
		e, err := openMonitor(f)
		if err != nil {
			c.unused(f.rel, err.Error())
			continue
		}
		all = append(all, e)
	}
	if len(all) == 0 {
		return nil
	}
	l := c.newLog(all[0].file, "monitor")
	steps := 0.0
	for ctx.Err() == nil {
		e := slices.MinFunc(all, func(a, b *episodes) int { return cmp.Compare(a.at, b.at) })
		if e.err != nil {
			break
		}
		steps = l.episode(e, steps)
		e.next()
	}
	c.noteMonitors(l, all)
	return ctx.Err()
}

// openMonitor reads up to the first episode.
func openMonitor(f candidate) (*episodes, error) {
	r, err := f.text()
	if err != nil {
		return nil, errors.New(trouble(err))
	}
	line, table, _ := bytes.Cut(f.head, []byte("\n"))
	e := &episodes{file: f, close: r}
	e.start = gjson.ParseBytes(bytes.TrimPrefix(line, []byte("#"))).Get("t_start").Num
	if _, err := io.CopyN(io.Discard, r, int64(len(line))+1); err != nil {
		r.Close()
		return nil, errors.New(trouble(err))
	}
	if e.table, err = openTable(r, table); err != nil {
		r.Close()
		return nil, err
	}
	e.next()
	return e, nil
}

// next reads an episode. At the end its time is after all others.
func (e *episodes) next() {
	if e.err = e.table.next(); e.err != nil {
		e.at = inf
		return
	}
	e.rows++
	e.at = e.start
	if i := slices.Index(e.table.names, "t"); i >= 0 && i < len(e.table.cells) {
		if t, _, ok := parseCell(e.table.cells[i]); ok && t < inf {
			e.at += t
		}
	}
}

// episode puts an episode into the log and returns the steps up to its end.
func (l *log) episode(e *episodes, steps float64) float64 {
	for i, cell := range e.table.cells {
		if i >= len(e.table.names) || e.table.names[i] == "t" {
			continue
		}
		v, ok := truth(cell)
		if !ok {
			continue
		}
		if name := e.table.names[i]; name == "l" && v >= 0 && v < 1<<40 {
			steps += v
			l.put(name, v)
		} else {
			l.put(name, v)
		}
	}
	l.put("total_timesteps", steps)
	l.end()
	return steps
}

// truth reads a number, or Python's True and False.
func truth(cell string) (float64, bool) {
	switch strings.TrimSpace(cell) {
	case "True", "true":
		return 1, true
	case "False", "false":
		return 0, true
	}
	v, _, ok := parseCell(cell)
	return v, ok
}

// noteMonitors makes a source of each file, and keeps the log.
func (c *collector) noteMonitors(l *log, all []*episodes) {
	for i, e := range all {
		if i > 0 {
			l.next(e.file)
		}
		l.Records = e.rows
		if e.err != io.EOF {
			l.Bad++
			l.note("%s", tableTrouble(e.err))
		}
	}
	if len(all) > 1 {
		l.note("the monitors of %d environments were merged by time; a step is one of any of them", len(all))
	}
	if err := c.keep(l); err != nil {
		c.unused(l.Path, err.Error())
	}
}
