package harness

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
)

// Event is what a run tells while it goes.
type Event struct {
	// Seed is the run's.
	Seed int `json:"-"`
	// Kind is hello, target, count, confirm, saw, points, crash, versions, note, over or bye.
	Kind string `json:"event"`
	PID  int    `json:"pid"`
	// Process is "" for the first process of a program; its children are numbered, and
	// "2.1" is the first child of the second.
	Process string `json:"process"`
	// ID is the target that the event is about, where it is about one.
	ID     *int   `json:"id"`
	Status string `json:"status"`
	Reason string `json:"reason"`
	Hits   int    `json:"hits"`
	Step   int    `json:"step"`

	// Of hello: the seed of what the process draws without one of its own.
	Own int64 `json:"seed"`

	// Of versions.
	Torch  string `json:"torch"`
	Device string `json:"device"`

	// Of confirm and saw.
	Verdict      string            `json:"verdict"`
	Enough       int               `json:"enough"` // evaluations that refute
	Short        bool              `json:"short"`  // nothing speaks against refuting but their number
	Observations []json.RawMessage `json:"observations"`
	Hit          int               `json:"hit"`
	Seen         json.RawMessage   `json:"seen"`
	Stack        []string          `json:"stack"`

	// Of points.
	Name   string      `json:"name"`
	Points [][]float64 `json:"points"`

	// Of note.
	Instrument string          `json:"instrument"`
	What       string          `json:"what"`
	Body       json.RawMessage `json:"body"`

	// Of crash.
	Type      string `json:"type"`
	Message   string `json:"message"`
	Traceback string `json:"traceback"`

	// Of bye.
	Steps            int             `json:"steps"`
	EnvironmentSteps int             `json:"environment_steps"`
	Losses           []string        `json:"losses"`
	Nonfinite        json.RawMessage `json:"nonfinite"`
	RSS              int64           `json:"rss"`
}

// Confirmation is what a probe saw that proves its finding.
type Confirmation struct {
	Reason string          `json:"reason"`
	Hit    int             `json:"hit"`
	Step   int             `json:"step"`
	Seen   json.RawMessage `json:"seen"`
	Stack  []string        `json:"stack"`
	// Process is the one that saw it, "" for the first of the program.
	Process string `json:"process,omitempty"`
}

// maxLine bounds a line of the protocol; the Python side keeps far below.
const maxLine = 64 << 10

// maxEvents bounds the events of one run.
const maxEvents = 100000

// readEvents calls yield for each event until the pipe is closed. A line that is none,
// as a program can write to any descriptor, is passed over.
func readEvents(r io.Reader, yield func(Event)) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 4096), maxLine)
	for n := 0; n < maxEvents && in.Scan(); n++ {
		var e Event
		if line := strings.TrimSpace(in.Text()); line != "" && json.Unmarshal([]byte(line), &e) == nil && e.Kind != "" {
			yield(e)
		}
	}
	io.Copy(io.Discard, r) // so that the writer never waits
}
