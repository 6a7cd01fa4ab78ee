package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// Options are what a caller may set.
type Options struct {
	// Rounds of the bootstrap; 0 for measure.Rounds.
	Rounds int
	// Primary names the held-out score by which checkpoints are ranked, one of HeldOuts; "" for
	// the one to trust most.
	Primary string
	// Texts asks for Result.Texts, which costs as much again.
	Texts bool
}

// HeldOuts are the names that held-out scores have, the ones to trust most first.
var HeldOuts = []string{"win_rate_length_controlled", "arena_win_rate", "win_rate", "score", "gold", "held_out"}

// Examine judges a run, and says which of its checkpoints to take. It changes nothing of
// the run, and the same run gives the same result whatever the order of its series.
func Examine(run *record.Run, o Options) *Result {
	e := newEvidence(run, o)
	r := &Result{
		Run: run.Dir, Trainer: run.Trainer, Record: run,
		Sources: orEmpty(run.Sources), Unused: orEmpty(run.Unused), OtherRuns: orEmpty(run.Others), Notes: orEmpty(slices.Clone(run.Notes)),
	}
	r.Signals, r.Missing = judgeAll(e)
	r.Missing = orEmpty(r.Missing)
	r.Level = r.verdict()
	r.Checkpoints = e.checkpoints(r.Signals)
	if p, _ := e.overOptimisation(); p != nil && p.shown() {
		r.OverOptimisation = &p.OverOptimisation
	}
	r.Agreement, _ = e.agreement()
	if o.Texts {
		r.Texts = e.measures()
	}
	e.choose(r)
	if r.Primary == "" {
		r.Missing = append(r.Missing, e.toCollect())
	}
	r.Notes = append(r.Notes, e.notes()...)
	return r
}

// notes are what a reader of the numbers has to know of the log.
func (e *evidence) notes() (notes []string) {
	if e.unranked != "" {
		notes = append(notes, e.unranked)
	}
	if mixed := scales(e.run.Judgements.Scores); mixed != "" {
		notes = append(notes, mixed)
	}
	notes = append(notes, e.strayJudgements()...)
	back := map[int64][]string{}
	for _, s := range e.series {
		if n := len(s.Restarts); n > 0 && s.Quantity != "" {
			back[s.Restarts[n-1]] = append(back[s.Restarts[n-1]], s.Name)
		}
	}
	for _, step := range slices.Sorted(maps.Keys(back)) {
		notes = append(notes, fmt.Sprintf("%s: training went back to step %d; what had been logged from there on is left out", few(back[step]), step))
	}
	if note := e.texts.otherPrompts(); note != "" {
		notes = append(notes, note)
	}
	return notes
}

// few names things in a sentence, three at most.
func few(names []string) string {
	if n := len(names); n > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), n-3)
	}
	return strings.Join(names, ", ")
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
