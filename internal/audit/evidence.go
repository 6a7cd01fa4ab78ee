package audit

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// evidence is a run as the signals see it: curves by what they measure, whatever file they
// come from, and in whatever order they were read.
type evidence struct {
	run     *record.Run
	options Options
	// first and last are the steps between which the run was, or is to be, logged.
	first, last int64
	series      []*record.Series
	texts       *texts
	held        []heldOut // the one to trust most first
	unranked    string    // why comparisons of checkpoints with each other do not rank them
}

func newEvidence(run *record.Run, o Options) *evidence {
	e := &evidence{run: run, options: o, series: slices.Clone(run.Series)}
	slices.SortStableFunc(e.series, preferred)
	e.first, e.last = e.extent()
	e.texts = readTexts(e)
	e.held = e.heldOuts()
	return e
}

// preferred orders series by how much can be told from them: those with a unit before
// those without, those without a trap, then the longest, then the one with the shortest name, which is the
// total ("reward" before "rewards/accuracy/mean").
func preferred(a, b *record.Series) int {
	return cmp.Or(
		cmp.Compare(share(a.Unit == ""), share(b.Unit == "")),
		cmp.Compare(share(a.Trap != ""), share(b.Trap != "")),
		-cmp.Compare(len(a.Points), len(b.Points)),
		cmp.Compare(len(a.Name), len(b.Name)),
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Source, b.Source),
	)
}

// extent is the range of steps: to the one that the trainer is set to reach, where that is
// known, so that a run that is followed live has the same first tenth from its beginning.
func (e *evidence) extent() (first, last int64) {
	first = -1
	note := func(step int64) {
		if first < 0 || step < first {
			first = step
		}
		last = max(last, step)
	}
	for _, s := range e.series {
		if s.Quantity != "" && len(s.Points) > 0 {
			note(s.Points[0].Step)
			note(s.Points[len(s.Points)-1].Step)
		}
	}
	for _, b := range e.run.Batches {
		note(b.Step)
	}
	if planned, ok := e.setting("max_steps"); ok {
		last = max(last, int64(planned))
	}
	return max(first, 0), last
}

// early is the last step of the first tenth of the run.
func (e *evidence) early() int64 { return e.first + int64(startShare*float64(e.last-e.first)) }

// curve returns the best series of a quantity in one of the units (any, where none is
// named), and whether there is one. What an evaluation logged is no part of training.
func (e *evidence) curve(q record.Quantity, units ...record.Unit) (curve, bool) {
	for _, s := range e.series {
		if s.Evaluation && q != record.HeldOut {
			continue
		}
		if s.Quantity == q && len(s.Points) > 0 && (len(units) == 0 || slices.Contains(units, s.Unit)) {
			return fromSeries(s, e.early()), true
		}
	}
	return curve{}, false
}

// setting returns a number of the trainer's settings by the first of its names that is
// there, alone or at the end of a dotted path.
func (e *evidence) setting(names ...string) (float64, bool) {
	for _, name := range names {
		for value := range e.settings(name) {
			if v, ok := number(value); ok {
				return v, true
			}
		}
	}
	return 0, false
}

// settings yields the values of a setting by its name, alone or at the end of a dotted path.
func (e *evidence) settings(name string) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, key := range slices.Sorted(maps.Keys(e.run.Config)) {
			if (key == name || strings.HasSuffix(key, "."+name)) && !yield(e.run.Config[key]) {
				return
			}
		}
	}
}

func number(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

// trainer says whether the trainer's name has one of the words in it.
func (e *evidence) trainer(words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return strings.Contains(strings.ToLower(e.run.Trainer), word)
	})
}

// tokens is the mean length of a completion at the start, in tokens, or, which is fewer, in words,
// or the longest that the settings allow where no length is known; else 0.
func (e *evidence) tokens() float64 {
	if c, ok := e.length(); ok && (c.unit == record.Tokens || c.unit == record.Words) && c.start.mean > 0 {
		return c.start.mean
	}
	most, _ := e.longest()
	return most
}
