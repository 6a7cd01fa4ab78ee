package hunt

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/words"
)

// observe reads what the guards saw of a run.
func (h *hunter) observe(run harness.SeedRun, kept string) (observed, error) {
	o := observed{run: run, kept: kept, Seed: Seed{
		Seed: run.Seed, Losses: []Loss{}, Norms: []Norm{}, Steps: run.Steps, EnvironmentSteps: run.EnvironmentSteps,
		WallSeconds: run.WallSeconds, PeakMemory: run.PeakMemory,
	}}
	h.takeEvents(&o)
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
	o.Status, o.Trouble = h.ended(run, o.Failure)
	return o, nil
}

// takeEvents reads what the instruments of a run sent.
func (h *hunter) takeEvents(o *observed) {
	for _, e := range o.run.InstrumentErrors {
		h.note("%s stopped watching: %s (%s)", e.Instrument, e.Error, e.Where)
	}
	for _, e := range o.run.NotRecorded {
		h.note("the inputs of %s were not recorded: %s", e.Function, e.Reason)
	}
	if len(o.run.Failures) == 0 || o.run.Fault != "" {
		return
	}
	e := o.run.Failures[0]
	f := &Failure{
		Kind: e.Kind, Seed: o.run.Seed, Step: e.Step, Backward: e.Backward, Detail: e.Detail,
		Parameter: e.Parameter, Exception: e.Exception, Process: e.Process,
	}
	file := ""
	if e.Filename != nil {
		file = *e.Filename
	}
	f.Filename, f.Row, f.Cell = h.located(file, e.Row)
	o.Failure, o.process = f, e.Process
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
func (h *hunter) ended(run harness.SeedRun, failure *Failure) (status, trouble string) {
	switch {
	case run.Fault != "":
		return run.Status, run.Fault
	case failure != nil:
		return "failed", ""
	case run.Crash != nil:
		return "crash", "it raised " + words.Plain(run.Crash.String()) + h.whereRaised(run.Crash.Traceback)
	case run.Status == "failure": // the localiser may have ended it
		return "failed", ""
	case run.Status == "done", run.Status == "steps", run.Status == "environment-steps", run.Status == "exit" && run.Exit == 0:
		return "clean", ""
	}
	if trouble = run.EndedEarly(); trouble == "" {
		trouble = "its status is " + run.Status
	}
	return run.Status, trouble
}

// traced is a line of a traceback that names a place; of a notebook with its cell.
var traced = regexp.MustCompile(`^\s*File "(.+\.(?:py|ipynb))"(?:, cell (\d{1,9}))?, line (\d{1,9})`)

// whereRaised is the last line of a traceback that names a place: " (train.py:7)", or " (notes.ipynb:cell 3:7)".
func (h *hunter) whereRaised(traceback string) string {
	out := ""
	for line := range strings.Lines(traceback) {
		m := traced.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := filepath.Base(m[1])
		cell, _ := strconv.Atoi(m[2]) // 0 where there is none
		row, _ := strconv.Atoi(m[3])  // digits by the pattern
		path := name
		if cell == 0 {
			if name == filepath.Base(h.Plan.Script) {
				name = h.Plan.Script // as located knows it
			}
			path, row, cell = h.located(name, row)
		}
		out = " (" + (&Result{Dir: filepath.Dir(path)}).Place(path, cell, row) + ")"
	}
	return out
}
