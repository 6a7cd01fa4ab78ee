package protocol

import "encoding/json"

// Event is one that Python sends: a pointer to one of the types below.
type Event interface {
	// From says which process sent it.
	From() Sender
}

// Sender is a process of a run.
type Sender struct {
	PID int `json:"pid"`
	// Process is "" for the first process of a program; its children are numbered, and "2.1"
	// is the first child of the second.
	Process string `json:"process"`
}

// From returns the sender.
func (s Sender) From() Sender { return s }

// newEvent makes an empty event of each name.
var newEvent = map[string]func() Event{
	"hello":            func() Event { return &Hello{} },
	"versions":         func() Event { return &Versions{} },
	"target":           func() Event { return &Target{} },
	"hits":             func() Event { return &Hits{} },
	"observation":      func() Event { return &Observation{} },
	"confirm":          func() Event { return &Confirm{} },
	"evidence":         func() Event { return &Evidence{} },
	"series":           func() Event { return &Series{} },
	"failure":          func() Event { return &Failure{} },
	"wrong-gradient":   func() Event { return &WrongGradient{} },
	"not-recorded":     func() Event { return &NotRecorded{} },
	"instrument-error": func() Event { return &InstrumentError{} },
	"stop":             func() Event { return &Stop{} },
	"crash":            func() Event { return &Crash{} },
	"end":              func() Event { return &End{} },
}

// The events. protocol.json says what their fields mean, and in which units.
type (
	// Hello is the first event of a process.
	Hello struct {
		Sender
		Protocol int    `json:"protocol"`
		Python   string `json:"python"`
		Seed     int64  `json:"seed"`
	}

	// Versions are those of the libraries that the program has imported.
	Versions struct {
		Sender
		Torch  string `json:"torch,omitempty"`
		Numpy  string `json:"numpy,omitempty"`
		Device string `json:"device,omitempty"`
	}

	// Target says what became of a target when its file was imported.
	Target struct {
		Sender
		ID     int    `json:"id"`
		Status string `json:"status"` // placed or refused
		Reason string `json:"reason,omitempty"`
	}

	// Hits counts the evaluations of a target so far.
	Hits struct {
		Sender
		ID   int `json:"id"`
		Hits int `json:"hits"`
		Step int `json:"step"`
	}

	// Observation shows numbers of one evaluation.
	Observation struct {
		Sender
		ID   int             `json:"id"`
		Hit  int             `json:"hit"`
		Step int             `json:"step"`
		Seen json.RawMessage `json:"seen"`
	}

	// Confirm is evidence that the finding is true.
	Confirm struct {
		Sender
		ID     int             `json:"id"`
		Reason string          `json:"reason"`
		Hit    int             `json:"hit"`
		Step   int             `json:"step"`
		Seen   json.RawMessage `json:"seen"`
		Stack  []string        `json:"stack"`
	}

	// Evidence is what a process saw of a target, all in all.
	Evidence struct {
		Sender
		ID       int     `json:"id"`
		Hits     int     `json:"hits"`
		Upheld   int     `json:"upheld"`
		Required int     `json:"required"`
		Needs    string  `json:"needs"`
		Unsure   *string `json:"unsure"`
		Holds    *string `json:"holds"`
	}

	// Series are numbers of the evaluations, for a plot.
	Series struct {
		Sender
		ID     int         `json:"id"`
		Name   string      `json:"name"`
		Points [][]float64 `json:"points"`
	}

	// Failure says that training went wrong.
	Failure struct {
		Sender
		Instrument string  `json:"instrument"`
		Kind       string  `json:"kind"`
		Step       int     `json:"step"`
		Backward   int     `json:"backward"`
		Detail     string  `json:"detail"`
		Parameter  string  `json:"parameter,omitempty"`
		Exception  string  `json:"exception,omitempty"`
		Filename   *string `json:"filename,omitempty"`
		Row        int     `json:"row,omitempty"`
	}

	// WrongGradient tells of the first function whose gradient is wrong, as soon as that is known.
	WrongGradient struct {
		Sender
		Instrument string  `json:"instrument"`
		Function   string  `json:"function"`
		Filename   *string `json:"filename"`
		Row        int     `json:"row"`
	}

	// NotRecorded says that the inputs of a function could not be kept.
	NotRecorded struct {
		Sender
		Instrument string `json:"instrument"`
		Function   string `json:"function"`
		Reason     string `json:"reason"`
	}

	// InstrumentError says that an instrument stopped watching.
	InstrumentError struct {
		Sender
		Instrument string `json:"instrument"`
		Error      string `json:"error"`
		Where      string `json:"where"`
	}

	// Stop asks for the end of the run.
	Stop struct {
		Sender
		Status string `json:"status"`
	}

	// Crash is the exception that ended a process.
	Crash struct {
		Sender
		Type      string `json:"type"`
		Message   string `json:"message"`
		Traceback string `json:"traceback"`
	}

	// End is the last event of a process.
	End struct {
		Sender
		Status           string     `json:"status"`
		Steps            int        `json:"steps"`
		EnvironmentSteps int        `json:"environment_steps"`
		Seconds          float64    `json:"seconds"`
		Losses           []string   `json:"losses"`
		Nonfinite        *Nonfinite `json:"nonfinite"`
		RSS              int64      `json:"rss"`
	}

	// Nonfinite is the first number that was NaN or infinite.
	Nonfinite struct {
		Step int    `json:"step"`
		What string `json:"what"`
	}
)

// TargetID is the target that an event is about, -1 for none.
func TargetID(e Event) int {
	switch e := e.(type) {
	case *Target:
		return e.ID
	case *Hits:
		return e.ID
	case *Observation:
		return e.ID
	case *Confirm:
		return e.ID
	case *Evidence:
		return e.ID
	case *Series:
		return e.ID
	}
	return -1
}
