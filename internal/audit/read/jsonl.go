package read

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/tidwall/gjson"
)

// readJSONLines reads one object a line: names and numbers, or verl's {"step", "data"}.
func readJSONLines(ctx context.Context, c *collector, f candidate) error {
	r, err := f.text()
	if err != nil {
		return errors.New(trouble(err))
	}
	defer r.Close()
	l, texts, in := c.newLog(f, "jsonl"), c.newTexts(f, "jsonl"), newLines(r)
	var bad damage
	for in.next() {
		if in.number%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line := bytes.TrimSpace(in.line)
		if len(line) == 0 {
			continue
		}
		o, ok := parseObject(line)
		if !ok {
			bad.add(in.number)
			continue
		}
		bad.last = 0
		if in.number == 1 && isJudgements(keys(o)) {
			return c.judgements(f)
		}
		l.putLine(o, texts)
	}
	in.note(l)
	bad.note(l, !in.whole)
	return c.keepEither(l, texts)
}

// keepEither keeps what a file of objects turned out to hold: metrics, completions, or both.
func (c *collector) keepEither(l *log, t *texts) error {
	if t.Records == 0 {
		return c.keep(l)
	}
	if l.Records == 0 || c.keep(l) != nil {
		t.Notes, t.Bad = append(t.Notes, l.Notes...), l.Bad
	}
	return c.keepTexts(t)
}

// putLine puts a line's numbers, or its completion.
func (l *log) putLine(o gjson.Result, t *texts) {
	if strings.Contains(o.Raw, `"data"`) {
		if data, step := o.Get("data"), o.Get("step"); data.IsObject() && step.Exists() {
			if l.Format = "verl"; step.Type == gjson.Number {
				l.put("step", step.Num)
			}
			l.putVerl(data)
			l.end()
			return
		}
	}
	l.putRow(o, t)
}

// putRow puts an object's numbers, or its completion.
func (l *log) putRow(o gjson.Result, t *texts) {
	if l.putObject(o, "", 0) && t.object(o) {
		l.clock.clear()
		return
	}
	l.end()
}

// putVerl puts the numbers of verl's file logger.
func (l *log) putVerl(data gjson.Result) {
	data.ForEach(func(key, v gjson.Result) bool {
		n, ok := number(v)
		if v.Type == gjson.Null {
			l.missing(key.Str)
		}
		if ok && key.Str != "training/global_step" {
			l.put(key.Str, n)
		}
		return true
	})
}

// damage counts records that could not be read.
type damage struct {
	n, first, last int64
}

func (d *damage) add(line int64) {
	if d.n++; d.first == 0 {
		d.first = line
	}
	d.last = line
}

// note says of a source what was damaged. open says that the last line had no end.
func (d *damage) note(l *log, open bool) {
	l.Bad += d.n
	if d.n > 0 && d.last > 0 && open {
		l.note("ends in the middle of a record, at line %d: the rest was read", d.last)
		if d.n--; d.first == d.last {
			return
		}
	}
	if d.n > 0 {
		l.note("%s not JSON, and left out, the first at line %d", were(d.n, "line"), d.first)
	}
}

// keys returns the names in an object.
func keys(o gjson.Result) []string {
	var names []string
	o.ForEach(func(key, _ gjson.Result) bool {
		names = append(names, key.Str)
		return true
	})
	return names
}
