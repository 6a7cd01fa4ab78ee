package harness

import (
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/harness/protocol"
	"github.com/rlvet/rlvet/internal/words"
)

// Report is what came of a plan.
type Report struct {
	// Failure is what kept the plan from running, or nil; then there is nothing else.
	Failure error
	// Isolation is the weakest that was in force.
	Isolation Isolation
	Runs      []SeedRun
	Targets   []Evidence // in the order of the plan's targets
}

// SeedRun is one run.
type SeedRun struct {
	Seed   int
	Device string
	Torch  string
	// Isolation is what was in force.
	Isolation Isolation
	// Status says how it ended: done, exit (by its own code), crash, timeout, memory,
	// killed (by a signal of somebody else), steps, environment-steps or hits (a budget),
	// failure (an instrument ended it), protocol-error (see Fault), lost (its machine ended
	// without a result).
	Status string
	Exit   int
	// Signal names the one that killed it, "" where none did.
	Signal string
	// Fault says what it sent that is not of the protocol, "" for nothing. Then nothing that
	// it sent counts.
	Fault            string
	Steps            int
	EnvironmentSteps int
	WallSeconds      float64
	PeakMemory       int64
	// Losses are the first losses, as Python's float.hex writes them.
	Losses []string
	// Nonfinite is the first loss or parameter that was NaN or infinite, or nil.
	Nonfinite *Nonfinite
	// Crash is the exception that ended the program, or nil.
	Crash *Crash
	// Failures, NotRecorded and InstrumentErrors are what instruments sent, in order.
	Failures         []protocol.Failure
	NotRecorded      []protocol.NotRecorded
	InstrumentErrors []protocol.InstrumentError
	// Children are the processes, started by the first one, that evaluated a target or
	// trained.
	Children []Child
	// Output is what the program printed, without the middle where that is long.
	Output string
}

// Child is a process that the program started: its name, as in
// [protocol.Sender], and the seed of
// what it draws without a seed of its own.
type Child struct {
	Name string
	Seed int64
}

// Nonfinite says where training first went wrong.
type Nonfinite = protocol.Nonfinite

// Crash is an exception.
type Crash struct {
	Type, Message, Traceback string
}

// String is "ValueError: too many values".
func (c *Crash) String() string { return c.Type + ": " + c.Message }

// Fruitless says how the first run ended where every run failed before it came to any
// target, "" otherwise. Such a program was not confirmed; it could not run.
func (r *Report) Fruitless() string {
	for _, t := range r.Targets {
		for _, s := range t.Seeds {
			if s.Hits > 0 || s.Confirmation != nil {
				return ""
			}
		}
	}
	for _, run := range r.Runs {
		if run.failure() == "" {
			return ""
		}
	}
	if len(r.Runs) == 0 {
		return ""
	}
	return r.Runs[0].failure()
}

// Faults are the runs that sent what is not of the protocol, a line each; they prove nothing.
func (r *Report) Faults() (lines []string) {
	for _, run := range r.Runs {
		if run.Fault != "" {
			lines = append(lines, fmt.Sprintf("seed %d proves nothing: %s", run.Seed, run.Fault))
		}
	}
	return lines
}

// failure says what made the program itself fail, "" where nothing did.
func (r *SeedRun) failure() string {
	switch {
	case r.Crash != nil:
		return "it raised " + r.Crash.String()
	case r.Status == "exit" && r.Exit != 0, r.Fault != "":
		return r.EndedEarly()
	}
	return ""
}

// lastLine is the last line that the program printed, which says of many errors what they are.
func (r *SeedRun) lastLine() string {
	text := strings.TrimSpace(r.Output)
	line := []rune(words.Plain(text[strings.LastIndex(text, "\n")+1:]))
	if len(line) > 200 {
		return string(line[:200]) + "…"
	}
	return string(line)
}

// EndedEarly says what kept a run from its end, "" where nothing did.
func (r *SeedRun) EndedEarly() string {
	switch r.Status {
	case "crash":
		if r.Crash != nil {
			return "it raised " + r.Crash.String()
		}
	case "timeout":
		return "it ran out of time; give it more with --timeout"
	case "memory":
		return "it used more memory than --max-memory allows"
	case "killed":
		if r.Signal != "" {
			return "a signal killed it (" + r.Signal + ")"
		}
		return "a signal killed it"
	case "exit":
		how := fmt.Sprintf("it ended with exit code %d", r.Exit)
		if said := r.lastLine(); r.Exit != 0 && said != "" {
			how += " (" + said + ")"
		}
		return how
	case "lost":
		return "its machine went away without a result"
	case "protocol-error":
		return r.Fault
	}
	return ""
}
