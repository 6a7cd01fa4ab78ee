package harness

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/rlvet/rlvet/internal/harness/protocol"
	"github.com/rlvet/rlvet/internal/words"
)

// # From evidence to a verdict
//
// This file alone decides verdicts. Python sends counts and evidence: how often an expression
// was evaluated, the first evaluation that shows the mistake, what held at all of them, or why
// nothing can be said. A verdict is made of that in three steps.
//
// Of a process: it confirms, it is unsure, or some of its evaluations upheld the law: the mistake
// would have shown there, and did not. Evaluations with nothing to look at prove nothing.
//
// Of a run: a program may evaluate an expression in workers, ranks and subprocesses. One
// process that saw the mistake confirms. The evaluations of all processes that upheld the law count together:
// they refute where there are as many as the probe requires. A process that ended without
// sending its evidence leaves counts only, which prove nothing; nor does a run whose events
// are not of the protocol.
//
// Of a plan: one run confirms; to refute takes all.

// Verdict is what the runs say of a finding.
type Verdict string

// The verdicts.
const (
	Confirmed    Verdict = "confirmed"    // seen in one run at least
	Refuted      Verdict = "refuted"      // evaluated often enough in every run, and never seen
	NotReached   Verdict = "not-reached"  // the expression was never evaluated
	Inconclusive Verdict = "inconclusive" // the runs prove nothing
)

// Evidence is what was seen of one target.
type Evidence struct {
	Target  Target
	Verdict Verdict
	Reason  string
	Seeds   []SeedEvidence
	// Bound is the upper end of the 95 % interval of the rate at which the mistake can still
	// occur at an evaluation, for a refuted target: 1 - 0.05^(1/n) after n that upheld the law.
	Bound float64
}

// SeedEvidence is what one run saw of one target.
type SeedEvidence struct {
	Seed         int
	Verdict      Verdict
	Reason       string
	Hits         int
	Upheld       int // evaluations at which the mistake would have shown, and did not
	Confirmation *Confirmation
	Observations []json.RawMessage
	// Series are numbers of the evaluations, for plots.
	Series []Series
}

// Confirmation is the evaluation that proves a finding.
type Confirmation struct {
	Reason string          `json:"reason"`
	Hit    int             `json:"hit"`
	Step   int             `json:"step"`
	Seen   json.RawMessage `json:"seen"`
	Stack  []string        `json:"stack"`
	// Process is the one that saw it, "" for the first of the program.
	Process string `json:"process,omitempty"`
}

// Series is a number that a probe kept of each evaluation, or of some of many.
type Series struct {
	// Name says what the number is. "low", "high" and "ought" belong to the first series.
	Name string
	// Points are evaluation, from 0, optimizer step, and the number, which is finite.
	Points [][]float64
}

// mostObservations bounds those of a run.
const mostObservations = 8

// runEvidence is what the processes of a run sent about one target.
type runEvidence struct {
	imported     bool   // whether a process imported the file
	refused      string // why the expression cannot be watched
	confirmation *Confirmation
	processes    []*processEvidence // in the order in which they sent first
}

// processEvidence is what one process sent about one target.
type processEvidence struct {
	sender       protocol.Sender
	hits         int
	final        *protocol.Evidence // nil where it ended without sending it
	observations []json.RawMessage
	series       []Series
}

func (r *runEvidence) of(sender protocol.Sender) *processEvidence {
	for _, p := range r.processes {
		if p.sender == sender {
			return p
		}
	}
	p := &processEvidence{sender: sender}
	r.processes = append(r.processes, p)
	return p
}

// add takes an event about the target.
func (r *runEvidence) add(event protocol.Event) {
	p := r.of(event.From())
	switch e := event.(type) {
	case *protocol.Target:
		r.imported = true
		if e.Status == "refused" {
			r.refused = e.Reason
		}
	case *protocol.Hits:
		p.hits = max(p.hits, e.Hits)
	case *protocol.Observation:
		p.observations = append(p.observations, observed(e))
	case *protocol.Confirm:
		if r.confirmation == nil {
			r.confirmation = &Confirmation{e.Reason, e.Hit, e.Step, e.Seen, e.Stack, e.Process}
		}
	case *protocol.Series:
		p.series = append(p.series, Series{e.Name, e.Points})
	case *protocol.Evidence:
		p.hits, p.final = max(p.hits, e.Hits), e
	}
}

