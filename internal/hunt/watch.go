package hunt

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/harness"
)

// told is a failure as hunt.guards tells it.
type told struct {
	Failure
	Place string `json:"file"`
}

// observe reads what the guards saw of a run.
func (h *hunter) observe(run harness.SeedRun, kept string) (observed, error) {
	o := observed{run: run, kept: kept, Seed: Seed{
		Seed: run.Seed, Losses: []Loss{}, Norms: []Norm{}, Steps: run.Steps, EnvironmentSteps: run.EnvironmentSteps,
		WallSeconds: run.WallSeconds, PeakMemory: run.PeakMemory,
	}}
	if err := h.hear(&o); err != nil {
		return o, err
	}
	if err := o.findTrainer(); err != nil {
		return o, err
	}
	if o.guards.Losses != nil {
		o.Losses = o.guards.Losses
	}
	if o.guards.Norms != nil {
		o.Norms = o.guards.Norms
	}
	o.SkippedSteps, o.VanishedStep = o.guards.Amp.Skipped, o.guards.Vanished
	o.Status, o.Trouble = ended(run, o.Failure)
	return o, nil
}

// hear reads the notes of a run.
func (h *hunter) hear(o *observed) error {
	for _, n := range o.run.Notes {
		switch {
		case n.What == "broken":
			h.note("%s stopped watching: %s", n.Instrument, saidBy(n))
		case n.What == "not-recorded":
			h.note("%s", notRecorded(n))
		case n.Instrument == guards && n.What == "failure" && o.Failure == nil:
			var t told
			if err := json.Unmarshal(n.Body, &t); err != nil {
				return fmt.Errorf("a note of %s cannot be read: %v", n.Instrument, err)
			}
			f := t.Failure
			f.Seed, f.Process, o.process = o.run.Seed, n.Process, n.Process
			f.Filename, f.Row, f.Cell = h.located(either(f.Filename, t.Place), f.Row)
			o.Failure = &f
		}
	}
	return nil
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// saidBy is why an instrument broke.
func saidBy(n harness.Note) string {
	var body struct{ Error, Line string }
	json.Unmarshal(n.Body, &body)
	return body.Error + " (" + body.Line + ")"
}

// notRecorded says why the inputs of a function were not kept.
func notRecorded(n harness.Note) string {
	var body struct{ Function, Reason string }
	json.Unmarshal(n.Body, &body)
	return "the inputs of " + body.Function + " were not recorded: " + body.Reason
}

// findTrainer reads the guards of the process that failed, or else of the first that had
// losses.
func (o *observed) findTrainer() error {
	processes := []string{o.process}
	if o.Failure == nil {
		for _, c := range o.run.Children {
			processes = append(processes, c.Name)
		}
	}
	for _, p := range processes {
		o.process = p
		if _, err := o.read(guards, &o.guards); err != nil || len(o.guards.Losses) > 0 {
			return err
		}
	}
	o.process = processes[0]
	_, err := o.read(guards, &o.guards)
	return err
}

// ended says how a run ended, and what kept it from its end where that is no failure of
// training.
func ended(run harness.SeedRun, failure *Failure) (status, trouble string) {
	switch {
	case failure != nil:
		return "failed", ""
	case run.Crash != nil:
		return "crash", "it raised " + run.Crash.Type + ": " + OneLine(run.Crash.Message) + whereRaised(run.Crash.Traceback)
	case run.Status == "failure": // the localiser may have ended it
		return "failed", ""
	case run.Status == "done", run.Status == "steps", run.Status == "environment-steps", run.Status == "exit" && run.Exit == 0:
		return "clean", ""
	}
	said := map[string]string{
		"timeout": "its time was over; give more with --timeout", "memory": "it used more memory than --max-memory allows",
		"killed": "it was killed by a signal", "lost": "its machine ended without a word", "exit": fmt.Sprintf("it ended with exit code %d", run.Exit),
	}[run.Status]
	if said == "" {
		said = "it ended as " + run.Status
	}
	return run.Status, said
}

// whereRaised is the last line of a traceback that names a place: " (train.py:7)".
func whereRaised(traceback string) string {
	out := ""
	for _, line := range strings.Split(traceback, "\n") {
		var row int
		file, rest, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "File \""), "\", line ")
		if _, err := fmt.Sscanf(rest, "%d", &row); ok && err == nil && strings.HasSuffix(file, ".py") {
			out = fmt.Sprintf(" (%s:%d)", filepath.Base(file), row)
		}
	}
	return out
}
