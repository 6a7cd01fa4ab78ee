package postmortem

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/words"
)

// mostRuns is how many runs the timeline tells one by one.
const mostRuns = 10

// timeline is a run a row, those that failed first.
func (w *writer) timeline() {
	seeds := slices.Clone(w.r.Seeds)
	slices.SortStableFunc(seeds, func(a, b hunt.Seed) int { return rank(a) - rank(b) })
	t := &table{Columns: []string{"Seed", "How it went", "Optimizer steps", "Last finite loss", "Seconds"}, Numbers: []bool{false, false, true, true, true}}
	for _, s := range seeds[:min(len(seeds), mostRuns)] {
		t.Rows = append(t.Rows, []string{strconv.Itoa(s.Seed), outcomeOf(s), strconv.Itoa(s.Steps), lastFinite(s), fmt.Sprintf("%.1f", s.WallSeconds)})
	}
	w.add(block{Table: t})
	if more := seeds[min(len(seeds), mostRuns):]; len(more) > 0 {
		w.say("And %s: %d failed, %d clean.", words.Count(len(more), "run"), count(more, "failed"), count(more, "clean"))
	}
	if w.r.Found() {
		w.person("when it was first seen and by whom, and what was done until the cause was known.")
	}
}

func rank(s hunt.Seed) int {
	switch {
	case s.Failure != nil:
		return 0
	case s.Status == "clean":
		return 2
	}
	return 1
}

// outcomeOf says how a run went.
func outcomeOf(s hunt.Seed) string {
	switch {
	case s.Failure != nil:
		return fmt.Sprintf("failed %s: %s", after(s.Failure.Step), words.Plain(s.Failure.Detail))
	case s.Trouble != "":
		return "ended early: " + words.Plain(s.Trouble)
	}
	return s.Status
}

func lastFinite(s hunt.Seed) string {
	for _, l := range slices.Backward(s.Losses) {
		if l.Value.Finite() {
			return l.Value.String()
		}
	}
	return "–"
}

// reproduction is what somebody needs to see the same.
func (w *writer) reproduction() {
	r, e := w.r, w.r.Environment
	facts := []fact{{"Command", quoted(e.Command)}}
	program := r.Shown(r.Script)
	if r.Module != "" {
		program = "-m " + r.Module
	}
	facts = append(facts, fact{"Program", quoted(strings.Join(append([]string{program}, r.Args...), " "))}, fact{"Seeds", seedList(r.Seeds)})
	if e.Python != nil {
		with := fmt.Sprintf("Python %s, torch %s", e.Python.Version, e.Python.Torch)
		if e.Python.Numpy != "" {
			with += ", numpy " + e.Python.Numpy
		}
		facts = append(facts, fact{"With", with + "; rlvet " + e.Rlvet})
	}
	device := e.Device
	if device == "" {
		device = "cpu"
	}
	facts = append(facts, fact{"Device", device}, fact{"Isolation", e.Isolation.Means()})
	if r.Failure != nil {
		facts = append(facts, fact{"Seen again", w.again()})
	}
	if r.Deterministic != nil {
		facts = append(facts, fact{"Deterministic", w.deterministic()})
	}
	if r.Window != nil {
		facts = append(facts, fact{"Looked at closely", fmt.Sprintf("steps %d to %d, operation by operation", r.Window[0], r.Window[1])})
	}
	w.add(block{Facts: facts})
	w.say("Each run used a copy of the project, with seeds, threads and algorithms pinned.")
}

func (w *writer) again() string {
	if w.r.Reproduced {
		return fmt.Sprintf("yes: seed %d failed a second time", w.r.Failure.Seed)
	}
	return fmt.Sprintf("no: seed %d did not fail a second time", w.r.Failure.Seed)
}

func (w *writer) deterministic() string {
	if *w.r.Deterministic {
		return "yes: two runs of one seed had the same losses, bit for bit"
	}
	if d := w.r.Difference; d != nil {
		return fmt.Sprintf("no: two runs of one seed differ from loss %d on: %s", d.Backward, words.Plain(d.What))
	}
	return "no"
}

// seedList is "0, 1, 2", or "0 to 49" where they follow each other.
func seedList(seeds []hunt.Seed) string {
	var names []string
	row := len(seeds) > 6
	for i, s := range seeds {
		names = append(names, strconv.Itoa(s.Seed))
		row = row && s.Seed == seeds[0].Seed+i
	}
	if row {
		return names[0] + " to " + names[len(names)-1]
	}
	return strings.Join(names, ", ")
}
