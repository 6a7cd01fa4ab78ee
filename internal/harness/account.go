package harness

import (
	"encoding/json"
	"fmt"
)

// # What several processes tell of one target
//
// A program may evaluate an expression in workers, ranks and subprocesses. Each process
// counts for itself and judges for itself when it ends. One that saw the mistake is
// enough to confirm; the clean evaluations of all of them count together to refute; and
// one that ended without a word leaves its counts only, which prove nothing.

// account is what the processes of a run told about one target.
type account struct {
	placed       bool   // whether a process imported the file
	refused      string // why the expression could not be watched
	confirmation *Confirmation
	reason       string
	processes    []*testimony // in the order in which they spoke first
}

// testimony is what one process told about one target.
type testimony struct {
	process string
	hits    int
	last    *Event // what it said in the end; nil where it ended without a word
	series  []Series
}

// mostObservations bounds those of a run.
const mostObservations = 8

func (a *account) of(process string) *testimony {
	for _, t := range a.processes {
		if t.process == process {
			return t
		}
	}
	t := &testimony{process: process}
	a.processes = append(a.processes, t)
	return t
}

// hear takes an event about the target.
func (a *account) hear(e Event) {
	t := a.of(e.Process)
	switch e.Kind {
	case "target":
		a.placed = true
		if e.Status == "refused" {
			a.refused = e.Reason
		}
	case "count":
		t.hits = max(t.hits, e.Hits)
	case "confirm":
		if a.confirmation == nil {
			a.reason = e.Reason
			a.confirmation = &Confirmation{e.Reason, e.Hit, e.Step, e.Seen, e.Stack, e.Process}
		}
	case "points":
		t.series = append(t.series, Series{e.Name, e.Points})
	case "saw":
		t.hits, t.last = max(t.hits, e.Hits), &e
	}
}

// evidence is what all of it comes to.
func (a *account) evidence(seed int) *SeedEvidence {
	s := &SeedEvidence{Seed: seed, Confirmation: a.confirmation}
	for _, t := range a.processes {
		s.Hits += t.hits
		s.Observations = append(s.Observations, t.observations()...)
		if s.Series == nil {
			s.Series = t.series // plots are of one process: hits count anew in each
		}
	}
	s.Observations = s.Observations[:min(len(s.Observations), mostObservations)]
	s.Verdict, s.Reason = a.verdict(s.Hits)
	return s
}

func (t *testimony) observations() []json.RawMessage {
	if t.last == nil {
		return nil
	}
	return t.last.Observations
}

func (a *account) verdict(hits int) (Verdict, string) {
	switch {
	case a.confirmation != nil:
		return Confirmed, a.reason
	case hits == 0 && a.refused != "":
		return Inconclusive, a.refused
	case hits == 0 && a.placed:
		return NotReached, "the flagged expression was never evaluated"
	case hits == 0:
		return NotReached, "the file with the flagged expression was never imported"
	}
	return a.together()
}

// together judges the evaluations of all processes, of which none confirms.
func (a *account) together() (Verdict, string) {
	holds, clean, enough, silent := "the condition was not seen", 0, 0, false
	for _, t := range a.processes {
		switch {
		case t.hits == 0:
		case t.last == nil:
			silent = true
		case t.last.Verdict == string(Refuted):
			holds, clean, enough = t.last.Reason, clean+t.hits, t.last.Enough
		case t.last.Short:
			clean, enough = clean+t.hits, t.last.Enough
		default:
			return Verdict(t.last.Verdict), t.last.Reason
		}
	}
	switch {
	case clean > 0 && clean >= enough && !silent:
		return Refuted, holds
	case silent:
		return Inconclusive, "a process ended before it could be judged"
	}
	return Inconclusive, fmt.Sprintf("only %d of at least %d evaluations: run longer", clean, enough)
}
