package slurm

import "github.com/rlvet/rlvet/internal/harness"

// A node does not tell while it runs: what it saw is told when its result has come, in the
// order in which a run on this machine tells it.

// tellStarts tells which units have begun.
func (w *watch) tellStarts() (any bool) {
	for _, i := range w.open() {
		if w.tasks[i].state == "RUNNING" && !w.started[i] {
			w.started[i], any = true, true
			w.tell(i, harness.Event{Kind: "hello"})
		}
	}
	return any
}

func (w *watch) tellResult(i int) {
	r := w.results[i]
	w.tell(i, harness.Event{Kind: "versions", Torch: r.Run.Torch, Device: r.Run.Device})
	for k, t := range w.units[i].Plan.Targets {
		if k >= len(r.Saw) {
			break // it failed
		}
		s := r.Saw[k]
		if c := s.Confirmation; c != nil {
			w.tell(i, harness.Event{Kind: "confirm", ID: &t.ID, Reason: c.Reason, Hit: c.Hit, Step: c.Step, Seen: c.Seen, Stack: c.Stack, Process: c.Process})
		}
		w.tell(i, harness.Event{Kind: "saw", ID: &t.ID, Hits: s.Hits, Verdict: string(s.Verdict), Reason: s.Reason, Observations: s.Observations})
	}
	w.tell(i, harness.Event{Kind: "bye", Status: r.Run.Status, Steps: r.Run.Steps, EnvironmentSteps: r.Run.EnvironmentSteps})
}

func (w *watch) tell(i int, e harness.Event) {
	if u := w.units[i]; u.Plan.Tell != nil {
		e.Seed = u.Seed
		u.Plan.Tell(e)
	}
}
