package harness

import (
	"encoding/json"
	"fmt"
	"math"
)

// Verdict is what the runs say of a finding.
type Verdict string

// The verdicts.
const (
	Confirmed    Verdict = "confirmed"    // seen in one run at least
	Refuted      Verdict = "refuted"      // looked for often enough in every run, and never seen
	NotReached   Verdict = "not-reached"  // the expression was never evaluated
	Inconclusive Verdict = "inconclusive" // the runs prove nothing
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
	// killed (by a signal of somebody else), steps, environment-steps or hits (a budget), lost
	// (its machine ended without a word).
	Status           string
	Exit             int
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
	// Notes are what instruments told, in order.
	Notes []Note
	// Children are the processes, started by the first one, that evaluated a target or
	// trained.
	Children []Child
	// Output is what the program printed, without the middle where that is long.
	Output string
}

// Note is something that an instrument told while the program ran.
type Note struct {
	// Instrument is its name, What what the note is about, and Process the one that told it,
	// as in [Event].
	Instrument, What, Process string
	// Body is an object of JSON.
	Body json.RawMessage
}

// Child is a process that the program started: its name, as in [Event], and the seed of
// what it draws without a seed of its own.
type Child struct {
	Name string
	Seed int64
}

// Nonfinite says where training first went wrong.
type Nonfinite struct {
	Step int    `json:"step"`
	What string `json:"what"`
}

// Crash is an exception.
type Crash struct {
	Type, Message, Traceback string
}

// Evidence is what was seen of one target.
type Evidence struct {
	Target  Target
	Verdict Verdict
	Reason  string
	Seeds   []SeedEvidence
	// Bound is the upper end of the 95 % interval of the rate at which the condition can
	// still occur at an evaluation, for a refuted target: 1 - 0.05^(1/n) after n clean ones.
	Bound float64
}

// SeedEvidence is what one run saw of one target.
type SeedEvidence struct {
	Seed         int
	Verdict      Verdict
	Reason       string
	Hits         int
	Confirmation *Confirmation
	Observations []json.RawMessage
	// Series are numbers of the evaluations, for plots.
	Series []Series
}

// Series is a number that a probe kept of each evaluation, or of some of many.
type Series struct {
	// Name says what the number is. "low", "high" and "ought" belong to the first series.
	Name string
	// Points are evaluation, from 0, optimizer step, and the number, which is finite.
	Points [][]float64
}

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

// failure says what made the program itself fail, "" where nothing did.
func (r *SeedRun) failure() string {
	switch {
	case r.Crash != nil:
		return "it raised " + r.Crash.Type + ": " + r.Crash.Message
	case r.Status == "exit" && r.Exit != 0:
		return fmt.Sprintf("it ended with exit code %d", r.Exit)
	}
	return ""
}

// judge combines the runs' verdicts on a target. One run is enough to confirm; to
// refute takes all.
func judge(t Target, seeds []SeedEvidence) Evidence {
	e := Evidence{Target: t, Seeds: seeds}
	rank := map[Verdict]int{Confirmed: 3, Inconclusive: 2, Refuted: 1, NotReached: 0}
	best := -1
	for _, s := range seeds {
		if rank[s.Verdict] > best {
			best = rank[s.Verdict]
			e.Verdict, e.Reason = s.Verdict, s.Reason
		}
	}
	switch {
	case len(seeds) == 0:
		e.Verdict, e.Reason = Inconclusive, "nothing was run"
	case e.Verdict == Refuted:
		for _, s := range seeds {
			if s.Verdict == NotReached {
				e.Verdict, e.Reason = Inconclusive, "not every run evaluated the expression"
			}
		}
	}
	if e.Verdict == Refuted {
		e.Bound = 1 - math.Pow(0.05, 1/float64(hits(e)))
	}
	return e
}
