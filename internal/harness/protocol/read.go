package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The bounds of what is read. Python keeps far below both.
const (
	maxLine   = 64 << 10
	maxEvents = 100000
)

// Fault is the first thing in a stream of events that is not of the protocol. Nothing in such
// a stream proves anything.
type Fault struct {
	Line int    // from 1
	What string // what is wrong
	Help string // what to do about it
}

// Error returns it as one line.
func (f *Fault) Error() string {
	return fmt.Sprintf("line %d of its events %s; %s", f.Line, f.What, f.Help)
}

// What helps against each kind of fault.
const (
	helpForeign = "the program, or a library, writes to rlvet's pipe: it must not write to descriptors that it did not open"
	helpOther   = "Python imports another rlvet_harness: unset PYTHONPATH, or remove that package (python -c \"import rlvet_harness; print(rlvet_harness.__file__)\" shows it)"
	helpCut     = "a process died while it wrote: run again with more memory"
)

// Read calls yield for each event until the pipe is closed, and returns nil, or at the first fault,
// which it returns. targets are the numbers that events may speak of. Whoever gets a fault reads
// the pipe to its end, so that no writer waits.
func Read(r io.Reader, targets []int, yield func(Event)) *Fault {
	in := bufio.NewReaderSize(r, maxLine)
	state := order{targets: targets, state: map[Sender]int{}}
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		fault := &Fault{Line: n}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			fault.What, fault.Help = fmt.Sprintf("is longer than %d bytes", maxLine), helpForeign
		case err == io.EOF:
			fault.What, fault.Help = fmt.Sprintf("was cut off after %d bytes", len(line)), helpCut
		case err != nil: // we closed the pipe ourselves
			return nil
		case n > maxEvents:
			fault.What, fault.Help = fmt.Sprintf("comes after %d others, which is too many", maxEvents), helpForeign
		default:
			var e Event
			if e, fault.What, fault.Help = decode(line); e != nil {
				fault.What, fault.Help = state.take(e)
			}
			if fault.What == "" {
				yield(e)
				continue
			}
		}
		return fault
	}
}

// bare finds the numbers that Python's json writes and JSON does not have.
var bare = regexp.MustCompile(`[:\[,]\s*(NaN|-?Infinity)\b`)

// decode reads one line. Without an event it says what is wrong with the line, and what helps.
func decode(line []byte) (e Event, what, help string) {
	line = bytes.TrimRight(line, "\r\n")
	if !utf8.Valid(line) {
		return nil, "is not UTF-8: " + excerpt(line), helpForeign
	}
	var value map[string]any
	if err := json.Unmarshal(line, &value); err != nil || value == nil {
		if m := bare.FindSubmatch(line); m != nil {
			return nil, fmt.Sprintf("holds %s, which JSON does not have", m[1]), helpOther
		}
		return nil, "is no JSON object: " + excerpt(line), helpForeign
	}
	name, _ := value["event"].(string)
	if spoken, ok := value["protocol"].(float64); name == "hello" && (!ok || spoken != Version) {
		if !ok {
			return nil, fmt.Sprintf("names no version of the protocol; this rlvet speaks version %d", Version), helpOther
		}
		return nil, fmt.Sprintf("is of version %v of the protocol; this rlvet speaks version %d", spoken, Version), helpOther
	}
	if newEvent[name] == nil {
		return nil, "is no event that rlvet knows: " + excerpt(line), helpForeign
	}
	if err := validate(name, value); err != nil {
		return nil, fmt.Sprintf("is no valid %q event (%s)", name, brief(err)), helpForeign
	}
	e = newEvent[name]()
	if err := json.Unmarshal(line, e); err != nil {
		return nil, fmt.Sprintf("is no valid %q event (%v)", name, err), helpForeign
	}
	return e, "", ""
}

// excerpt is the beginning of a line, printable.
func excerpt(line []byte) string {
	const most = 60
	if len(line) > most {
		return fmt.Sprintf("%+q ...", line[:most])
	}
	return fmt.Sprintf("%+q", line)
}

// property finds the properties on the way into a value; the last one is what is wrong.
var property = regexp.MustCompile(`/properties/([^/: ]+)`)

// brief is what a schema says against a value, which may be long: "hits: type: 4 has type ...".
func brief(err error) string {
	text := err.Error()
	at := ""
	if found := property.FindAllStringSubmatch(text, -1); found != nil {
		at = found[len(found)-1][1] + ": "
	}
	if i := strings.LastIndex(text, "validating "); i >= 0 {
		_, text, _ = strings.Cut(text[i:], ": ")
	}
	return at + strings.ToValidUTF8(text[:min(len(text), 200)], "")
}

// order holds events to their order: a process says hello first, and nothing after its end.
type order struct {
	targets []int
	state   map[Sender]int
}

const (
	silent = iota // no hello yet
	telling
	ended
)

// take takes the next event, and says what is wrong with its place, if anything.
func (o *order) take(e Event) (what, help string) {
	p := e.From()
	if _, hello := e.(*Hello); hello {
		o.state[p] = telling
		return "", ""
	}
	whose := "the first process"
	if p.Process != "" {
		whose = fmt.Sprintf("process %q", p.Process)
	}
	switch o.state[p] {
	case silent:
		return fmt.Sprintf("is out of order: %s has not said hello", whose), helpForeign
	case ended:
		return fmt.Sprintf("is out of order: %s has ended", whose), helpForeign
	}
	if id := TargetID(e); id >= 0 && !slices.Contains(o.targets, id) {
		return fmt.Sprintf("speaks of target %d, which is not in the request", id), helpOther
	}
	if _, end := e.(*End); end {
		o.state[p] = ended
	}
	return "", ""
}
