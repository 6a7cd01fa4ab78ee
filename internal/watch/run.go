package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/words"
)

// Request says what to run, and what to watch.
type Request struct {
	program.Request // of one script, or a module
	At              []At
	Clip            float64 // how far a ratio may be from 1 before it counts as clipped; 0: DefaultClip
}

// DefaultClip is PPO's clip range.
const DefaultClip = 0.2

// MostEvaluations is how many evaluations of a place are written down.
const MostEvaluations = 200000

// MostPlaces is how many places are watched at a time.
const MostPlaces = 64

// Result is what was seen.
type Result struct {
	Script string
	Places []Place
	Runs   []harness.SeedRun
	// Misplaced says of each place that could not be watched why, in one line.
	Misplaced []string
	Python    *harness.Python
	Isolation harness.Isolation
}

// Place is one place and what was seen there.
type Place struct {
	At
	Text     string // the source, or the expression
	Quantity string // what it is, such as ratio; "" where nothing says so
	ByName   bool   // the name says so, and inference does not know
	// Doubt says why nothing was written down, where that is so.
	Doubt  string
	Values []Value
}

// Run runs the program and reads what was written down. The error is one line that says what kept
// it from running.
func Run(ctx context.Context, r Request) (*Result, error) {
	if len(r.At) > MostPlaces {
		return nil, fmt.Errorf("these are %d places, and %d are watched at a time", len(r.At), MostPlaces)
	}
	runner, p, err := program.Only(ctx, r.Request, "watched")
	if err != nil {
		return nil, err
	}
	out := &Result{Script: p.Name}
	f := newFinder(ctx, p)
	defer f.Close()
	targets := f.targets(ctx, r.At, out)
	if len(targets) == 0 {
		return out, nil
	}
	return out, run(ctx, runner, p, r, targets, out)
}

// run runs the seeds and reads the files that the probes wrote.
func run(ctx context.Context, runner *program.Runner, p *program.Program, r Request, targets []harness.Target, out *Result) error {
	work, err := paths.Temporary()
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	plan, err := p.Plan(ctx)
	if err != nil {
		return err
	}
	clip := r.Clip
	if clip == 0 {
		clip = DefaultClip
	}
	for i := range targets {
		targets[i].Probe = probe(clip)
	}
	plan.Targets, plan.Kept, plan.Limits.MaxHits = targets, work, MostEvaluations
	report, err := runner.RunOne(ctx, "running the script, means of late", plan)
	if err != nil {
		return err
	}
	out.Runs, out.Python, out.Isolation = report.Runs, plan.Python, report.Isolation
	for i := range out.Places {
		if err := out.Places[i].read(work, i, out.Runs); err != nil {
			return err
		}
		if e := report.Targets[i]; len(out.Places[i].Values) == 0 {
			out.Places[i].Doubt = doubt(e)
		}
	}
	return nil
}

// doubt says why nothing was seen of a place. Where it was hit and wrote nothing, its line raised.
func doubt(e harness.Evidence) string {
	if e.Verdict == harness.Refuted {
		return "its line raised an exception before it had a value"
	}
	for _, seed := range e.Seeds {
		if seed.Hits > 0 {
			return e.Reason
		}
	}
	return "no run evaluated it"
}

// probe is the source of the probe of a place.
func probe(clip float64) string {
	return fmt.Sprintf(`"""Writes down what the place is."""

from rlvet_harness.places import Place


class Watched(Place):
    """Watches the place."""

    clip = %s
`, strconv.FormatFloat(clip, 'g', -1, 64))
}

// read reads what the runs wrote of the place with a number.
func (p *Place) read(work string, number int, runs []harness.SeedRun) error {
	name := fmt.Sprintf("place-%d.jsonl", number)
	for _, run := range runs {
		folder := filepath.Join(work, strconv.Itoa(run.Seed))
		found, err := filepath.Glob(filepath.Join(folder, "*", name)) // of other processes of the program
		if err != nil {
			return err
		}
		slices.Sort(found)
		for _, path := range append([]string{filepath.Join(folder, name)}, found...) {
			text, err := os.ReadFile(path)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			process := ""
			if dir := filepath.Dir(path); dir != folder {
				process = filepath.Base(dir)
			}
			p.Values = append(p.Values, readValues(text, run.Seed, process)...)
		}
	}
	p.Values = withoutOuter(p.Values)
	return nil
}

// Trouble says how the program failed, a line each.
func (r *Result) Trouble() (lines []string) {
	for _, run := range r.Runs {
		if run.Status == "crash" && run.Crash != nil {
			line := fmt.Sprintf("seed %d raised %s", run.Seed, words.Plain(run.Crash.String()))
			if run.Crash.Type == "ModuleNotFoundError" {
				line += "; " + harness.Advice(line, run.Crash, r.Python)
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// isQuantity reports whether a quantity is worth watching where nobody says what to watch.
func isQuantity(quantity string) bool {
	return slices.Contains([]string{"ratio", "log-ratio", "advantage", "kl", "entropy", "loss", "logits", "log-prob"}, quantity)
}

// is says what a place is, for behind its text.
func (p Place) is() string {
	switch {
	case p.Quantity == "" || p.Quantity == p.Text:
		return ""
	case p.ByName:
		return ", " + article(p.Quantity) + " by its name"
	}
	return ", " + article(p.Quantity)
}

func article(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}
