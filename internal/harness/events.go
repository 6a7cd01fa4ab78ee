package harness

import "github.com/rlvet/rlvet/internal/harness/protocol"

// Progress is what a run tells while it goes, and when it has ended.
type Progress struct {
	Seed int
	// Kind is started, evaluated, shown, confirmed, failed (as training fails), wrong-gradient, judged or ended.
	Kind string
	// Target is the one that was evaluated, shown, confirmed or judged, -1 otherwise.
	Target  int
	Hits    int     // of evaluated
	Seen    []byte  // of shown: an object of JSON
	Verdict Verdict // of judged: the run's
	Status  string  // of ended, as in [SeedRun]
	Wrong   *protocol.WrongGradient
}

// take takes an event of the run.
func (pr *process) take(event protocol.Event) {
	run := &pr.run
	switch e := event.(type) {
	case *protocol.Hello:
		if e.Process == "" {
			pr.tell(Progress{Kind: "started", Target: -1})
		} else {
			run.Children = append(run.Children, Child{e.Process, e.Seed})
		}
	case *protocol.Versions:
		if e.Torch != "" {
			run.Torch, run.Device = e.Torch, e.Device
		}
	case *protocol.Crash:
		if e.Process == "" || run.Crash == nil {
			run.Crash = &Crash{e.Type, e.Message, e.Traceback}
		}
	case *protocol.Failure:
		run.Failures = append(run.Failures, *e)
		pr.tell(Progress{Kind: "failed", Target: -1})
	case *protocol.WrongGradient:
		pr.tell(Progress{Kind: "wrong-gradient", Target: -1, Wrong: e})
	case *protocol.NotRecorded:
		run.NotRecorded = append(run.NotRecorded, *e)
	case *protocol.InstrumentError:
		run.InstrumentErrors = append(run.InstrumentErrors, *e)
	case *protocol.Stop:
		pr.stop(e.Status)
	case *protocol.End:
		pr.takeEnd(e)
	default:
		pr.takeEvidence(event)
	}
}

// takeEvidence takes an event about a target, of which the reader knows that it is the run's.
func (pr *process) takeEvidence(event protocol.Event) {
	id := protocol.TargetID(event)
	pr.evidence[id].add(event)
	switch e := event.(type) {
	case *protocol.Hits:
		pr.tell(Progress{Kind: "evaluated", Target: id, Hits: e.Hits})
	case *protocol.Observation:
		pr.tell(Progress{Kind: "shown", Target: id, Seen: e.Seen})
	case *protocol.Confirm:
		pr.tell(Progress{Kind: "confirmed", Target: id})
	}
}

// takeEnd takes the end of a process. Ranks step together, so that steps are those of one;
// where the first process computes no loss, those of a child stand for the run.
func (pr *process) takeEnd(e *protocol.End) {
	run := &pr.run
	if e.Process == "" {
		pr.ended, run.Status = true, e.Status
	}
	run.Steps, run.PeakMemory = max(run.Steps, e.Steps), max(run.PeakMemory, e.RSS)
	run.EnvironmentSteps += e.EnvironmentSteps
	if len(e.Losses) > 0 && (run.Losses == nil || e.Process <= pr.lossesOf) {
		run.Losses, pr.lossesOf = e.Losses, e.Process
	}
	if run.Nonfinite == nil {
		run.Nonfinite = e.Nonfinite
	}
}

// fail notes that what the run sends is not of the protocol, and ends it: nothing that it
// says can be trusted.
func (pr *process) fail(fault *protocol.Fault) {
	if fault != nil {
		pr.run.Fault = fault.Error()
		pr.stop("protocol-error")
	}
}

// stop ends the run, which has used up what the plan allows.
func (pr *process) stop(status string) {
	select {
	case pr.over <- status:
	default:
	}
}
