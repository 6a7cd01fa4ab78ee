package read

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/names"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// maxUnknown bounds the metrics of a run whose names nobody knows.
const maxUnknown = 256

// maxLeft bounds the names of those that are left out, which are kept so that each is looked up
// once; maxName is longer than any metric's name.
const (
	maxLeft = 1 << 15
	maxName = 1000
)

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

// absent stands for a null of a log: a NaN of its own, told apart by its bits.
var absent = math.Float64frombits(0x7ff8_0000_6e75_6c6c)

func isAbsent(value float64) bool { return math.Float64bits(value) == math.Float64bits(absent) }

func (t *track) add(step int64, value float64) {
	if isAbsent(value) {
		t.Miss(step)
		return
	}
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
	one    [1]sample
	clock  clock
	// left are the metrics beyond the bound.
	left map[string]bool
	file candidate
	// evaluation says that the file's name says so: its metrics get the prefix eval_.
	evaluation bool
	// writer is who wrote it, once that was asked.
	writer *names.Trainer
	// others are further files of the same log.
	others []record.Source
}

// newLog starts a source of metrics.
func (c *collector) newLog(f candidate, format string) *log {
	l := &log{c: c, tracks: map[string]*track{}, left: map[string]bool{}, file: f}
	l.Source = record.Source{Path: f.rel, Format: format, Notes: []string{}}
	l.lane = &lane{width: rowWindow, tracks: l.all}
	l.clock.init(l)
	if l.evaluation = ofEvaluation(f, format); l.evaluation {
		l.note("its name says that it logs an evaluation: its metrics count as such")
	}
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
	switch {
	case l.left[name], len(name) > maxName:
		return nil
	case l.c.known(name):
	case l.c.unknown >= maxUnknown:
		if len(l.left) < maxLeft {
			l.left[strings.Clone(name)] = true
		}
		return nil
	default:
		l.c.unknown++
	}
	key := strings.Clone(name) // it may be a piece of a large line
	name = key
	if l.evaluation && !strings.HasPrefix(name, "eval") {
		name = "eval_" + name
	}
	t := &track{Series: record.NewSeries(l.Path, name)}
	if len(l.others) > 0 {
		t.Source = l.others[0].Path
	}
	l.tracks[key] = t
	l.names = append(l.names, key)
	return t
}

// missing takes a null, where its name is that of a metric.
func (l *log) missing(name string) {
	if l.tracks[name] != nil || l.c.known(name) {
		l.put(name, absent)
	}
}

// next goes on with a further file of the same log. Steps that go back there are a restart.
func (l *log) next(f candidate) {
	l.others = append(l.others, l.Source)
	l.Source = record.Source{Path: f.rel, Format: l.Format, Notes: []string{}}
	l.file = f
	for _, own := range l.lanes {
		own.settle()
		own.again = true
	}
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
	l.one[0] = sample{t, value}
	own.add(step, l.one[:])
}

// purge drops what was logged at a step and after it: the writer said so.
func (l *log) purge(step int64) {
	l.note("training went back to step %d: what had been logged from there on was dropped", step)
	for _, t := range l.all() {
		if own := l.lanes[t]; own != nil {
			own.purge(step)
		}
		t.rewind(step)
	}
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
	if n := len(l.left); n > 0 {
		l.note("has more than %d metrics with unknown names: %d of them were left out, such as %q; say of those you need what they measure by --metric NAME=QUANTITY", maxUnknown, n, first(l.left))
	}
}

// finish closes the source. It fails where there are no metrics in it, and says why.
func (l *log) finish() error {
	l.close()
	for _, t := range l.all() {
		if !t.logged && t.NonFinite == 0 && len(t.Restarts) == 0 {
			l.remove(t)
		}
	}
	if len(l.names) > 0 {
		return nil
	}
	reason := "holds no numbers by step"
	if len(l.Notes) > 0 {
		reason += "; " + l.Notes[0]
	}
	return errors.New(reason)
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
	l.noteNonFinite()
	l.noteMissing()
	if len(names) > 0 {
		l.note("%s %s several values at one step, %d times at most: the last one is used", list(names), have(len(names)), most)
	}
}

// noteMissing says of the metrics which are null now and then, and that this may stand for NaN.
func (l *log) noteMissing() {
	count, step := int64(0), int64(math.MaxInt64)
	var names []string
	for _, name := range l.names {
		if t := l.tracks[name]; t.Missing > 0 {
			count, step, names = count+t.Missing, min(step, t.FirstMissing), append(names, name)
		}
	}
	writer := "some loggers write null"
	if l.Format == "verl" {
		writer = "verl writes null"
	}
	if count > 0 {
		l.note("%s missing (null), of %s, the first at step %d; %s for NaN, too", were(count, "value"), list(names), step, writer)
	}
}

// noteNonFinite says of the metrics that were not finite numbers.
func (l *log) noteNonFinite() {
	count, step := int64(0), int64(math.MaxInt64)
	var names []string
	for _, name := range l.names {
		if t := l.tracks[name]; t.NonFinite > 0 {
			count, step, names = count+t.NonFinite, min(step, t.FirstNonFinite), append(names, name)
		}
	}
	if count > 0 {
		l.note("%s NaN or infinite, of %s, the first at step %d", were(count, "value"), list(names), step)
	}
}
