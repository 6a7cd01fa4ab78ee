package read

import (
	"context"
	"errors"
	"io"
	"strings"
)

// # Events of TensorBoard
//
// A file is a sequence of records, each an Event: a step, and a Summary of values, each with
// a tag. Files of one folder are one run, written by one process after the other; where a
// writer was told to, it starts with the step from which on older values no longer hold.

// Fields of Event, Summary and its values.
const (
	eventStep    = 2
	eventSummary = 5
	eventSession = 7
	summaryValue = 1
	valueTag     = 1
	valueSimple  = 2
	valueTensor  = 8
	sessionState = 1
	sessionStart = 1
)

// isEvents reports whether the file is one of TensorBoard's.
func isEvents(f candidate) bool { return strings.Contains(f.name(), ".tfevents.") }

// readEvents reads the scalars of an event file.
func readEvents(ctx context.Context, c *collector, f candidate) error {
	r, err := f.bytes()
	if err != nil {
		return errors.New(trouble(err))
	}
	defer r.Close()
	l := c.open["tensorboard in "+f.dir()]
	if l != nil {
		l.next(f)
	} else {
		l = c.newLog(f, "tensorboard")
		c.open["tensorboard in "+f.dir()] = l
	}
	e := events{log: l, records: tfRecords{r: r}}
	return e.read(ctx)
}

// events reads the records of one file.
type events struct {
	log     *log
	records tfRecords
	tags    map[string]string // so that a tag is allocated once
	strange int64             // records that are no events
}

func (e *events) read(ctx context.Context) error {
	e.tags = map[string]string{}
	var err error
	for err == nil {
		var data []byte
		if data, err = e.records.next(); data != nil && e.event(data) != nil {
			e.strange++
		}
		if e.records.records%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	e.note(err)
	return nil
}

func (e *events) note(err error) {
	l := e.log
	l.Records, l.Bad = e.records.records, e.records.bad+e.strange
	switch {
	case err == io.EOF:
	case errors.Is(err, errCut):
		l.Bad++
		l.note("ends in the middle of a record: the rest was read")
	default:
		l.Bad++
		l.note("%s: what came before was read", err)
	}
	if n := e.records.bad; n > 0 {
		l.note("%s damaged (checksum) and left out", were(n, "record"))
	}
	if e.strange > 0 {
		l.note("%s no events and left out", were(e.strange, "record"))
	}
}

// argsTag is the tag under which transformers' Trainer writes its arguments, as JSON.
const argsTag = "args/text_summary"

// settings reads the trainer's arguments from a tensor that holds a text.
func (e *events) settings(tensor []byte) {
	fields(tensor, func(f field) error {
		if f.number == tensorString {
			e.log.c.configJSON(e.log.Path, f.bytes)
		}
		return nil
	})
}

// event reads one event.
func (e *events) event(data []byte) error {
	step, purge := int64(0), false
	var summary []byte
	err := fields(data, func(f field) error {
		switch f.number {
		case eventStep:
			step = int64(f.bits)
		case eventSummary:
			summary = f.bytes
		case eventSession:
			return fields(f.bytes, func(s field) error {
				purge = purge || s.number == sessionState && s.bits == sessionStart
				return nil
			})
		}
		return nil
	})
	if err != nil || step < 0 {
		return errWire
	}
	if purge && step > 0 {
		e.log.purge(step)
	}
	return fields(summary, func(f field) error {
		if f.number != summaryValue {
			return nil
		}
		return e.value(f.bytes, step)
	})
}

// value reads one value of a summary.
func (e *events) value(data []byte, step int64) error {
	var tag []byte
	v, found := 0.0, false
	err := fields(data, func(f field) error {
		switch f.number {
		case valueTag:
			tag = f.bytes
		case valueSimple:
			v, found = f.float(), true
		case valueTensor:
			if v, found = scalarTensor(f.bytes); !found && strings.HasSuffix(string(tag), argsTag) {
				e.settings(f.bytes)
			}
		}
		return nil
	})
	if err == nil && found && len(tag) > 0 {
		name, ok := e.tags[string(tag)]
		if !ok && len(e.tags) < 8*maxUnknown {
			name = string(tag)
			e.tags[name] = name
		} else if !ok {
			name = string(tag)
		}
		e.log.value(name, step, v)
	}
	return err
}
