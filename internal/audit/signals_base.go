package audit

import (
	"fmt"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

const basisBase = "training should improve on the base model; a policy equal to it is flagged in 2 to 4 % of runs, however many checkpoints are judged (simulated)"

// worseThanBase finds the steps at which held-out judgements like the policy surely less than
// the model that training began with. It alerts if the last one is such, and warns of those
// before; none of them is a choice.
func worseThanBase(e *evidence) Signal {
	held := e.primary()
	if held == nil {
		return unknown("no held-out score is logged")
	}
	base, ok := baseScore(held)
	if !ok || e.run.Environment {
		return unknown("the %s of the base model (step 0) is not logged", spaced(held.name()))
	}
	steps, values := trained(held)
	if len(steps) == 0 {
		return unknown("no %s after step 0 is logged", spaced(held.name()))
	}
	last := len(steps) - 1
	s := Signal{Level: OK, Value: &values[last], Unit: base.Unit, Threshold: fmt.Sprintf("significantly < %s", short(base.Value)), Basis: basisBase}
	s.Curve = pointsOf(steps, values)
	s.Borders = []Border{{Alert, base.Value}}
	s.Note = fmt.Sprintf("%s: %s at step %d, %s for the base model", spaced(held.name()), inUnit(values[last], base.Unit), steps[last], inUnit(base.Value, base.Unit))
	for i, step := range steps {
		gained, ok := gain(held, step)
		if !ok || !surely(turned(gained), rarely/float64(len(steps)), held.freedom(gained)) {
			continue
		}
		s.Spans = append(s.Spans, Span{From: step, To: step})
		s.Level, s.Value = Warn, &values[i]
		if s.Step == nil {
			s.Step = &steps[i]
		}
	}
	return s.concluded(steps[last])
}

// concluded says what to do where the policy is worse than the base.
func (s Signal) concluded(last int64) Signal {
	switch {
	case s.Level == OK:
	case s.Spans[len(s.Spans)-1].From == last:
		s.Level = Alert
		s.Why, s.Help = "the policy is worse than the model that training began with", "discard checkpoints below the base model, and check what the reward pays for"
	default:
		s.Note += fmt.Sprintf("; significantly worse at %s", words.Count(len(s.Spans), "step"))
		s.Help = "discard the checkpoints of these steps"
	}
	return s
}

// trained are the steps after the start at which the score is known, and its values.
func trained(held heldOut) (steps []int64, values []float64) {
	all, scores := held.scores()
	for i, step := range all {
		if step > 0 {
			steps, values = append(steps, step), append(values, scores[i])
		}
	}
	return steps, values
}

// inUnit is a number as a sentence has it: a share in percent.
func inUnit(v float64, unit record.Unit) string {
	if unit == record.Share {
		return short(100*v) + " %"
	}
	return short(v)
}

// lossInUnit is a difference as a sentence has it: of shares in percentage points.
func lossInUnit(v float64, unit record.Unit) string {
	if unit == record.Share {
		return short(100*v) + " percentage points"
	}
	return short(v)
}
