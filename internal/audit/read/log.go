package read

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// maxUnknown bounds the metrics of a run whose names nobody knows.
const maxUnknown = 256

// headPoints are kept of each series as they were logged, to compare sources by.
const headPoints = 512

// track is a series that is being read.
type track struct {
	*record.Series
	// logged says that there is a value, the last one at step last.
	logged bool
	last   int64
	value  float64
	// several counts the values that replaced another one of the same step.
	several int64
	// head are the first values, unmerged.
	head []record.Point
}

func (t *track) add(step int64, value float64) {
	if t.logged && t.last == step && t.value != value {
		t.several++
	}
	t.logged, t.last, t.value = true, step, value
	t.Series.Add(step, value)
	switch n := len(t.head); {
	case math.IsNaN(value) || math.IsInf(value, 0):
	case n > 0 && t.head[n-1].Step == step:
		t.head[n-1].Value = value
	case n < headPoints:
		t.head = append(t.head, record.Point{Step: step, Value: value, Count: 1})
	}
}

func (t *track) rewind(step int64) {
	t.Series.Rewind(step)
	keep := len(t.head)
	for keep > 0 && t.head[keep-1].Step >= step {
		keep--
	}
	t.head = t.head[:keep]
	t.logged, t.several = false, 0
	if last, ok := t.Last(); ok {
		t.logged, t.last, t.value = true, last.Step, last.Value
	}
}

// log is a source of metrics that is being read: rows go in, series come out.
type log struct {
	record.Source
	c      *collector
	tracks map[string]*track
	names  []string // in the order in which they came
	lane   *lane    // nil where each metric has its own
	lanes  map[*track]*lane
	clock  clock
	// left are the metrics beyond the bound.
	left map[string]bool
	file candidate
}

// newLog starts a source of metrics.
func (c *collector) newLog(f candidate, format string) *log {
	l := &log{c: c, tracks: map[string]*track{}, left: map[string]bool{}, file: f}
	l.Source = record.Source{Path: f.rel, Format: format, Notes: []string{}}
	l.lane = &lane{width: rowWindow, tracks: l.all}
	l.clock.init(l)
	return l
}

func (l *log) all() []*track {
	tracks := make([]*track, 0, len(l.names))
	for _, name := range l.names {
		tracks = append(tracks, l.tracks[name])
	}
	return tracks
}

// note adds a line about the source, once.
func (l *log) note(format string, a ...any) {
	if line := fmt.Sprintf(format, a...); !slices.Contains(l.Notes, line) {
		l.Notes = append(l.Notes, line)
	}
}

// track returns the series of a name, nil where there are too many.
func (l *log) track(name string) *track {
	if t, ok := l.tracks[name]; ok {
		return t
	}
	if !l.c.known(name) {
		if l.left[name] || l.c.unknown >= maxUnknown {
			if len(l.left) < maxUnknown {
				l.left[strings.Clone(name)] = true
			}
			return nil
		}
		l.c.unknown++
	}
	name = strings.Clone(name) // it may be a piece of a large line
	t := &track{Series: record.NewSeries(l.Path, name)}
	l.tracks[name] = t
	l.names = append(l.names, name)
	return t
}

// value takes a value with a step of its own, where each metric has its own clock.
func (l *log) value(name string, step int64, value float64) {
	t := l.track(name)
	if t == nil {
		return
	}
	own, ok := l.lanes[t]
	if !ok {
		if l.lanes == nil {
			l.lanes = map[*track]*lane{}
		}
		own = &lane{width: valueWindow, tracks: func() []*track { return []*track{t} }}
		l.lanes[t] = own
	}
	own.add(step, []sample{{t, value}})
}

// close ends the source and says what was found about its steps.
func (l *log) close() {
	l.clock.close()
	lanes := []*lane{l.lane}
	for _, name := range l.names {
		if own := l.lanes[l.tracks[name]]; own != nil {
			lanes = append(lanes, own)
		}
	}
	for _, own := range lanes {
		own.close()
	}
	l.noteOrder(lanes)
	l.noteValues()
	if len(l.left) > 0 {
		l.note("has more than %d metrics with unknown names: %d of them were left out, such as %q; give the ones you need a meaning in the settings", maxUnknown, len(l.left), first(l.left))
	}
}

// noteOrder says where training went back, and which rows were out of order.
func (l *log) noteOrder(lanes []*lane) {
	var sorted, dropped int64
	var back []restart
	for _, own := range lanes {
		sorted, dropped = sorted+own.sorted, dropped+own.dropped
		for _, r := range own.restarts {
			if !slices.ContainsFunc(back, func(b restart) bool { return b.to == r.to }) {
				back = append(back, r)
			}
		}
	}
	for i, r := range back {
		if i == 3 {
			l.note("training went back %d times in all: if several runs or processes write to one file, give each its own", len(back))
			break
		}
		l.note("training went back from step %d to %d: what had been logged from there on was dropped", r.from, r.to)
	}
	if sorted > 0 {
		l.note("%d of %d records were out of order and were sorted", sorted, max(l.Records, sorted))
	}
	if dropped > 0 {
		l.note("%d records came too late to be sorted in and were left out", dropped)
	}
}

// noteValues says of the metrics which have several values at a step.
func (l *log) noteValues() {
	var names []string
	most := int64(0)
	for _, name := range l.names {
		if t := l.tracks[name]; t.several > 0 {
			names, most = append(names, name), max(most, t.several)
		}
	}
	if len(names) > 0 {
		l.note("%s %s several values at one step, %d times at most: the last one is used", list(names), have(len(names)), most)
	}
}
