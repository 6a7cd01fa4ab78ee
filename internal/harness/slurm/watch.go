package slurm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rlvet/rlvet/internal/harness"
)

// maxTries is how often a unit is submitted.
const maxTries = 3

// The pauses between two looks at the queue grow while nothing happens: a scheduler serves
// many users.
const (
	shortest = 500 * time.Millisecond
	longest  = 15 * time.Second
)

// watch waits for the units of one batch.
type watch struct {
	*Launcher
	*batch
	tasks   map[int]task
	tries   map[int]int       // submissions by this program
	since   map[int]time.Time // when a task without a result was first seen to have ended
	failure map[int]string    // of the last try, where it said one
	started map[int]bool
	deaf    bool   // Slurm did not answer the last time
	held    string // why Slurm holds everything back, as it was said
}

func newWatch(l *Launcher, b *batch) *watch {
	return &watch{Launcher: l, batch: b, tries: map[int]int{}, since: map[int]time.Time{}, failure: map[int]string{}, started: map[int]bool{}}
}

// wait submits and waits until every unit has a result.
func (w *watch) wait(ctx context.Context) error {
	pause := shortest
	for first := true; ; first = false {
		changed, err := w.look(ctx)
		if err != nil {
			return err
		}
		if first {
			w.resume()
		}
		due, err := w.due()
		if err == nil && len(due) > 0 {
			changed, err = true, w.send(due)
		}
		if err != nil || len(w.open()) == 0 {
			return err
		}
		if pause = min(pause*3/2, longest); changed {
			pause = shortest
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// look asks Slurm, and then reads the results that have come, so that a task which ended
// in between is not taken for one without a result.
func (w *watch) look(ctx context.Context) (changed bool, err error) {
	tasks, err := queued(ctx, w.arrays)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil && w.tasks == nil:
		return false, err
	case err != nil:
		if !w.deaf {
			w.Say(fmt.Sprintf("Slurm does not answer (%v); waiting for it", err))
		}
		w.deaf = true
		return false, nil
	}
	w.tasks, w.deaf = tasks, false
	came, err := w.collect()
	for _, i := range came {
		if err := w.take(i); err != nil {
			return false, err
		}
	}
	w.sayHeld()
	return w.tellStarts() || len(came) > 0, err
}

// usual are the reasons for which tasks wait their turn.
var usual = []string{"", "None", "Priority", "Resources", "JobArrayTaskLimit", "BeginTime"}

// sayHeld says why nothing begins, where that is not just a matter of turns: some reasons
// never pass.
func (w *watch) sayHeld() {
	reason := ""
	for _, t := range w.tasks {
		switch {
		case t.active() && t.state != "PENDING":
			return
		case t.active() && !slices.Contains(usual, t.reason):
			reason = t.reason
		}
	}
	if reason != "" && reason != w.held {
		w.held = reason
		w.Say(fmt.Sprintf("array %s: nothing runs; Slurm says %s", list(w.arrays, ", "), reason))
	}
}

// take takes a result. What failed is tried again, as the next node may have what this one
// lacks.
func (w *watch) take(i int) error {
	if w.results[i].Failure != "" && w.tries[i] < maxTries {
		w.failure[i] = w.results[i].Failure
		w.since[i] = time.Unix(0, 0)
		return w.drop(i)
	}
	w.tellResult(i)
	return nil
}

// resume says what an earlier start has left.
func (w *watch) resume() {
	under := 0
	for _, i := range w.open() {
		if w.tasks[i].active() {
			under++
		}
	}
	if done := len(w.units) - len(w.open()); done+under > 0 {
		w.Say(fmt.Sprintf("resuming: %d of %d runs are done, %d under way", done, len(w.units), under))
	}
}

// due lists the units to submit: those that no task is at. What ended too often without a
// result, or cannot end otherwise, is given up.
func (w *watch) due() (out []int, err error) {
	for _, i := range w.open() {
		switch t := w.tasks[i]; {
		case t.active():
			delete(w.since, i)
		case w.tries[i] == 0:
			out = append(out, i)
		case !w.overdue(i, t):
		case t.state == "FAILED" && !w.anyTrace():
			return nil, fmt.Errorf("no node could write to %s; give --work-dir on a file system that all nodes share", w.dir)
		case t.hopeless() || w.tries[i] >= maxTries:
			w.lose(i)
		default:
			out = append(out, i)
		}
	}
	return out, nil
}

// grace is how long a result may take from the node to here, through the caches of a
// network file system.
const grace = time.Minute

// overdue reports whether the result of a task that ended will not come any more.
func (w *watch) overdue(i int, t task) bool {
	if w.since[i].IsZero() {
		w.since[i] = time.Now()
	}
	patience := 2 * shortest
	if t.state == "COMPLETED" {
		patience = grace
	}
	return time.Since(w.since[i]) >= patience
}

// send submits units.
func (w *watch) send(due []int) error {
	array, err := w.submit(w.batch, due)
	if err != nil {
		return err
	}
	again, why := 0, ""
	for _, i := range due {
		if w.tries[i]++; w.tries[i] > 1 {
			again, why = again+1, cmp.Or(w.failure[i], w.tasks[i].String())
		}
		delete(w.failure, i)
		delete(w.since, i)
		delete(w.tasks, i)
	}
	if again > 0 {
		w.Say(fmt.Sprintf("array %d: %s again, since the last try ended without a result (%s)", array, runs(again), why))
	} else {
		w.Say(fmt.Sprintf("array %d: %s, in %s", array, runs(len(due)), w.dir))
	}
	return nil
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// lose gives a unit up: its run proves nothing, for the reason that Slurm gives.
func (w *watch) lose(i int) {
	why := fmt.Sprintf("Slurm ended the run without a result (%s; %d of %d tries)", w.tasks[i], w.tries[i], maxTries)
	if words := w.lastWords(i); words != "" {
		why += ": " + words
	}
	u := w.units[i]
	r := &harness.Result{Run: harness.SeedRun{Seed: u.Seed, Status: "lost"}}
	for range u.Plan.Targets {
		r.Saw = append(r.Saw, harness.SeedEvidence{Seed: u.Seed, Verdict: harness.Inconclusive, Reason: why})
	}
	w.results[i] = r
	w.tellResult(i)
}

// cancel cancels what is under way.
func (w *watch) cancel() error {
	tasks, err := queued(context.Background(), w.arrays)
	var arrays []int
	for _, t := range tasks {
		if t.active() && !slices.Contains(arrays, t.array) {
			arrays = append(arrays, t.array)
		}
	}
	if err == nil && len(arrays) == 0 {
		return nil
	}
	if err == nil {
		err = cancel(arrays)
	}
	if err != nil {
		return fmt.Errorf("the arrays may still run; end them with scancel %s (%w)", list(w.arrays, " "), err)
	}
	w.collect()
	done := len(w.units) - len(w.open())
	w.Say(fmt.Sprintf("cancelled array %s; %d of %d runs are done; the same command runs the others", list(arrays, ", "), done, len(w.units)))
	return nil
}