// observed is an observation as one object: what was seen, and when.
func observed(e *protocol.Observation) json.RawMessage {
	out := map[string]any{}
	if json.Unmarshal(e.Seen, &out) != nil {
		return nil // the protocol says that it is an object
	}
	out["hit"], out["step"] = e.Hit, e.Step
	text, _ := json.Marshal(out)
	return text
}

// judge is what all of it comes to. completed says that the first process of the program came
// to its end, so that its evidence is whole.
func (r *runEvidence) judge(run *SeedRun, completed bool) SeedEvidence {
	s := SeedEvidence{Seed: run.Seed, Confirmation: r.confirmation}
	for _, p := range r.processes {
		s.Hits += p.hits
		if p.final != nil {
			s.Upheld += p.final.Upheld
		}
		s.Observations = append(s.Observations, p.observations...)
		if s.Series == nil {
			s.Series = p.series // plots are of one process: hits count anew in each
		}
	}
	s.Observations = s.Observations[:min(len(s.Observations), mostObservations)]
	s.Verdict, s.Reason = r.verdict(s.Hits)
	early := run.EndedEarly()
	switch {
	case run.Fault != "":
		s.Verdict, s.Reason, s.Confirmation = Inconclusive, "this run proves nothing: "+run.Fault, nil
	case early != "" && (s.Verdict == NotReached || s.Verdict == Inconclusive && !completed):
		s.Verdict, s.Reason = Inconclusive, "no verdict was possible, since "+early
	}
	return s
}

// verdict judges a run by its evidence alone.
func (r *runEvidence) verdict(hits int) (Verdict, string) {
	switch {
	case r.confirmation != nil:
		return Confirmed, r.confirmation.Reason
	case hits == 0 && r.refused != "":
		return Inconclusive, r.refused
	case hits == 0 && r.imported:
		return NotReached, "the program never evaluated this expression"
	case hits == 0:
		return NotReached, "the program never imported this file"
	}
	holds, needs, upheld, required, silent := "", "", 0, 0, false
	for _, p := range r.processes {
		switch {
		case p.hits == 0:
		case p.final == nil:
			silent = true
		case p.final.Unsure != nil:
			return Inconclusive, *p.final.Unsure
		default:
			upheld, required, needs = upheld+p.final.Upheld, p.final.Required, p.final.Needs
			if p.final.Holds != nil && (holds == "" || p.final.Upheld >= required) {
				holds = *p.final.Holds
			}
		}
	}
	switch {
	case silent:
		return Inconclusive, "a process ended without sending its evidence"
	case upheld == 0:
		return Inconclusive, fmt.Sprintf("%s without what a refutation needs: %s", words.Count(hits, "evaluation"), needs)
	case upheld < required && upheld == hits:
		return Inconclusive, fmt.Sprintf("only %d of the %d evaluations that a verdict needs: run longer", upheld, required)
	case upheld < required:
		return Inconclusive, fmt.Sprintf("only %d of %s had what a refutation needs (%s), which takes %d: run longer", upheld, words.Count(hits, "evaluation"), needs, required)
	case holds == "":
		holds = "the mistake was not seen"
	}
	return Refuted, holds
}

// judgePlan combines what the runs saw of a target.
func judgePlan(t Target, seeds []SeedEvidence) Evidence {
	e := Evidence{Target: t, Verdict: Inconclusive, Reason: "no seed was run", Seeds: seeds}
	rank := map[Verdict]int{Confirmed: 3, Inconclusive: 2, Refuted: 1, NotReached: 0}
	best, skipped := -1, false
	for _, s := range seeds {
		skipped = skipped || s.Verdict == NotReached
		if rank[s.Verdict] > best {
			best = rank[s.Verdict]
			e.Verdict, e.Reason = s.Verdict, s.Reason
		}
	}
	if e.Verdict == Refuted && skipped {
		e.Verdict, e.Reason = Inconclusive, "some runs never evaluated this expression"
	}
	if e.Verdict == Refuted {
		e.Bound = Bound(upheld(e))
	}
	return e
}

// Bound is the upper end of the 95 % interval of a rate of which n trials showed nothing.
func Bound(n int) float64 {
	if n == 0 {
		return 1
	}
	return 1 - math.Pow(0.05, 1/float64(n))
}

// upheld counts the evaluations in all runs that upheld the law.
func upheld(e Evidence) (n int) {
	for _, s := range e.Seeds {
		n += s.Upheld
	}
	return n
}

// hits counts the evaluations in all runs.
func hits(e Evidence) (n int) {
	for _, s := range e.Seeds {
		n += s.Hits
	}
	return n
}
