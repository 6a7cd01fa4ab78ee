package hunt

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// Hunt runs the program under its seeds until it has an answer. The error is one that kept
// it from running; a program that cannot run by itself is in the result, as Trouble.
func (j *Job) Hunt(ctx context.Context) (*Result, error) {
	begun := time.Now()
	h := &hunter{Job: j, result: newResult(j), checked: map[string]*vet.Result{}}
	if err := h.hunt(ctx); err != nil {
		return nil, err
	}
	h.result.keepTexts()
	h.result.Seconds = time.Since(begun).Seconds()
	return h.result, nil
}

func newResult(j *Job) *Result {
	return &Result{
		Script: j.Script, Module: j.Plan.Module, Args: append([]string{}, j.Plan.Args...), Root: j.Plan.Root, Dir: j.Dir,
		Environment: Environment{Rlvet: j.Version, Python: j.Plan.Python, Command: j.Command},
		Chain:       []Link{}, Gradients: []Gradient{}, Changed: []Changed{}, Unused: []Unused{}, Findings: []vet.FindingJSON{}, Seeds: []Seed{}, Layers: []Layer{}, Notes: []string{},
		Files: map[string]string{}, Fix: Fix{Verdict: "not-tried", Reason: "there is no fix to try; give one with --fix FILE.patch", Reached: []Reached{}},
	}
}

// hunt goes from the seeds to the failure, its place, its explanation and its fix.
func (h *hunter) hunt(ctx context.Context) error {
	seeds, err := h.watch(ctx)
	if err != nil {
		return err
	}
	h.tellRuns(seeds)
	if h.result.Trouble() != "" {
		return nil
	}
	if err := h.localiseFirst(ctx, seeds); err != nil || h.result.Trouble() != "" {
		return err
	}
	look := h.clean
	if h.result.Failure != nil {
		look = h.lookInPlace
	}
	if err := look(ctx, seeds); err != nil {
		return err
	}
	if err := h.explain(ctx); err != nil {
		return err
	}
	return h.tryFix(ctx)
}

// localiseFirst finds the place of the first failure. An exception may speak of numbers and
// have nothing to do with them; where no bad value led to it, it is a crash like others.
func (h *hunter) localiseFirst(ctx context.Context, seeds []observed) error {
	for {
		failing := firstFailing(seeds)
		if failing == nil {
			return nil
		}
		h.result.Failure = failing.Failure
		if err := h.localise(ctx, *failing); err != nil {
			return err
		}
		if failing.Failure.Kind != "exception" || h.result.FirstBad != nil {
			return nil
		}
		failing.Failure = nil
		failing.Status, failing.Trouble = h.ended(failing.run, nil)
		h.result.forget(seeds)
	}
}

// forget takes back what was said of a failure that was none.
func (r *Result) forget(seeds []observed) {
	r.Failure, r.Deterministic, r.Difference, r.Reproduced, r.Window = nil, nil, nil, false, nil
	r.Gradients, r.Layers, r.Chain, r.Seeds = []Gradient{}, []Layer{}, []Link{}, seedsOf(seeds)
	r.Notes = slices.DeleteFunc(r.Notes, func(n string) bool { return n == nothingBad })
}

// watch runs the seeds: all of them, or some at a time until one fails. Beside the guards the first
// ones have what tries gradients at a clean end.
func (h *hunter) watch(ctx context.Context) (all []observed, err error) {
	size := h.AtATime
	if size == 0 {
		size = len(h.Plan.Seeds)
	}
	for batch := range slices.Chunk(h.Plan.Seeds, size) {
		step := "running the script"
		if size < len(h.Plan.Seeds) {
			step = fmt.Sprintf("running the script, seeds %d to %d of %d", batch[0], batch[len(batch)-1], len(h.Plan.Seeds))
		}
		tried := batch[:min(len(batch), max(0, mostTried-len(all)))]
		plans := []harness.Plan{}
		if len(tried) > 0 {
			plans = append(plans, h.plan(tried, append([]harness.Instrument{instrument(guards, nil)}, h.gradients(tried, true, true)...)...))
		}
		if rest := batch[len(tried):]; len(rest) > 0 {
			plans = append(plans, h.plan(rest, instrument(guards, nil)))
		}
		runs, err := h.run(ctx, step, plans...)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.Concat(runs...)...)
		if h.AtATime > 0 && (firstFailing(all) != nil || troubled(all)) {
			break
		}
	}
	return all, nil
}

func firstFailing(list []observed) *observed {
	for i := range list {
		if list[i].Failure != nil {
			return &list[i]
		}
	}
	return nil
}

