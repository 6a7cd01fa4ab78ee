package slurm

import "github.com/rlvet/rlvet/internal/harness"

// A node does not tell while it runs: what it saw is told when its result has come.

// tellStarts tells which units have begun.
func (w *watch) tellStarts() (any bool) {
	for _, i := range w.open() {
		if w.tasks[i].state == "RUNNING" && !w.started[i] {
			w.started[i], any = true, true
			w.tell(i, harness.Progress{Kind: "started", Target: -1})
		}
	}
	return any
}

func (w *watch) tellResult(i int) {
	r := w.results[i]
	for k, t := range w.units[i].Plan.Targets {
		if k >= len(r.Saw) {
			break // it failed
		}
		w.tell(i, harness.Progress{Kind: "judged", Target: t.ID, Hits: r.Saw[k].Hits, Verdict: r.Saw[k].Verdict})
	}
	if len(r.Run.Failures) > 0 {
		w.tell(i, harness.Progress{Kind: "failed", Target: -1})
	}
	w.tell(i, harness.Progress{Kind: "ended", Target: -1, Status: r.Run.Status})
}

func (w *watch) tell(i int, p harness.Progress) {
	if u := w.units[i]; u.Plan.Progress != nil {
		p.Seed = u.Seed
		u.Plan.Progress(p)
	}
}
