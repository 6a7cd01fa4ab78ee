package read

import (
	"math"
	"slices"
	"strings"
)

// stepNames are the columns that say the step of training, the best first: W&B's _step counts
// calls of its own, so a global step beside it is better.
var stepNames = []string{
	"train/global_step", "training/global_step", "trainer/global_step", "global_step", "step", "Step", "steps",
	"time/total_timesteps", "total_timesteps", "num_timesteps", "timesteps", "timestep", "env_step",
	"timesteps_total", "num_env_steps_sampled_lifetime", "total/steps", "misc/total_timesteps", "TotalEnvInteracts", "TimestepsSoFar",
	"progress/batch", "progress/step", "train_step", "training_step", "current_steps",
	"_step", "iteration", "iter", "update", "training_iteration", "episode", "time/iterations", "epoch", "Epoch",
}

// notMetrics are columns that tell when something was logged, not what.
var notMetrics = []string{"elapsed", "elapsed_s", "elapsed_sec", "time_elapsed", "wall_time_sec", "_runtime", "_timestamp", "timestamp", "wall_time", "relative_time", "time", "Wall time"}

// columns are both: the place among stepNames, or -1.
var columns = func() map[string]int {
	all := map[string]int{}
	for i, name := range stepNames {
		all[name] = i
	}
	for _, name := range notMetrics {
		all[name] = -1
	}
	return all
}()

// clockRows are looked at before the column of steps is chosen.
const clockRows = 64

// clock chooses the column that says the step, and gives each row its step.
type clock struct {
	log    *log
	column int // of stepNames; -1 for the row's number
	chosen bool
	early  []early
	// now is the row that is being read.
	now     []sample
	steps   []float64 // by stepNames; NaN where the row has none
	rows    int64
	last    int64
	stepped bool
	without int64
}

// early is a row that came before the column was chosen.
type early struct {
	samples []sample
	steps   []float64
}

func (k *clock) init(l *log) {
	k.log, k.steps = l, make([]float64, len(stepNames))
	k.clear()
}

func (k *clock) clear() {
	k.now = k.now[:0]
	for i := range k.steps {
		k.steps[i] = math.NaN()
	}
}

// put takes a value of the row that is being read.
func (l *log) put(name string, value float64) {
	k := &l.clock
	if i, ok := columns[name]; ok {
		if i >= 0 {
			k.steps[i] = value
		}
		return
	}
	if t := l.track(name); t != nil {
		k.now = append(k.now, sample{t, value})
	}
}

// end ends the row that is being read.
func (l *log) end() {
	k := &l.clock
	l.Records++
	if k.chosen {
		k.pass(k.now, k.steps)
	} else {
		k.early = append(k.early, early{slices.Clone(k.now), slices.Clone(k.steps)})
		if len(k.early) == clockRows {
			k.choose()
		}
	}
	k.clear()
}

// choose takes the best column that at least half of the rows have.
func (k *clock) choose() {
	k.chosen, k.column = true, -1
	for i := range stepNames {
		n := 0
		for _, e := range k.early {
			if _, ok := wholeStep(e.steps[i]); ok {
				n++
			}
		}
		if n > 0 && 2*n >= len(k.early) {
			k.column = i
			break
		}
	}
	for _, e := range k.early {
		k.pass(e.samples, e.steps)
	}
	k.early = nil
}

// pass hands a row to the lane, with its step.
func (k *clock) pass(samples []sample, steps []float64) {
	step := k.rows
	k.rows++
	if k.column >= 0 {
		at, ok := wholeStep(steps[k.column])
		if ok {
			k.last, k.stepped = at, true
		} else if k.without++; !k.stepped {
			return
		}
		step = k.last
	}
	if len(samples) > 0 {
		k.log.lane.add(step, samples)
	}
}

func (k *clock) close() {
	if !k.chosen {
		k.choose()
	}
	switch {
	case k.column < 0 && k.rows > 0:
		k.log.note("no record says its step: the record's number is used; log the step as \"step\"")
	case k.without > 0:
		k.log.note("%s without %s: counted to the step of the record before", were(k.without, "record"), stepNames[k.column])
	}
}

// wholeStep returns a value as a step.
func wholeStep(v float64) (int64, bool) {
	if v >= 0 && v <= 1<<53 && v == math.Trunc(v) {
		return int64(v), true
	}
	return 0, false
}

// isStepName reports whether a column says the step or the time.
func isStepName(name string) bool {
	_, ok := columns[name]
	return ok || strings.HasSuffix(name, "/global_step")
}
