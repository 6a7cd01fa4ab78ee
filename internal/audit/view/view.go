// Package view shows what an audit found: as a summary on a terminal, as one page of HTML,
// and as JSON.
//
// What goes in is an audit.Result with the record that it rests on, what comes out is text
// that steers no terminal and markup that runs nothing, whatever the logs and the
// completions hold: control characters and marks that turn the direction of writing are
// made visible (words.Plain). The verdict is one line and comes first; levels are said by a
// word or a sign besides the colour.
// Limits: what is shown is thinned to what a person reads. JSON has everything.
package view

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/words"
)

// JSON writes the result as one object.
func JSON(w io.Writer, r *audit.Result) error {
	return report.WriteJSON(w, r)
}

// level are the signals of one level, in their order.
func level(r *audit.Result, l audit.Level) []audit.Signal {
	var out []audit.Signal
	for _, s := range r.Signals {
		if s.Level == l {
			out = append(out, s)
		}
	}
	return out
}

// verdict is the line that a reader has to know.
func verdict(r *audit.Result) string {
	if r.Level == audit.Unknown || len(level(r, audit.Unknown)) == len(r.Signals) {
		return state(r)
	}
	return state(r) + "; " + choice(r)
}

// state says what the signals say.
func state(r *audit.Result) string {
	known := len(r.Signals) - len(level(r, audit.Unknown))
	switch {
	case r.Level == audit.Alert || r.Level == audit.Warn:
		return names(level(r, r.Level))
	case known == 0:
		return "nothing was logged that can be judged"
	case r.Level == audit.Unknown && r.Textless():
		return "no held-out score was logged, or too few were, so a reward that rises for the wrong reason would not show; what could be computed is within its thresholds"
	case r.Level == audit.Unknown:
		return "neither KL, length, completions nor held-out scores could be judged (not logged, too few, or in a unit that is not known), so reward hacking would not show; what could be computed is within its thresholds"
	}
	return fmt.Sprintf("none of the %s that could be computed crosses its threshold", words.Count(known, "signal"))
}

// choice says which checkpoint to take.
func choice(r *audit.Result) string {
	switch {
	case r.Recommended != nil:
		take := "take " + checkpointName(r.Recommended.Path, r.Recommended.Step)
		if better := r.Recommended.Better; better != nil && !*better {
			take += ", not shown to be better than the base"
		}
		return take
	case len(r.Checkpoints) == 0:
		return "there is no checkpoint to choose"
	case r.Primary == "":
		return "no checkpoint is recommended, since there are no held-out scores"
	}
	return "no checkpoint is recommended"
}

// checkpointName is "checkpoint-500", or "step 500" where no folder is known.
func checkpointName(path string, step int64) string {
	if path == "" {
		return fmt.Sprintf("step %d", step)
	}
	return plain(path)
}

// names lists signals with the first step at which each holds, the earliest first, three at most.
func names(list []audit.Signal) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b audit.Signal) int { return cmp.Compare(firstStep(a), firstStep(b)) })
	var out []string
	for _, s := range list {
		name := named(s.Name)
		if s.Step != nil {
			name += fmt.Sprintf(" (since step %d)", *s.Step)
		}
		out = append(out, name)
	}
	if len(out) > 3 {
		out = append(out[:3], fmt.Sprintf("%d more", len(out)-3))
	}
	return words.And(out)
}

// firstStep is the first step at which a signal holds; those without one come last.
func firstStep(s audit.Signal) int64 {
	if s.Step == nil {
		return math.MaxInt64
	}
	return *s.Step
}

// curve is what a signal rests on: as the audit gave it, else the series of its name.
func curve(r *audit.Result, s *audit.Signal) []record.Point {
	if len(s.Curve) > 0 || r.Record == nil {
		return s.Curve
	}
	if at := series(r.Record, record.Quantity(strings.ReplaceAll(s.Name, "-", "_"))); at != nil {
		return at.Points
	}
	return nil
}

// series is the one of a quantity with the most points, nil where there is none.
func series(run *record.Run, q record.Quantity) *record.Series {
	var best *record.Series
	if run == nil {
		return nil
	}
	for _, s := range run.Series {
		if s.Quantity == q && (best == nil || len(s.Points) > len(best.Points)) {
			best = s
		}
	}
	return best
}

// bare names of metrics come in this order; those of others behind them.
var metricOrder = []string{"held_out", "arena_win_rate", "win_rate", "win_rate_length_controlled", "gold", "reward", "kl_reference", "length", "length_drift", "rep_4", "reward_disagreement"}

// metrics are the names of the metrics of all checkpoints, that by which they were ranked
// first.
func metrics(r *audit.Result) []string {
	var out []string
	for _, c := range r.Checkpoints {
		for name := range c.Metrics {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	rank := func(name string) int {
		if name == r.Primary {
			return -1
		}
		if at := slices.Index(metricOrder, name); at >= 0 {
			return at
		}
		return len(metricOrder)
	}
	slices.SortFunc(out, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return out
}