func troubled(list []observed) bool {
	return slices.ContainsFunc(list, func(o observed) bool { return o.Trouble != "" })
}

// mostTried bounds the seeds under which the gradients of a clean program are tried: what is
// wrong in a corner only, some run has to come to.
const mostTried = 3

// leastAgain bounds the run that is made once more: a quarter of its steps, and these at least. Two runs that are not the same part early.
const leastAgain = 128

// clean takes what was found of the gradients of a program that did not fail. One seed runs once more, as far as that bound,
// to see whether it is the same run, with its first steps watched for changes in place.
func (h *hunter) clean(ctx context.Context, seeds []observed) error {
	bound := harness.Bound(h.result.count("clean"))
	h.result.Bound = &bound
	if !h.Gradients {
		return nil
	}
	clean := slices.DeleteFunc(slices.Clone(seeds), func(o observed) bool { return o.Status != "clean" })
	for _, o := range clean {
		if err := h.takeGradients(o); err != nil {
			return err
		}
	}
	again := h.plan([]int{clean[0].Seed.Seed}, instrument(guards, nil), watchInPlace())
	if most := max(leastAgain, clean[0].Steps/4); again.Limits.MaxSteps == 0 || again.Limits.MaxSteps > most {
		again.Limits.MaxSteps = most
	}
	runs, err := h.run(ctx, "running a seed again, to see whether it is the same run", again)
	if err != nil {
		return err
	}
	if h.result.Changed, err = h.changedIn(runs[0][0]); err != nil {
		return err
	}
	return h.compare(ctx, clean[0], runs[0][0])
}

// tellRuns puts into the result what is true of all runs.
func (h *hunter) tellRuns(list []observed) {
	r := h.result
	unused := map[string]int{}
	for _, o := range list {
		r.Seeds = append(r.Seeds, o.Seed)
		if r.Environment.Device == "" {
			r.Environment.Device = o.run.Device
		}
		for _, u := range o.guards.Unused {
			if unused[u.Parameter]++; unused[u.Parameter] == len(list) {
				r.Unused = append(r.Unused, u)
			}
		}
	}
	h.noteRuns(list)
}

// noteRuns notes what a reader has to know of how the program ran.
func (h *hunter) noteRuns(list []observed) {
	compiled, skipped, devices := false, 0, []string(nil)
	for _, o := range list {
		compiled, skipped = compiled || o.guards.Compiled, skipped+o.guards.Amp.Skipped
		devices = append(devices, o.guards.Devices...)
	}
	slices.Sort(devices)
	if devices = slices.Compact(devices); len(devices) > 1 {
		h.note("the program trains on several devices: %s", words.And(devices))
	}
	if compiled {
		h.note("torch.compile was turned off: the program ran eagerly, so that each operation could be watched")
	}
	h.noteVanished(list)
	if skipped > 0 {
		h.note("a GradScaler skipped %d steps because a scaled gradient overflowed; that is normal", skipped)
	}
}

func (h *hunter) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(h.result.Notes, text) {
		h.result.Notes = append(h.result.Notes, text)
	}
}

// count counts the seeds of a status.
func (r *Result) count(status string) (n int) {
	for _, s := range r.Seeds {
		if s.Status == status {
			n++
		}
	}
	return n
}

// Trouble says what kept the program itself from running to its end, or that it does not
// train; "" where a seed failed as training fails, or where seeds were clean and none crashed.
func (r *Result) Trouble() string {
	if r.count("failed") > 0 {
		return ""
	}
	idle := true
	for _, s := range r.Seeds {
		idle = idle && s.Steps == 0 && len(s.Losses) == 0
		crashed := s.Status == "crash" || s.Status == "exit"
		if s.Trouble != "" && (crashed || r.count("clean") == 0) {
			return fmt.Sprintf("seed %d: %s", s.Seed, s.Trouble)
		}
	}
	if idle {
		return "it never called backward() or an optimizer: there was nothing to watch"
	}
	return ""
}

// Found reports whether there is something to fix: a failure, or a wrong gradient.
func (r *Result) Found() bool {
	return r.Failure != nil || len(wrong(r.Gradients)) > 0 || len(r.Changed) > 0
}

// noteVanished tells of runs whose gradient became nothing. That is no failure: a loss may
// have come to its end.
func (h *hunter) noteVanished(list []observed) {
	for _, o := range list {
		if o.Failure == nil && o.VanishedStep != nil {
			h.note("seed %d: from step %d on the gradient was practically zero: nothing more was learned, unless the loss had reached its minimum", o.Seed.Seed, *o.VanishedStep)
		}
	}
}
